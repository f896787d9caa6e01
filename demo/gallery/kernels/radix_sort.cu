// A radix sort by four bits at a time: blocks count digits, one block adds the counts up, and blocks put each key in its place. Lanes find those with
// the same digit by ballots, so that equal digits keep their order.

constexpr unsigned all_lanes = 0xffffffffu;
constexpr int digits = 16;
constexpr int warps = 8;
constexpr int rows = 8;
/// Keys of a block.
constexpr int keys_per_block = rows * 256;

/// Lanes of the warp whose digit is the same; none that have no key.
__device__ __forceinline__ unsigned alike(int digit, bool has_key) {
  unsigned found = __ballot_sync(all_lanes, has_key);
  for (int bit = 0; bit < 4; bit++) {
    unsigned set = __ballot_sync(all_lanes, digit >> bit & 1);
    found &= digit >> bit & 1 ? set : ~set;
  }
  return found;
}

/// counts: by digit, then by block.
extern "C" __global__ void count_digits(int count, int shift, const unsigned *keys, unsigned *counts) {
  __shared__ unsigned found[warps][digits];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  if (lane < digits) found[warp][lane] = 0;
  __syncwarp();
  for (int row = 0; row < rows; row++) {
    int i = blockIdx.x * keys_per_block + row * 256 + threadIdx.x;
    int digit = i < count ? keys[i] >> shift & 15 : 0;
    unsigned same = alike(digit, i < count);
    if (i < count && __ffs(same) - 1 == lane) found[warp][digit] += __popc(same);
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x >= digits) return;
  unsigned sum = 0;
  for (int other = 0; other < warps; other++) sum += found[other][threadIdx.x];
  counts[threadIdx.x * gridDim.x + blockIdx.x] = sum;
}

/// One block of 256 threads: each count becomes the sum of those in front of it.
extern "C" __global__ void add_up(int count, unsigned *counts) {
  __shared__ unsigned sums[warps];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  unsigned before = 0;
  for (int base = 0; base < count; base += 256) {
    int i = base + threadIdx.x;
    unsigned own = i < count ? counts[i] : 0;
    unsigned until = own;
    for (int step = 1; step < 32; step <<= 1) {
      unsigned other = __shfl_up_sync(all_lanes, until, step);
      if (lane >= step) until += other;
    }
    if (lane == 31) sums[warp] = until;
    __syncthreads();
    unsigned all = 0;
    for (int other = 0; other < warps; other++) {
      if (other == warp) until += all;
      all += sums[other];
    }
    if (i < count) counts[i] = before + until - own;
    before += all;
    __syncthreads();
  }
}

extern "C" __global__ void put_in_place(int count, int shift, const unsigned *keys, const unsigned *starts, unsigned *to) {
  __shared__ unsigned next[digits];
  __shared__ unsigned found[warps][digits];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  if (threadIdx.x < digits) next[threadIdx.x] = starts[threadIdx.x * gridDim.x + blockIdx.x];
  for (int row = 0; row < rows; row++) {
    int i = blockIdx.x * keys_per_block + row * 256 + threadIdx.x;
    unsigned key = i < count ? keys[i] : 0;
    int digit = key >> shift & 15;
    unsigned same = alike(digit, i < count);
    if (lane < digits) found[warp][lane] = 0;
    __syncwarp();
    if (i < count && __ffs(same) - 1 == lane) found[warp][digit] = __popc(same);
    __syncthreads();
    unsigned place = next[digit] + __popc(same & ((1u << lane) - 1));
    for (int other = 0; other < warp; other++) place += found[other][digit];
    if (i < count) to[place] = key;
    __syncthreads();
    if (threadIdx.x < digits) {
      unsigned sum = 0;
      for (int other = 0; other < warps; other++) sum += found[other][threadIdx.x];
      next[threadIdx.x] += sum;
    }
    __syncthreads();
  }
}
