// A group whose kind is known at run time: a block, or a tile of a warp with a size from an argument.
#pragma once
#include "coalesced.h"

namespace cooperative_groups {

class thread_group {
  unsigned int lanes;  // 0: the block.

 public:
  __device__ thread_group(thread_block) : lanes(0) {}
  __device__ thread_group(const coalesced_group &group) : lanes(group.mask()) {}
  template <unsigned int Size, typename Parent>
  __device__ thread_group(const thread_block_tile<Size, Parent> &tile) : lanes(tile.mask()) {}

  __device__ void sync() const {
    if (lanes == 0) __syncthreads();
    else __syncwarp(lanes);
  }
  __device__ unsigned int size() const { return lanes == 0 ? thread_block::size() : __popc(lanes); }
  __device__ unsigned int num_threads() const { return size(); }
  __device__ unsigned int thread_rank() const {
    return lanes == 0 ? thread_block::thread_rank() : coalesced_group(lanes).thread_rank();
  }
};

__device__ inline coalesced_group tiled_partition(const thread_block &, unsigned int size) {
  unsigned int first = thread_block::thread_rank() & 31 & ~(size - 1);
  return coalesced_group(size == 32 ? 0xffffffffu : ((1u << size) - 1) << first);
}

}  // namespace cooperative_groups
