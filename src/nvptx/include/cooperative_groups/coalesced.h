// Groups of the lanes of a warp that a mask selects.
#pragma once
#include "tile.h"

namespace cooperative_groups {

class coalesced_group : public __lanewise_warp_group<coalesced_group> {
  unsigned int lanes;
  __device__ int lane_of(unsigned int rank) const { return lanes == 0xffffffffu ? (int)rank : (int)__fns(lanes, 0, rank + 1); }
  // Moves the bits of the lanes of the group together.
  __device__ unsigned int packed(unsigned int bits) const {
    unsigned int result = 0;
    for (unsigned int rank = 0; rank < size(); rank++) result |= (bits >> lane_of(rank) & 1) << rank;
    return result;
  }

 public:
  __device__ explicit coalesced_group(unsigned int lanes) : lanes(lanes) {}
  __device__ unsigned int mask() const { return lanes; }
  __device__ unsigned int size() const { return __popc(lanes); }
  __device__ unsigned int thread_rank() const {
    unsigned int below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    return __popc(lanes & below);
  }
  template <typename T>
  __device__ T shfl(T v, int rank) const { return __shfl_sync(lanes, v, lane_of((unsigned int)rank % size()), 32); }
  template <typename T>
  __device__ T shfl_up(T v, unsigned int delta) const {
    T other = __shfl_sync(lanes, v, lane_of(thread_rank() < delta ? thread_rank() : thread_rank() - delta), 32);
    return thread_rank() < delta ? v : other;
  }
  template <typename T>
  __device__ T shfl_down(T v, unsigned int delta) const {
    T other = __shfl_sync(lanes, v, lane_of(thread_rank() + delta >= size() ? thread_rank() : thread_rank() + delta), 32);
    return thread_rank() + delta >= size() ? v : other;
  }
  __device__ unsigned int ballot(int p) const { return packed(__ballot_sync(lanes, p)); }
  template <typename T>
  __device__ unsigned int match_any(T v) const { return packed(__match_any_sync(lanes, v)); }
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }


}  // namespace cooperative_groups
