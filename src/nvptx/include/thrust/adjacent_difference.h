// The differences of neighboring elements. The first result is the first element.
#pragma once
#include "detail/each.h"
#include "functional.h"

namespace thrust {

template <policy P, class In, class Out, class Op = thrust::minus<>>
constexpr Out adjacent_difference(P policy, In first, In last, Out out, Op op = {}) {
  const size_t count = last - first;
  const auto in = on_device(first);
  const auto to = on_device(out);
  each(policy, count, [=] __host__ __device__(size_t index) {
    if (index == 0) to[index] = in[index];
    else to[index] = op(in[index], in[index - 1]);
  });
  return out + count;
}
THRUST_WITHOUT_POLICY(adjacent_difference)

}  // namespace thrust
