// Cooperative groups: tiles of 4 to 32 threads, coalesced groups, cg::reduce and the scans.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <int Size>
__device__ void sumOfTile(const int *in, int *out) {
  auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = cg::reduce(tile, in[i], cg::plus<int>()) * 100 + tile.meta_group_rank();
}

/// Sums over tiles of 4, 8, 16 and 32 threads.
extern "C" __global__ void cg_tile_sums(const int *in, int *out, int n) {
  sumOfTile<4>(in, out);
  sumOfTile<8>(in, out + n);
  sumOfTile<16>(in, out + 2 * n);
  sumOfTile<32>(in, out + 3 * n);
}

/// Shuffles, votes and matches of 8-thread tiles.
extern "C" __global__ void cg_tile_collectives(const int *in, int *out, int n) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  out[i] = tile.shfl(v, (tile.thread_rank() + 3) % 8);
  out[n + i] = tile.shfl_down(v, 2);
  out[2 * n + i] = tile.shfl_up(v, 1);
  out[3 * n + i] = tile.shfl_xor(v, 5);
  out[4 * n + i] = tile.ballot(v > 0);
  out[5 * n + i] = tile.any(v == 7) + 2 * tile.all(v < 9);
  out[6 * n + i] = tile.match_any(v & 3);
  tile.sync();
}

/// cg::reduce with less, greater, and the bit operators; cg::reduce on u64.
extern "C" __global__ void cg_reduce_operators(const int *in, int *out, unsigned long long *wide) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  int least = cg::reduce(warp, v, cg::less<int>()), most = cg::reduce(warp, v, cg::greater<int>());
  unsigned u = v;
  unsigned ands = cg::reduce(warp, u | 0xffu, cg::bit_and<unsigned>());
  unsigned ors = cg::reduce(warp, u & 0xff00u, cg::bit_or<unsigned>());
  unsigned xors = cg::reduce(warp, u, cg::bit_xor<unsigned>());
  out[i] = least ^ (most << 1) ^ (ands << 2) ^ (ors << 3) ^ (xors << 4);
  wide[i] = cg::reduce(warp, (unsigned long long)u * 0x100000001ull, cg::plus<unsigned long long>());
}

/// Inclusive and exclusive scans of tiles of 16, with + and with max.
extern "C" __global__ void cg_scans(const int *in, int *sums, int *before, int *highest) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = cg::inclusive_scan(tile, in[i]);
  before[i] = cg::exclusive_scan(tile, in[i], cg::plus<int>());
  highest[i] = cg::inclusive_scan(tile, in[i], cg::greater<int>());
}

/// A coalesced group of the threads that took a branch: its size, ranks and sum are added by one
/// atomic.
extern "C" __global__ void cg_coalesced_count(const int *in, int *counters, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] % 3 == 0) {
    cg::coalesced_group group = cg::coalesced_threads();
    int sum = cg::reduce(group, in[i], cg::plus<int>());
    if (group.thread_rank() == 0) {
      atomicAdd(&counters[0], (int)group.size());
      atomicAdd(&counters[1], sum);
    }
  } else {
    cg::coalesced_group group = cg::coalesced_threads();
    int most = cg::reduce(group, in[i], cg::greater<int>());
    if (group.thread_rank() == 0) {
      atomicAdd(&counters[2], (int)group.size());
      atomicMax(&counters[3], most);
    }
  }
}

/// binary_partition and labeled_partition of a tile: sizes, ranks and sums of the parts.
extern "C" __global__ void cg_partitions(const int *in, int *parity, int *labels) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  auto half = cg::binary_partition(warp, (v & 1) != 0);
  parity[i] = half.size() * 1000 + half.thread_rank();
  auto part = cg::labeled_partition(warp, v % 5);
  labels[i] = cg::reduce(part, v, cg::plus<int>()) * 64 + part.size();
}

/// A thread-block sum: block_tile reduction, block.sync, then the first warp.
extern "C" __global__ void cg_block_sum(const unsigned *in, unsigned *out, int n) {
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  __shared__ unsigned parts[32];
  unsigned sum = 0;
  for (unsigned i = block.group_index().x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size()) sum += in[i];
  sum = cg::reduce(warp, sum, cg::plus<unsigned>());
  if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = sum;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    unsigned p = warp.thread_rank() < warp.meta_group_size() ? parts[warp.thread_rank()] : 0;
    p = cg::reduce(warp, p, cg::plus<unsigned>());
    cg::invoke_one(warp, [&] { out[blockIdx.x] = p; });
  }
}
