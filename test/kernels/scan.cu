// Prefix sums: a warp, a block, a segmented block, and a two-level f32 one.

/// Inclusive and exclusive sums of every 32 elements (shfl.up).
extern "C" __global__ void scan_warp(const unsigned *in, unsigned *inclusive, unsigned *exclusive, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  unsigned v = i < n ? in[i] : 0, x = v;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    unsigned y = __shfl_up_sync(0xffffffffu, x, d);
    if (lane >= d) x += y;
  }
  if (i >= n) return;
  inclusive[i] = x;
  exclusive[i] = x - v;
}

/// Exclusive sum over a block of up to 256 threads, and the block's total.
extern "C" __global__ void scan_block_exclusive(const int *in, int *out, int *totals, int n) {
  __shared__ int sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (threadIdx.x < 32) sums[threadIdx.x] = 0;
  __syncthreads();
  int v = i < n ? in[i] : 0, x = v;
  for (int d = 1; d < 32; d <<= 1) {
    int y = __shfl_up_sync(0xffffffffu, x, d);
    if (lane >= d) x += y;
  }
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  if (warp == 0) {
    int s = sums[lane];
    for (int d = 1; d < 32; d <<= 1) {
      int y = __shfl_up_sync(0xffffffffu, s, d);
      if (lane >= d) s += y;
    }
    sums[lane] = s;
  }
  __syncthreads();
  int before = warp ? sums[warp - 1] : 0;
  if (i < n) out[i] = before + x - v;
  if (threadIdx.x == 0) totals[blockIdx.x] = sums[31];
}

/// Inclusive sums that restart at each set `head`: one ballot finds the segment starts.
extern "C" __global__ void scan_segmented(const int *in, const unsigned char *head, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  bool inside = i < n;
  int v = inside ? in[i] : 0;
  bool starts = inside && head[i] != 0;
  unsigned heads = __ballot_sync(0xffffffffu, starts) | 1u;
  int first = 31 - __clz(heads & (0xffffffffu >> (31 - lane)));
  for (int d = 1; d < 32; d <<= 1) {
    int y = __shfl_up_sync(0xffffffffu, v, d);
    if (lane - d >= first) v += y;
  }
  if (inside) out[i] = v;
}

/// Running maximum of f32 values in segments of 8 lanes (shfl.up with a width).
extern "C" __global__ void scan_running_max(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  for (int d = 1; d < 8; d <<= 1) {
    float y = __shfl_up_sync(0xffffffffu, v, d, 8);
    v = fmaxf(v, y);
  }
  out[i] = v;
}
