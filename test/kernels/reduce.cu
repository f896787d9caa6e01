// Reductions: over a warp, a block and a grid; by shuffles, by shared memory and by redux.sync.

/// The sum of each block's elements: shfl.down inside the warps, shared memory between them.
extern "C" __global__ void reduce_block_sum(const int *in, int *out, int n) {
  __shared__ int partial[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int warps = (blockDim.x + 31) >> 5;
  int v = i < n ? in[i] : 0;
  // A partial last warp has fewer lanes, so the mask names only those.
  int rest = blockDim.x - warp * 32;
  unsigned live = rest >= 32 ? 0xffffffffu : (1u << rest) - 1;
  for (int d = 16; d > 0; d >>= 1) {
    int other = __shfl_down_sync(live, v, d);
    if (lane + d < min(rest, 32)) v += other;
  }
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int w = 0; w < warps; w++) sum += partial[w];
    out[blockIdx.x] = sum;
  }
}

/// Whole-array sum and xor: a grid-stride loop, then one atomic of each kind per warp.
extern "C" __global__ void reduce_grid_stride(const unsigned *in, unsigned *sumAndXor, int n) {
  unsigned sum = 0, bits = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
    bits ^= in[i];
  }
  for (int m = 16; m > 0; m >>= 1) {
    sum += __shfl_xor_sync(0xffffffffu, sum, m);
    bits ^= __shfl_xor_sync(0xffffffffu, bits, m);
  }
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(&sumAndXor[0], sum);
    atomicXor(&sumAndXor[1], bits);
  }
}

/// The largest value of each warp's 32 elements and its first index, in every lane.
extern "C" __global__ void reduce_argmax_bfly(const float *in, float *best, int *where, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : -3.0e38f;
  int at = i;
#pragma unroll
  for (int m = 16; m > 0; m >>= 1) {
    float ov = __shfl_xor_sync(0xffffffffu, v, m);
    int oat = __shfl_xor_sync(0xffffffffu, at, m);
    if (ov > v || (ov == v && oat < at)) {
      v = ov;
      at = oat;
    }
  }
  best[i] = v;
  where[i] = at;
}

/// redux.sync of every integer kind over the whole warp and over the even and the odd lanes.
extern "C" __global__ void reduce_redux(const int *in, int *out) {
  int lane = threadIdx.x;
  int v = in[blockIdx.x * 32 + lane];
  unsigned half = lane & 1 ? 0xaaaaaaaau : 0x55555555u;
  int *o = out + blockIdx.x * 32 * 8 + lane;
  o[0 * 32] = __reduce_add_sync(0xffffffffu, v);
  o[1 * 32] = __reduce_min_sync(0xffffffffu, v);
  o[2 * 32] = __reduce_max_sync(0xffffffffu, v);
  o[3 * 32] = __reduce_max_sync(0xffffffffu, (unsigned)v);
  o[4 * 32] = __reduce_and_sync(half, (unsigned)v);
  o[5 * 32] = __reduce_or_sync(half, (unsigned)v & 0xf0f0u);
  o[6 * 32] = __reduce_xor_sync(half, (unsigned)v);
  o[7 * 32] = __reduce_min_sync(half, (unsigned)v);
}

/// An f32 sum by a fixed tree in shared memory: the order of additions is the same on every
/// machine.
extern "C" __global__ void reduce_float_tree(const float *in, float *out, int n) {
  extern __shared__ float tree[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x * 2 + t;
  float a = i < n ? in[i] : 0.0f;
  float b = i + blockDim.x < n ? in[i + blockDim.x] : 0.0f;
  tree[t] = a + b;
  __syncthreads();
  for (int s = blockDim.x / 2; s >= 32; s >>= 1) {
    if (t < s) tree[t] += tree[t + s];
    __syncthreads();
  }
  if (t < 32) {
    float v = tree[t];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (t == 0) out[blockIdx.x] = v;
  }
}
