// Tiles: groups of 1 to 32 threads of a warp, or of several warps.
#pragma once
#include "block.h"

namespace cooperative_groups {

// The warp functions of a group. Ranks count within the group, `mask` has a bit for each lane.
template <typename Group>
class __lanewise_warp_group {
  __device__ const Group &self() const { return *static_cast<const Group *>(this); }

 public:
  __device__ void sync() const { __syncwarp(self().mask()); }
  __device__ unsigned int num_threads() const { return self().size(); }
  __device__ int any(int p) const { return __any_sync(self().mask(), p); }
  __device__ int all(int p) const { return __all_sync(self().mask(), p); }
};

template <unsigned int Size, typename Parent = void, bool IsWarp = Size <= 32>
class thread_block_tile : public __lanewise_warp_group<thread_block_tile<Size, Parent>> {
  __device__ static unsigned int first() { return thread_block::thread_rank() & 31 & ~(Size - 1); }

 public:
  thread_block_tile() = default;
  template <typename Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other> &) {}
  __device__ static constexpr unsigned int size() { return Size; }
  __device__ static unsigned int thread_rank() { return thread_block::thread_rank() & (Size - 1); }
  __device__ static unsigned int meta_group_rank() { return thread_block::thread_rank() / Size; }
  __device__ static unsigned int meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
  __device__ static unsigned int mask() { return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1) << first(); }
  template <typename T>
  __device__ T shfl(T v, int rank) const { return __shfl_sync(mask(), v, rank, Size); }
  template <typename T>
  __device__ T shfl_up(T v, unsigned int delta) const { return __shfl_up_sync(mask(), v, delta, Size); }
  template <typename T>
  __device__ T shfl_down(T v, unsigned int delta) const { return __shfl_down_sync(mask(), v, delta, Size); }
  template <typename T>
  __device__ T shfl_xor(T v, unsigned int lanes) const { return __shfl_xor_sync(mask(), v, lanes, Size); }
  __device__ unsigned int ballot(int p) const { return __ballot_sync(mask(), p) >> first() & (mask() >> first()); }
  template <typename T>
  __device__ unsigned int match_any(T v) const { return __match_any_sync(mask(), v) >> first(); }
  template <typename T>
  __device__ unsigned int match_all(T v, int &all) const { return __match_all_sync(mask(), v, &all) >> first(); }
};

// A tile of several warps has ranks, and no collectives.
template <unsigned int Size, typename Parent>
class thread_block_tile<Size, Parent, false> {
 public:
  __device__ static constexpr unsigned int size() { return Size; }
  __device__ static constexpr unsigned int num_threads() { return Size; }
  __device__ static unsigned int thread_rank() { return thread_block::thread_rank() & (Size - 1); }
  __device__ static unsigned int meta_group_rank() { return thread_block::thread_rank() / Size; }
  __device__ static unsigned int meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
};

template <unsigned int Size, typename Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &) { return {}; }

}  // namespace cooperative_groups
