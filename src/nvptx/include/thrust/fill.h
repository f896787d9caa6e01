// Ranges of equal values.
#pragma once
#include "detail/each.h"

namespace thrust {

template <policy P, class It, class N, class T> constexpr It fill_n(P policy, It first, N count, T value) {
  const auto to = on_device(first);
  each(policy, count, [=] __host__ __device__(size_t index) { to[index] = value; });
  return first + count;
}
template <policy P, class It, class T> constexpr void fill(P policy, It first, It last, T value) {
  thrust::fill_n(policy, first, last - first, value);
}
THRUST_WITHOUT_POLICY(fill_n)
THRUST_WITHOUT_POLICY(fill)
template <class... Args> constexpr auto uninitialized_fill(Args... args) { return thrust::fill(args...); }
template <class... Args> constexpr auto uninitialized_fill_n(Args... args) { return thrust::fill_n(args...); }

}  // namespace thrust
