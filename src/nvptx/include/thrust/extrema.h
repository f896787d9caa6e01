// The smallest and the largest element.
#pragma once
#include "iterator/counting_iterator.h"
#include "reduce.h"
#include "tuple.h"

namespace thrust {

// Returns the index of the element that precedes all others, which is the first of equal ones.
template <policy P, class It, class Precedes>
constexpr size_t best_index(P policy, It first, size_t count, Precedes precedes) {
  const auto in = on_device(first);
  return reduce_from<size_t>(
      policy, counting_iterator<size_t>(0), count, {},
      [=] __host__ __device__(size_t a, size_t b) {
        const size_t low = a < b ? a : b, high = a < b ? b : a;
        return precedes(in[high], in[low]) ? high : low;
      });
}
template <policy P, class It, class Less> constexpr It min_element(P policy, It first, It last, Less less) {
  return first == last ? last : first + best_index(policy, first, last - first, less);
}
template <policy P, class It, class Less> constexpr It max_element(P policy, It first, It last, Less less) {
  const auto greater = [=] __host__ __device__(const value_of<It> &a, const value_of<It> &b) { return less(b, a); };
  return first == last ? last : first + best_index(policy, first, last - first, greater);
}
template <policy P, class It> constexpr It min_element(P policy, It first, It last) {
  return thrust::min_element(policy, first, last, thrust::less<>());
}
template <policy P, class It> constexpr It max_element(P policy, It first, It last) {
  return thrust::max_element(policy, first, last, thrust::less<>());
}
template <policy P, class It, class... Less> constexpr pair<It, It> minmax_element(P policy, It first, It last, Less... less) {
  return {thrust::min_element(policy, first, last, less...), thrust::max_element(policy, first, last, less...)};
}
THRUST_WITHOUT_POLICY(min_element)
THRUST_WITHOUT_POLICY(max_element)
THRUST_WITHOUT_POLICY(minmax_element)

template <class T> constexpr T max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> constexpr T min(const T &a, const T &b) { return b < a ? b : a; }

}  // namespace thrust
