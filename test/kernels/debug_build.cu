// Built with -G: no optimization, every variable in local memory, debug sections in the PTX.

struct Accumulator {
  int sum;
  unsigned bits;
  __device__ void add(int v) {
    sum += v;
    bits |= 1u << (v & 31);
  }
};

__device__ int warpSum(int v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

/// A class, a called function and a loop.
extern "C" __global__ void debug_reduce(const int *in, int *sums, unsigned *bits, int n) {
  Accumulator a = {0, 0};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) a.add(in[i]);
  int total = warpSum(a.sum);
  unsigned seen = a.bits;
  for (int m = 1; m < 32; m *= 2) seen |= __shfl_xor_sync(0xffffffffu, seen, m);
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) {
    sums[warp] = total;
    bits[warp] = seen;
  }
}

/// Shared memory, a ternary and short-circuit conditions, unoptimized.
extern "C" __global__ void debug_shared(const float *in, float *out, int n) {
  __shared__ float line[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  line[threadIdx.x] = i < n ? in[i] : -1.0f;
  __syncthreads();
  float left = threadIdx.x > 0 ? line[threadIdx.x - 1] : 0.0f;
  bool peak = left < line[threadIdx.x] && (threadIdx.x + 1 >= blockDim.x || line[threadIdx.x + 1] < line[threadIdx.x]);
  if (i < n) out[i] = peak ? line[threadIdx.x] : -left;
}
