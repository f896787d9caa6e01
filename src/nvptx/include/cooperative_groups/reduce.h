// CUDA's <cooperative_groups/reduce.h>: reductions of the values of a warp's group.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {

template <typename T>
struct plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
  __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  __device__ T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  __device__ T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  __device__ T operator()(T a, T b) const { return a ^ b; }
};

template <unsigned int Size, typename Parent, typename T, typename Op>
__device__ T reduce(const thread_block_tile<Size, Parent> &tile, T v, Op op) {
  for (unsigned int lanes = Size / 2; lanes > 0; lanes /= 2) v = op(v, tile.shfl_xor(v, lanes));
  return v;
}
template <typename T, typename Op>
__device__ T reduce(const coalesced_group &group, T v, Op op) {
  T sum = group.shfl(v, 0);
  for (unsigned int rank = 1; rank < group.size(); rank++) sum = op(sum, group.shfl(v, rank));
  return sum;
}
}  // namespace cooperative_groups
