// Sorting: bitonic networks by shuffles and in shared memory, LSD radix by ballots, odd-even, ranks.

/// Each warp sorts its 32 keys, ascending, with a bitonic network of shfl.bfly.
extern "C" __global__ void sort_bitonic_warp(const unsigned *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  unsigned key = in[i];
#pragma unroll
  for (int size = 2; size <= 32; size <<= 1)
#pragma unroll
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      unsigned other = __shfl_xor_sync(0xffffffffu, key, stride);
      bool up = (lane & size) == 0, low = (lane & stride) == 0;
      key = (up == low) ? min(key, other) : max(key, other);
    }
  out[i] = key;
}

/// One block sorts n <= 2 * blockDim.x (a power of two) key/value pairs in shared memory.
extern "C" __global__ void sort_bitonic_block(const int *keys, const int *values, int *keysOut, int *valuesOut, int n) {
  __shared__ int k[256], v[256];
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    k[i] = keys[i];
    v[i] = values[i];
  }
  for (int size = 2; size <= n; size <<= 1)
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      __syncthreads();
      for (int t = threadIdx.x; t < n / 2; t += blockDim.x) {
        int lo = 2 * t - (t & (stride - 1)), hi = lo + stride;
        bool up = (lo & size) == 0;
        if ((k[lo] > k[hi]) == up) {
          int tk = k[lo], tv = v[lo];
          k[lo] = k[hi], v[lo] = v[hi];
          k[hi] = tk, v[hi] = tv;
        }
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    keysOut[i] = k[i];
    valuesOut[i] = v[i];
  }
}

/// Each warp sorts 32 keys of `bits` bits by stable one-bit splits, with one ballot per bit.
extern "C" __global__ void sort_radix_ballot(const unsigned *in, unsigned *out, unsigned *order, int bits) {
  int base = blockIdx.x * blockDim.x + (threadIdx.x & ~31), lane = threadIdx.x & 31;
  unsigned key = in[base + lane], from = lane;
  unsigned below = (1u << lane) - 1;
  for (int b = 0; b < bits; b++) {
    unsigned ones = __ballot_sync(0xffffffffu, (key >> b) & 1);
    int zeros = 32 - __popc(ones);
    int to = (key >> b) & 1 ? zeros + __popc(ones & below) : __popc(~ones & below);
    // The lane `to` must receive this lane's key. Inverting the permutation finds the lane that
    // sends to this one.
    unsigned sender = 0;
    for (int j = 0; j < 32; j++)
      if (__shfl_sync(0xffffffffu, to, j) == lane) sender = j;
    key = __shfl_sync(0xffffffffu, key, sender);
    from = __shfl_sync(0xffffffffu, from, sender);
  }
  out[base + lane] = key;
  order[base + lane] = from;
}

/// A block sorts n <= blockDim.x keys by counting the smaller ones (ties by index).
extern "C" __global__ void sort_by_rank(const float *in, float *out, int n) {
  extern __shared__ float keys[];
  int t = threadIdx.x;
  if (t < n) keys[t] = in[blockIdx.x * n + t];
  __syncthreads();
  if (t >= n) return;
  int rank = 0;
  for (int j = 0; j < n; j++) rank += keys[j] < keys[t] || (keys[j] == keys[t] && j < t);
  out[blockIdx.x * n + rank] = keys[t];
}

/// Odd-even transposition on the lanes of a warp, until a ballot reports no swap.
extern "C" __global__ void sort_odd_even(const short *in, short *out, int *rounds) {
  int i = blockIdx.x * 32 + threadIdx.x, lane = threadIdx.x;
  int v = in[i];
  int round = 0, quiet = 0;
  while (quiet < 2) {
    int partner = (lane + round) & 1 ? lane - 1 : lane + 1;
    bool paired = partner >= 0 && partner < 32;
    int other = __shfl_sync(0xffffffffu, v, paired ? partner : lane);
    int next = partner > lane ? min(v, other) : max(v, other);
    if (!paired) next = v;
    quiet = __any_sync(0xffffffffu, next != v) ? 0 : quiet + 1;
    v = next;
    round++;
  }
  out[i] = (short)v;
  if (lane == 0) rounds[blockIdx.x] = round;
}
