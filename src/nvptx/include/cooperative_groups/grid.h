// The group of all threads of a cooperative launch.
#pragma once
#include "block.h"

namespace cooperative_groups {

class grid_group {
  // The CUDA driver passes the address of the grid's barrier in two registers. The barrier is the second
  // word there.
  __device__ static unsigned int *barrier() {
    unsigned int high, low;
    asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
    return (unsigned int *)((unsigned long long)high << 32 | low) + 1;
  }

 public:
  __device__ static bool is_valid() { return barrier() != (unsigned int *)4; }
  __device__ static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  __device__ static unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  __device__ static unsigned long long size() { return num_blocks() * thread_block::size(); }
  __device__ static unsigned long long num_threads() { return size(); }
  __device__ static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ static dim3 dim_blocks() { return group_dim(); }
  __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }

  // Each block adds one, and the first block adds what is missing to 2^31: the sum of a round changes the
  // highest bit when the last block arrives.
  __device__ static void sync() {
    unsigned int *word = barrier();
    if (word == (unsigned int *)4) __trap();
    asm volatile("barrier.sync 0;" : : : "memory");
    if (thread_block::thread_rank() == 0) {
      bool isFirst = block_rank() == 0;
      unsigned int added = isFirst ? 0x80000001u - (unsigned int)num_blocks() : 1;
      unsigned int before, now;
      asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(before) : "l"(word), "r"(added) : "memory");
      do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
      while (((before ^ now) & 0x80000000u) == 0);
    }
    asm volatile("barrier.sync 0;" : : : "memory");
  }
};
__device__ inline grid_group this_grid() { return {}; }

}  // namespace cooperative_groups
