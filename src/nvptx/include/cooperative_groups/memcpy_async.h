// CUDA's <cooperative_groups/memcpy_async.h>: copies to shared memory by all threads of a group.
#pragma once
#include "../cooperative_groups.h"
#include "../async_copies.h"

namespace cooperative_groups {

template <typename Group, typename T, typename Size>
__device__ void memcpy_async(const Group &group, T *to, const T *from, Size bytes) {
  lanewise::copy_together(group, to, from, bytes);
  asm volatile("cp.async.commit_group;" : : : "memory");
}
template <unsigned int Stages, typename Group>
__device__ void wait_prior(const Group &group) {
  asm volatile("cp.async.wait_group %0;" : : "n"(Stages) : "memory");
  group.sync();
}
template <typename Group>
__device__ void wait(const Group &group) { wait_prior<0>(group); }

}  // namespace cooperative_groups
