// Function objects.
#pragma once
#include <functional>

namespace thrust {

using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::divides;
using std::equal_to;
using std::greater;
using std::greater_equal;
using std::less;
using std::less_equal;
using std::logical_and;
using std::logical_not;
using std::logical_or;
using std::minus;
using std::modulus;
using std::multiplies;
using std::negate;
using std::not_equal_to;
using std::plus;

template <class T = void> struct maximum {
  constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <> struct maximum<void> {
  template <class A, class B> constexpr auto operator()(const A &a, const B &b) const { return a < b ? b : a; }
};
template <class T = void> struct minimum {
  constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <> struct minimum<void> {
  template <class A, class B> constexpr auto operator()(const A &a, const B &b) const { return b < a ? b : a; }
};
template <class T = void> struct square {
  constexpr T operator()(const T &x) const { return x * x; }
};
template <class T = void> struct identity {
  constexpr const T &operator()(const T &x) const { return x; }
};
template <> struct identity<void> {
  template <class T> constexpr T &&operator()(T &&x) const { return static_cast<T &&>(x); }
};
template <class T = void> struct project1st {
  template <class A, class B> constexpr A operator()(const A &a, const B &) const { return a; }
};
template <class T = void> struct project2nd {
  template <class A, class B> constexpr B operator()(const A &, const B &b) const { return b; }
};

// The opposite of a predicate.
template <class Predicate> struct negation {
  Predicate predicate;
  template <class... Args> constexpr bool operator()(Args &&...args) const { return !predicate(args...); }
};
template <class Predicate> constexpr negation<Predicate> not_fn(Predicate predicate) { return {predicate}; }
template <class Predicate> constexpr negation<Predicate> not1(Predicate predicate) { return {predicate}; }
template <class Predicate> constexpr negation<Predicate> not2(Predicate predicate) { return {predicate}; }

}  // namespace thrust
