// Searches in sorted ranges, for one value or for each element of a range.
#pragma once
#include "detail/each.h"
#include "functional.h"

namespace thrust {

// Returns the number of elements that `precedes` accepts, which must be the first ones.
template <class It, class Precedes> constexpr size_t partition_index(It first, size_t count, Precedes precedes) {
  size_t low = 0;
  while (low < count) {
    const size_t probe = low + (count - low) / 2;
    if (precedes(first[probe])) low = probe + 1;
    else count = probe;
  }
  return low;
}

template <policy P, class It, class Values, class Out, class Less = thrust::less<>>
  requires requires(Values it) { *it; }
constexpr Out lower_bound(P policy, It first, It last, Values values, Values valuesEnd, Out out, Less less = {}) {
  const size_t count = last - first;
  const auto in = on_device(first);
  const auto keys = on_device(values);
  const auto to = on_device(out);
  each(policy, valuesEnd - values, [=] __host__ __device__(size_t index) {
    const value_of<Values> key = keys[index];
    to[index] = partition_index(in, count, [&](const auto &x) { return less(x, key); });
  });
  return out + (valuesEnd - values);
}
template <policy P, class It, class Values, class Out, class Less = thrust::less<>>
  requires requires(Values it) { *it; }
constexpr Out upper_bound(P policy, It first, It last, Values values, Values valuesEnd, Out out, Less less = {}) {
  const size_t count = last - first;
  const auto in = on_device(first);
  const auto keys = on_device(values);
  const auto to = on_device(out);
  each(policy, valuesEnd - values, [=] __host__ __device__(size_t index) {
    const value_of<Values> key = keys[index];
    to[index] = partition_index(in, count, [&](const auto &x) { return !less(key, x); });
  });
  return out + (valuesEnd - values);
}
template <policy P, class It, class T> constexpr It lower_bound(P, It first, It last, T value) {
  return first + partition_index(first, last - first, [&](const value_of<It> &x) { return x < value; });
}
template <policy P, class It, class T> constexpr It upper_bound(P, It first, It last, T value) {
  return first + partition_index(first, last - first, [&](const value_of<It> &x) { return !(value < x); });
}
template <policy P, class It, class T> constexpr bool binary_search(P policy, It first, It last, T value) {
  const It place = thrust::lower_bound(policy, first, last, value);
  return place != last && !(value < value_of<It>(*place));
}
THRUST_WITHOUT_POLICY(lower_bound)
THRUST_WITHOUT_POLICY(upper_bound)
THRUST_WITHOUT_POLICY(binary_search)

}  // namespace thrust
