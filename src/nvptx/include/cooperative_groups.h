// CUDA's cooperative groups within a block: the block, tiles of a warp and coalesced threads. A group
// over the grid needs a launch that CUDA's host library prepares, and is not part of this file.
#pragma once

namespace cooperative_groups {

class thread_block {
 public:
  static constexpr bool is_block = true;
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned int thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  __device__ static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ static unsigned int num_threads() { return size(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};
__device__ inline thread_block this_thread_block() { return {}; }

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

template <unsigned int Size, typename Parent = void>
class thread_block_tile : public __lanewise_warp_group<thread_block_tile<Size, Parent>> {
  static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  __device__ static unsigned int first() { return thread_block::thread_rank() & 31 & ~(Size - 1); }

 public:
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

template <unsigned int Size, typename Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &) { return {}; }

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

template <typename Group>
__device__ void sync(const Group &group) { group.sync(); }

}  // namespace cooperative_groups
