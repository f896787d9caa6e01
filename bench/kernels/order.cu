// Prefix sums and sorting.
static const unsigned ALL = 0xffffffffu;

__device__ unsigned warp_scan(unsigned value, unsigned lane) {
  for (int step = 1; step < 32; step <<= 1) {
    unsigned before = __shfl_up_sync(ALL, value, step);
    if (lane >= step) value += before;
  }
  return value;
}

/// Inclusive sum over a block of whole warps, of which `sums` has one element each.
__device__ unsigned block_scan(unsigned value, unsigned *sums) {
  unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned sum = warp_scan(value, lane);
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    unsigned total = warp_scan(lane < blockDim.x / 32 ? sums[lane] : 0, lane);
    if (lane < blockDim.x / 32) sums[lane] = total;
  }
  __syncthreads();
  return warp > 0 ? sum + sums[warp - 1] : sum;
}

/// First of three: the sum of each tile of 2048. Blocks of 256 threads.
extern "C" __global__ void tile_sums(const unsigned *in, unsigned *sums) {
  __shared__ unsigned warps[8];
  unsigned base = blockIdx.x * 2048 + threadIdx.x, sum = 0;
  for (int i = 0; i < 8; i++) sum += in[base + i * 256];
  for (int step = 16; step > 0; step >>= 1) sum += __shfl_xor_sync(ALL, sum, step);
  if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 8; i++) sum += warps[i];
    sums[blockIdx.x] = sum;
  }
}

/// Second: exclusive sums of n values in place. One block of 1024 threads.
extern "C" __global__ void scan_sums(unsigned *sums, unsigned n) {
  __shared__ unsigned warps[32];
  unsigned each = (n + 1023) / 1024, first = threadIdx.x * each, sum = 0;
  for (unsigned i = first; i < first + each && i < n; i++) sum += sums[i];
  unsigned before = block_scan(sum, warps) - sum;
  for (unsigned i = first; i < first + each && i < n; i++) {
    unsigned value = sums[i];
    sums[i] = before;
    before += value;
  }
}

/// Third: sums of every tile of 2048, inclusive, or exclusive. Blocks of 256 threads, 8 neighbouring values each.
extern "C" __global__ void scan_tiles(const uint4 *in, const unsigned *sums, uint4 *out, unsigned exclusive) {
  __shared__ unsigned warps[8];
  unsigned at = (blockIdx.x * 256 + threadIdx.x) * 2;
  uint4 x = in[at], y = in[at + 1];
  unsigned total = x.x + x.y + x.z + x.w + y.x + y.y + y.z + y.w;
  unsigned sum = block_scan(total, warps) - total + sums[blockIdx.x];
  uint4 a, b;
  a.x = sum + x.x;
  a.y = a.x + x.y;
  a.z = a.y + x.z;
  a.w = a.z + x.w;
  b.x = a.w + y.x;
  b.y = b.x + y.y;
  b.z = b.y + y.z;
  b.w = b.z + y.w;
  if (exclusive) {
    a = make_uint4(a.x - x.x, a.y - x.y, a.z - x.z, a.w - x.w);
    b = make_uint4(b.x - y.x, b.y - y.y, b.z - y.z, b.w - y.w);
  }
  out[at] = a;
  out[at + 1] = b;
}

/// Sorts each 32 neighbours: a bitonic network of shuffles. Any grid.
extern "C" __global__ void bitonic(const unsigned *in, unsigned *out, unsigned n) {
  unsigned lane = threadIdx.x & 31;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned value = in[i];
#pragma unroll
    for (unsigned size = 2; size <= 32; size <<= 1) {
#pragma unroll
      for (unsigned step = size >> 1; step > 0; step >>= 1) {
        unsigned other = __shfl_xor_sync(ALL, value, step);
        bool smallest = ((lane & step) == 0) == ((lane & size) == 0);
        value = smallest ? min(value, other) : max(value, other);
      }
    }
    out[i] = value;
  }
}

/// Radix sort, first: how often each digit occurs in a tile of 4096, by digit and then tile. Blocks of 256 threads.
extern "C" __global__ void radix_count(const unsigned *keys, unsigned *counts, unsigned shift) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  unsigned base = blockIdx.x * 4096 + threadIdx.x;
  for (int i = 0; i < 16; i++) atomicAdd(&local[(keys[base + i * 256] >> shift) & 255], 1);
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

/// Radix sort, last: `offsets` are the counts' exclusive sums. Each warp ranks 512 neighbours, with one match for 32 keys.
extern "C" __global__ void radix_scatter(const unsigned *keys, const unsigned *offsets, unsigned *out, unsigned shift) {
  __shared__ unsigned local[8][256];
  unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int w = 0; w < 8; w++) local[w][threadIdx.x] = 0;
  unsigned base = blockIdx.x * 4096 + warp * 512 + lane;
  unsigned key[16], rank[16];
#pragma unroll
  for (int i = 0; i < 16; i++) key[i] = keys[base + i * 32];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 16; i++) {
    unsigned digit = (key[i] >> shift) & 255;
    unsigned same = __match_any_sync(ALL, digit);
    unsigned leader = __ffs(same) - 1, before = 0;
    if (lane == leader) {
      before = local[warp][digit];
      local[warp][digit] = before + __popc(same);
    }
    __syncwarp();
    rank[i] = __shfl_sync(ALL, before, leader) + __popc(same & ((1u << lane) - 1));
  }
  __syncthreads();
  unsigned sum = offsets[threadIdx.x * gridDim.x + blockIdx.x];
  for (int w = 0; w < 8; w++) {
    unsigned count = local[w][threadIdx.x];
    local[w][threadIdx.x] = sum;
    sum += count;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 16; i++) out[local[warp][(key[i] >> shift) & 255] + rank[i]] = key[i];
}
