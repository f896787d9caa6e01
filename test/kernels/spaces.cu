// Pointers into each state space, distinguished at run time.

struct Weights {
  int factor[6];
  int bias;
};

__constant__ int table[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
__constant__ int scale = 7;
__device__ int counters[4] = {10, 20, 30, 40};

/// Returns a bit for each space that contains the address.
__device__ __noinline__ unsigned spacesOf(const void *p) {
  return __isGlobal(p) * 1 + __isShared(p) * 2 + __isLocal(p) * 4 + __isConstant(p) * 8 + __isGridConstant(p) * 16;
}

__device__ __noinline__ int readAt(const int *p) { return *p; }

/// Bits of eight pointers from memory, and the value at one of them that each thread selects.
extern "C" __global__ void spaces(const int *in, unsigned *out, const __grid_constant__ Weights weights) {
  __shared__ int cells[32];
  int own[4];
  int t = threadIdx.x;
  cells[t] = in[t];
  for (int i = 0; i < 4; i++) own[i] = in[t] * (i + 2);
  __syncthreads();
  const int *places[8] = {in + t, cells + (t ^ 1), own + (t & 3), table + t % 12, weights.factor + t % 6, counters + (t & 3), &scale, &weights.bias};
#pragma unroll 1
  for (int i = 0; i < 8; i++) out[8 * t + i] = spacesOf(places[(i + t) & 7]);
  out[256 + t] = readAt(places[(t * 5 + in[t]) & 7]);
}
