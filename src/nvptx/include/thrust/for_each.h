// Calls of a function for each element.
#pragma once
#include "detail/each.h"

namespace thrust {

template <policy P, class It, class N, class Function>
constexpr It for_each_n(P policy, It first, N count, Function function) {
  const auto in = on_device(first);
  each(policy, count, [=] __host__ __device__(size_t index) mutable { function(in[index]); });
  return first + count;
}
template <policy P, class It, class Function> constexpr It for_each(P policy, It first, It last, Function function) {
  return thrust::for_each_n(policy, first, last - first, function);
}
THRUST_WITHOUT_POLICY(for_each_n)
THRUST_WITHOUT_POLICY(for_each)

}  // namespace thrust
