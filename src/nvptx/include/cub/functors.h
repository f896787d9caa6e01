// The function objects and numeric traits of CUB.
#pragma once
#include "../thrust/iterator/constant_iterator.h"
#include "../thrust/iterator/counting_iterator.h"
#include "../thrust/iterator/discard_iterator.h"
#include "../thrust/iterator/transform_iterator.h"
#include <limits>

namespace cub {

struct Sum { template <class A, class B> constexpr auto operator()(const A &a, const B &b) const { return a + b; } };
struct Difference { template <class A, class B> constexpr auto operator()(const A &a, const B &b) const { return a - b; } };
struct Division { template <class A, class B> constexpr auto operator()(const A &a, const B &b) const { return a / b; } };
struct Max { template <class T> constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
struct Min { template <class T> constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
struct Equality { template <class A, class B> constexpr bool operator()(const A &a, const B &b) const { return a == b; } };
struct Inequality { template <class A, class B> constexpr bool operator()(const A &a, const B &b) const { return !(a == b); } };

template <class Key_, class Value_> struct KeyValuePair {
  typedef Key_ Key;
  typedef Value_ Value;
  Key key;
  Value value;
  constexpr bool operator!=(const KeyValuePair &other) const { return key != other.key || value != other.value; }
};
// The pair with the largest or smallest value. The smaller key wins among equal values.
struct ArgMax {
  template <class K, class V>
  constexpr KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  constexpr KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

template <class T, class Offset = ptrdiff_t> using CountingInputIterator = thrust::counting_iterator<T>;
template <class T, class Offset = ptrdiff_t> using ConstantInputIterator = thrust::constant_iterator<T>;
template <class Offset = ptrdiff_t> using DiscardOutputIterator = thrust::discard_iterator<>;
// The values of a function, converted to a type.
template <class Value, class Function, class It, class Offset = ptrdiff_t>
class TransformInputIterator : public thrust::transform_iterator<Function, It, Value, Value> {
public:
  constexpr TransformInputIterator(It base, Function function)
      : thrust::transform_iterator<Function, It, Value, Value>(base, function) {}
  constexpr TransformInputIterator(const thrust::transform_iterator<Function, It, Value, Value> &other)
      : thrust::transform_iterator<Function, It, Value, Value>(other) {}
};

// The elements of an iterator with their indices.
template <class It, class Offset = ptrdiff_t, class Value = thrust::value_of<It>>
class ArgIndexInputIterator
    : public thrust::facade<ArgIndexInputIterator<It, Offset, Value>, KeyValuePair<Offset, Value>> {
  It base_{};
  Offset index_ = 0;

public:
  explicit constexpr ArgIndexInputIterator(It base, Offset index = 0) : base_(base), index_(index) {}
  constexpr KeyValuePair<Offset, Value> dereference() const { return {index_, base_[index_]}; }
  constexpr void move(ptrdiff_t n) { index_ += n; }
  constexpr ptrdiff_t distance_from(const ArgIndexInputIterator &other) const { return index_ - other.index_; }
};

// Two arrays, of which one is current.
template <class T> struct DoubleBuffer {
  T *d_buffers[2] = {};
  int selector = 0;
  constexpr DoubleBuffer() = default;
  constexpr DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate} {}
  constexpr T *Current() { return d_buffers[selector]; }
  constexpr T *Alternate() { return d_buffers[1 - selector]; }
};

struct NullType {};

}  // namespace cub
