// CUDA's <cooperative_groups/scan.h>: prefix sums of the values of a warp's group.
#pragma once
#include "reduce.h"

namespace cooperative_groups {

template <typename Group, typename T, typename Op>
__device__ T inclusive_scan(const Group &group, T v, Op op) {
  for (unsigned int delta = 1; delta < group.size(); delta *= 2) {
    T below = group.shfl_up(v, delta);
    if (group.thread_rank() >= delta) v = op(below, v);
  }
  return v;
}
template <typename Group, typename T>
__device__ T inclusive_scan(const Group &group, T v) { return inclusive_scan(group, v, plus<T>()); }

// The first thread has a value of zero bits, as CUDA's version has for sums.
template <typename Group, typename T, typename Op>
__device__ T exclusive_scan(const Group &group, T v, Op op) {
  T below = group.shfl_up(inclusive_scan(group, v, op), 1);
  return group.thread_rank() == 0 ? T() : below;
}
template <typename Group, typename T>
__device__ T exclusive_scan(const Group &group, T v) { return exclusive_scan(group, v, plus<T>()); }

}  // namespace cooperative_groups
