// Built with -ftz=true: denormal operands and results become zero, which the results show.

#define EXACT(value) exact[(row++) * n + i] = (value)

/// Arithmetic around the smallest normal number, exact to the bit.
extern "C" __global__ void flush_arithmetic(const float *a, const float *b, float *exact, int *flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
  if (i >= n) return;
  float x = a[i], y = b[i];
  EXACT(x + y);
  EXACT(x - y);
  EXACT(x * y);
  EXACT(fmaf(x, y, x));
  EXACT(fminf(x, y));
  EXACT(fmaxf(x, y));
  EXACT(fabsf(x));
  EXACT(__fsqrt_rn(fabsf(y)));
  EXACT(__fdiv_rn(x, y));
  EXACT(__frcp_rn(y));
  flags[i] = (x == y) | (x < y) << 1 | (x == 0.0f) << 2 | (int)(ceilf(x) * 8);
}

/// Moves, shuffles and selections keep every bit, even of denormals. Only arithmetic flushes.
extern "C" __global__ void flush_moves(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  float v = in[i];
  float next = __shfl_sync(0xffffffffu, v, (lane + 1) & 31);
  out[2 * i] = lane & 1 ? v : next;
  out[2 * i + 1] = next + 0.0f;
}
