// Searches for the first element that satisfies a predicate.
#pragma once
#include "reduce.h"

namespace thrust {

// Returns the first index below `count` that `accepts` accepts, or `count`.
template <policy P, class Accepts> constexpr size_t first_index(P policy, size_t count, Accepts accepts) {
  if constexpr (std::is_same_v<P, host_policy>) {
    size_t index = 0;
    while (index < count && !accepts(index)) index++;
    return index;
  } else
    return reduce_indices<size_t>(
        policy, count, [=] __host__ __device__(size_t index) { return accepts(index) ? index : count; }, count,
        thrust::minimum<>());
}

template <policy P, class It, class Predicate> constexpr It find_if(P policy, It first, It last, Predicate accepts) {
  const auto in = on_device(first);
  return first + first_index(policy, last - first,
                             [=] __host__ __device__(size_t index) { return bool(accepts(in[index])); });
}
template <policy P, class It, class Predicate> constexpr It find_if_not(P policy, It first, It last, Predicate accepts) {
  return thrust::find_if(policy, first, last, not_fn(accepts));
}
template <policy P, class It, class T> constexpr It find(P policy, It first, It last, T value) {
  return thrust::find_if(policy, first, last, [=] __host__ __device__(const value_of<It> &x) { return x == value; });
}
THRUST_WITHOUT_POLICY(find_if)
THRUST_WITHOUT_POLICY(find_if_not)
THRUST_WITHOUT_POLICY(find)

template <policy P, class It, class Predicate> constexpr bool any_of(P policy, It first, It last, Predicate accepts) {
  return thrust::find_if(policy, first, last, accepts) != last;
}
template <policy P, class It, class Predicate> constexpr bool none_of(P policy, It first, It last, Predicate accepts) {
  return !thrust::any_of(policy, first, last, accepts);
}
template <policy P, class It, class Predicate> constexpr bool all_of(P policy, It first, It last, Predicate accepts) {
  return !thrust::any_of(policy, first, last, not_fn(accepts));
}
THRUST_WITHOUT_POLICY(any_of)
THRUST_WITHOUT_POLICY(none_of)
THRUST_WITHOUT_POLICY(all_of)

template <policy P, class A, class B, class Same> constexpr bool equal(P policy, A first, A last, B second, Same same) {
  const size_t count = last - first;
  const auto a = on_device(first);
  const auto b = on_device(second);
  return first_index(policy, count,
                     [=] __host__ __device__(size_t index) { return !same(a[index], b[index]); }) == count;
}
template <policy P, class A, class B> constexpr bool equal(P policy, A first, A last, B second) {
  return thrust::equal(policy, first, last, second, thrust::equal_to<>());
}
THRUST_WITHOUT_POLICY(equal)

template <policy P, class It, class Less> constexpr It is_sorted_until(P policy, It first, It last, Less less) {
  const size_t count = last - first;
  if (count < 2) return last;
  const auto in = on_device(first);
  return first + 1 + first_index(policy, count - 1, [=] __host__ __device__(size_t index) {
           return bool(less(in[index + 1], in[index]));
         });
}
template <policy P, class It> constexpr It is_sorted_until(P policy, It first, It last) {
  return thrust::is_sorted_until(policy, first, last, thrust::less<>());
}
template <policy P, class It, class... Less> constexpr bool is_sorted(P policy, It first, It last, Less... less) {
  return thrust::is_sorted_until(policy, first, last, less...) == last;
}
THRUST_WITHOUT_POLICY(is_sorted_until)
THRUST_WITHOUT_POLICY(is_sorted)

}  // namespace thrust
