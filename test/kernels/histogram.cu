// Histograms and match-aggregated atomics.

/// Byte histogram: per-block bins in shared memory, flushed with global atomics.
extern "C" __global__ void histogram_shared(const unsigned char *in, unsigned *bins, int n) {
  __shared__ unsigned local[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (local[b]) atomicAdd(&bins[b], local[b]);
}

/// A histogram in which the lanes of one bin elect a leader (match.any) that adds for all of them.
extern "C" __global__ void histogram_match(const int *in, unsigned *bins, int n, int binCount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned live = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  unsigned bin = (unsigned)in[i] % (unsigned)binCount;
  unsigned peers = __match_any_sync(live, bin);
  if (lane == __ffs(peers) - 1) atomicAdd(&bins[bin], __popc(peers));
}

/// Sums of values by key: a shuffle loop over the match mask combines equal keys, with one atomic
/// per group.
extern "C" __global__ void aggregate_by_key(const unsigned long long *keys, const int *values, int *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool inside = i < n;
  unsigned live = __ballot_sync(0xffffffffu, inside);
  if (!inside) return;
  unsigned long long key = keys[i];
  int value = values[i];
  unsigned peers = __match_any_sync(live, key);
  int sum = 0;
  for (unsigned rest = peers; __any_sync(live, rest != 0);) {
    int from = rest ? __ffs(rest) - 1 : lane;
    int v = __shfl_sync(live, value, from);
    if (rest) sum += v;
    rest &= rest - 1;
  }
  if (lane == __ffs(peers) - 1) atomicAdd(&sums[(int)(key >> 40) & 15], sum);
}

/// If a warp agrees (match.all), its value and the predicate; otherwise zero.
extern "C" __global__ void agree_all(const int *in, int *value, int *agreed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned live = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  int same;
  unsigned mask = __match_all_sync(live, in[i], &same);
  value[i] = same ? in[i] : 0;
  agreed[i] = (int)(mask ^ (same ? 0x5a5a5a5au : 0u));
}
