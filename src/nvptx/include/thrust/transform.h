// Functions of the elements of one or two ranges.
#pragma once
#include "detail/each.h"

namespace thrust {

template <policy P, class In, class Out, class Function>
constexpr Out transform(P policy, In first, In last, Out out, Function function) {
  const size_t count = last - first;
  const auto in = on_device(first);
  const auto to = on_device(out);
  each(policy, count, [=] __host__ __device__(size_t index) mutable { to[index] = function(in[index]); });
  return out + count;
}
template <policy P, class A, class B, class Out, class Function>
constexpr Out transform(P policy, A first, A last, B second, Out out, Function function) {
  const size_t count = last - first;
  const auto a = on_device(first);
  const auto b = on_device(second);
  const auto to = on_device(out);
  each(policy, count, [=] __host__ __device__(size_t index) mutable { to[index] = function(a[index], b[index]); });
  return out + count;
}
THRUST_WITHOUT_POLICY(transform)

template <policy P, class In, class Stencil, class Out, class Function, class Predicate>
constexpr Out transform_if(P policy, In first, In last, Stencil stencil, Out out, Function function, Predicate accepts) {
  const size_t count = last - first;
  const auto in = on_device(first);
  const auto choice = on_device(stencil);
  const auto to = on_device(out);
  each(policy, count, [=] __host__ __device__(size_t index) mutable {
    if (accepts(choice[index])) to[index] = function(in[index]);
  });
  return out + count;
}
template <policy P, class In, class Out, class Function, class Predicate>
constexpr Out transform_if(P policy, In first, In last, Out out, Function function, Predicate accepts) {
  return thrust::transform_if(policy, first, last, first, out, function, accepts);
}
THRUST_WITHOUT_POLICY(transform_if)

}  // namespace thrust
