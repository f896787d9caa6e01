// Functions of the indices of a range.
#pragma once
#include "detail/each.h"
#include <algorithm>

namespace thrust {

template <policy P, class It, class Function> constexpr void tabulate(P policy, It first, It last, Function function) {
  const auto to = on_device(first);
  each(policy, last - first, [=] __host__ __device__(size_t index) mutable { to[index] = function(index); });
}
THRUST_WITHOUT_POLICY(tabulate)

template <policy P, class It, class T> constexpr void sequence(P policy, It first, It last, T start, T step) {
  const auto to = on_device(first);
  each(policy, last - first, [=] __host__ __device__(size_t index) { to[index] = start + step * T(index); });
}
template <policy P, class It, class T> constexpr void sequence(P policy, It first, It last, T start) {
  thrust::sequence(policy, first, last, start, T(1));
}
template <policy P, class It> constexpr void sequence(P policy, It first, It last) {
  thrust::sequence(policy, first, last, value_of<It>(0), value_of<It>(1));
}
THRUST_WITHOUT_POLICY(sequence)

template <policy P, class It, class N, class Function>
constexpr It generate_n(P policy, It first, N count, Function function) {
  const auto to = on_device(first);
  each(policy, count, [=] __host__ __device__(size_t index) mutable { to[index] = function(); });
  return first + count;
}
template <policy P, class It, class Function> constexpr void generate(P policy, It first, It last, Function function) {
  thrust::generate_n(policy, first, last - first, function);
}
template <class It, class Function> void generate(It first, It last, Function function) {
  // On the host, the state of the function passes from one element to the next.
  if constexpr (is_device<It>) thrust::generate(device, first, last, function);
  else std::generate(first, last, function);
}

}  // namespace thrust
