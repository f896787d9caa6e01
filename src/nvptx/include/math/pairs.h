// Pairs of floats.
#pragma once

namespace lanewise {

// A sum of two numbers that has about twice the precision of one.
template <class T> struct Pair {
  T high, low;
};
// Needs |a| >= |b|, or a = 0.
template <class T> LANEWISE_PART Pair<T> sum(T a, T b) {
  T high = a + b;
  return {high, b - (high - a)};
}
template <class T> LANEWISE_PART Pair<T> product(T a, T b) {
  T high = a * b;
  return {high, multiply_add(a, b, -high)};
}
template <class T> LANEWISE_PART Pair<T> product(Pair<T> a, Pair<T> b) {
  Pair<T> p = product(a.high, b.high);
  return {p.high, p.low + multiply_add(a.high, b.low, a.low * b.high)};
}

}  // namespace lanewise
