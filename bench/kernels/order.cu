// Prefix sums and sorting.
static const unsigned ALL = 0xffffffffu;

__device__ unsigned warp_scan(unsigned value, unsigned lane) {
  for (int step = 1; step < 32; step <<= 1) {
    unsigned before = __shfl_up_sync(ALL, value, step);
    if (lane >= step) value += before;
  }
  return value;
}

__device__ unsigned sum_of(uint4 v) { return v.x + v.y + v.z + v.w; }

/// The published state of a tile's sum: two words, each a flag (1: its own sum, 2: the sum up to
/// its end) with one half of the value. Each word describes itself, and changes only to a higher
/// flag. So the order in which words become visible does not matter, and two blocks may publish the
/// same state.
__device__ void publish(unsigned *state, unsigned tile, unsigned flag, unsigned value) {
  atomicMax(&state[2 * tile], flag << 16 | (value & 0xffff));
  atomicMax(&state[2 * tile + 1], flag << 16 | value >> 16);
}

__device__ unsigned load_relaxed(const unsigned *from) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

static const unsigned SCAN_VECTORS = 8, SCAN_WARPS = 8, TILE_VECTORS = SCAN_VECTORS * SCAN_WARPS * 32;

/// The sum of all tiles before this one, whose own sum is `own`. One warp looks back at 32 tiles at
/// a time.
__device__ unsigned look_back(const uint4 *in, unsigned *state, unsigned tile, unsigned own, unsigned lane) {
  unsigned sum = 0;
  if (tile > 0) {
    if (lane == 0) publish(state, tile, 1, own);
    int last = (int)tile - 1;
    unsigned polls = 0;
    for (;;) {
      int at = last - (int)lane;
      // Before the first tile the sum is zero.
      unsigned low = 2u << 16, high = 2u << 16;
      if (at >= 0) {
        low = load_relaxed(&state[2 * at]);
        high = load_relaxed(&state[2 * at + 1]);
      }
      unsigned flag = low >> 16;
      bool known = flag != 0 && flag == high >> 16;
      unsigned known_lanes = __ballot_sync(ALL, known), ends = __ballot_sync(ALL, known && flag == 2);
      // Adds up to the nearest tile that knows the sum up to its end.
      unsigned needed = ends ^ (ends - 1), missing = needed & ~known_lanes;
      if (missing == 0) {
        sum += __reduce_add_sync(ALL, needed >> lane & 1 ? high << 16 | (low & 0xffff) : 0);
        if (ends != 0) break;
        last -= 32;
        polls = 0;
      } else if (++polls == 64) {
        // The other block may never run concurrently with this one, so its sum is computed here
        // too.
        unsigned other = last - (__ffs(missing) - 1), others = 0;
#pragma unroll 1
        for (unsigned i = lane; i < TILE_VECTORS; i += 32) others += sum_of(in[other * TILE_VECTORS + i]);
        publish(state, other, 1, __reduce_add_sync(ALL, others));
        polls = 0;
      }
    }
  }
  if (lane == 0) publish(state, tile, 2, sum + own);
  return sum;
}

/// Inclusive or exclusive prefix sums in one pass over memory. Blocks of 256 threads, a tile of
/// 8192 values each. `state` has two words per tile, initially zero.
extern "C" __global__ void __launch_bounds__(256) scan(const uint4 *in, uint4 *out, unsigned *state, unsigned exclusive) {
  __shared__ unsigned sums[SCAN_WARPS];
  __shared__ unsigned sum_before;
  unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, tile = blockIdx.x;
  unsigned first = tile * TILE_VECTORS + warp * (SCAN_VECTORS * 32) + lane;
  uint4 x[SCAN_VECTORS];
  unsigned before[SCAN_VECTORS], carry = 0;
#pragma unroll
  for (int i = 0; i < SCAN_VECTORS; i++) x[i] = in[first + i * 32];
#pragma unroll
  for (int i = 0; i < SCAN_VECTORS; i++) {
    unsigned own = sum_of(x[i]), upto = warp_scan(own, lane);
    before[i] = carry + upto - own;
    carry += __shfl_sync(ALL, upto, 31);
  }
  if (lane == 0) sums[warp] = carry;
  __syncthreads();
  if (warp == 0) {
    unsigned own = lane < SCAN_WARPS ? sums[lane] : 0, upto = warp_scan(own, lane);
    if (lane < SCAN_WARPS) sums[lane] = upto - own;
    unsigned sum = look_back(in, state, tile, __shfl_sync(ALL, upto, 31), lane);
    if (lane == 0) sum_before = sum;
  }
  __syncthreads();
  unsigned base = sum_before + sums[warp];
#pragma unroll
  for (int i = 0; i < SCAN_VECTORS; i++) {
    uint4 y;
    y.x = base + before[i] + x[i].x;
    y.y = y.x + x[i].y;
    y.z = y.y + x[i].z;
    y.w = y.z + x[i].w;
    if (exclusive) y = make_uint4(y.x - x[i].x, y.y - x[i].y, y.z - x[i].z, y.w - x[i].w);
    out[first + i * 32] = y;
  }
}

/// Any grid.
extern "C" __global__ void clear(unsigned *out, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 0;
}

/// Sorts each group of 32 adjacent values with a bitonic network of shuffles. Blocks of 256 threads
/// alternate over chunks of 2048 values, which divide n. Each warp interleaves eight sorts.
extern "C" __global__ void bitonic(const unsigned *in, unsigned *out, unsigned n) {
  const int SORTS = 8;
  unsigned lane = threadIdx.x & 31;
  for (unsigned base = blockIdx.x * (SORTS * 256); base < n; base += gridDim.x * (SORTS * 256)) {
    unsigned at = base + threadIdx.x, value[SORTS];
#pragma unroll
    for (int i = 0; i < SORTS; i++) value[i] = in[at + i * 256];
#pragma unroll
    for (unsigned size = 2; size <= 32; size <<= 1) {
#pragma unroll
      for (unsigned step = size >> 1; step > 0; step >>= 1) {
        bool smallest = ((lane & step) == 0) == ((lane & size) == 0);
#pragma unroll
        for (int i = 0; i < SORTS; i++) {
          unsigned other = __shfl_xor_sync(ALL, value[i], step);
          value[i] = (other < value[i]) == smallest ? other : value[i];
        }
      }
    }
#pragma unroll
    for (int i = 0; i < SORTS; i++) out[at + i * 256] = value[i];
  }
}

/// The lanes with the same eight bits, by one ballot per bit.
__device__ unsigned same_digit(unsigned digit) {
  unsigned same = ALL;
#pragma unroll
  for (int bit = 0; bit < 8; bit++) {
    bool is_set = digit >> bit & 1;
    unsigned lanes = __ballot_sync(ALL, is_set);
    same &= is_set ? lanes : ~lanes;
  }
  return same;
}

/// First step of a radix sort: counts each digit in a tile of 4096, ordered by digit and then tile.
/// Blocks of 256 threads process two adjacent tiles each.
extern "C" __global__ void __launch_bounds__(256) radix_count(const uint4 *keys, uint2 *counts, unsigned shift) {
  __shared__ unsigned local[2][256];
  uint4 four[8];
#pragma unroll
  for (int i = 0; i < 8; i++) four[i] = keys[(blockIdx.x * 8 + i) * 256 + threadIdx.x];
  local[0][threadIdx.x] = 0;
  local[1][threadIdx.x] = 0;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; i++) {
    unsigned *own = local[i / 4];
    atomicAdd(&own[four[i].x >> (shift & 31) & 255], 1);
    atomicAdd(&own[four[i].y >> (shift & 31) & 255], 1);
    atomicAdd(&own[four[i].z >> (shift & 31) & 255], 1);
    atomicAdd(&own[four[i].w >> (shift & 31) & 255], 1);
  }
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = make_uint2(local[0][threadIdx.x], local[1][threadIdx.x]);
}

/// Last step of a radix sort: `offsets` are the counts' exclusive sums. A tile is sorted in shared
/// memory, so adjacent values are stored to adjacent places.
extern "C" __global__ void __launch_bounds__(256) radix_scatter(const unsigned *keys, const unsigned *offsets, unsigned *out, unsigned shift) {
  const int WARPS = 8, ITEMS = 16;
  // Counts of digits by warp, and then the keys in order.
  __shared__ unsigned memory[WARPS * 32 * ITEMS];
  __shared__ unsigned places[256], sums[WARPS];
  unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, below = (1u << lane) - 1, *counts = memory + warp * 256;
  shift &= 31;
#pragma unroll
  for (int i = 0; i < 8; i++) counts[i * 32 + lane] = 0;
  // Adjacent values of a warp, in rounds of 32.
  unsigned first = blockIdx.x * (WARPS * 32 * ITEMS) + warp * (32 * ITEMS) + lane, key[ITEMS], rank[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; i++) key[i] = keys[first + i * 32];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    unsigned digit = key[i] >> shift & 255, same = same_digit(digit), lower = same & below, before = 0;
    if (lower == 0) before = atomicAdd(&counts[digit], __popc(same));
    // The lowest of these lanes has added.
    rank[i] = __shfl_sync(ALL, before, __popc(~same & (same - 1))) + __popc(lower);
    __syncwarp();
  }
  __syncthreads();
  // One thread per digit: the number of values before it in the tile, and in each warp.
  unsigned total = 0;
#pragma unroll
  for (int w = 0; w < WARPS; w++) {
    unsigned own = memory[w * 256 + threadIdx.x];
    memory[w * 256 + threadIdx.x] = total;
    total += own;
  }
  unsigned upto = warp_scan(total, lane);
  if (lane == 31) sums[warp] = upto;
  __syncthreads();
  unsigned before = __reduce_add_sync(ALL, lane < warp ? sums[lane] : 0) + upto - total;
#pragma unroll
  for (int w = 0; w < WARPS; w++) memory[w * 256 + threadIdx.x] += before;
  places[threadIdx.x] = offsets[threadIdx.x * gridDim.x + blockIdx.x] - before;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; i++) rank[i] += counts[key[i] >> shift & 255];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; i++) memory[rank[i]] = key[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    unsigned at = i * (WARPS * 32) + threadIdx.x, one = memory[at];
    out[places[one >> shift & 255] + at] = one;
  }
}
