// Calls of device functions that are not inlined.

struct Pair {
  int a;
  float b;
};

struct Complex {
  float re, im;
};

__device__ __noinline__ int clampTo(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

__device__ __noinline__ int warpTotal(int v, unsigned mask) {
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(mask, v, m);
  return v;
}

__device__ __noinline__ Complex multiply(Complex x, Complex y) {
  // Each operation rounds separately, because ptxas may contract plain products and sums.
  return {__fsub_rn(__fmul_rn(x.re, y.re), __fmul_rn(x.im, y.im)), __fadd_rn(__fmul_rn(x.re, y.im), __fmul_rn(x.im, y.re))};
}

__device__ __noinline__ void bump(int *where, int by) { *where += by; }

__device__ __noinline__ unsigned long long mix(unsigned long long v, unsigned char salt, short bias) {
  v = (v ^ (v >> 29)) * 0x9fb21c651e98df25ull + salt;
  return v + bias;
}

__device__ __noinline__ Pair best(Pair x, Pair y) { return y.b > x.b ? y : x; }

/// A function that divergent lanes call, and a warp-wide one that all lanes call.
extern "C" __global__ void calls_scalar(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  if (v & 1) v = clampTo(v, -50, 50);
  out[i] = v + warpTotal(v, 0xffffffffu);
}

/// Structs as parameters and results of functions: powers of a complex number.
extern "C" __global__ void calls_struct(const Complex *in, Complex *out, int power) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Complex z = in[i], r = {1.0f, 0.0f};
  for (int k = 0; k < power; k++) r = multiply(r, z);
  out[i] = r;
}

/// One function with generic pointers to shared, global and local memory.
extern "C" __global__ void calls_pointer(int *global, int *out) {
  __shared__ int shared[64];
  int local[4] = {1, 2, 3, 4};
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  shared[t] = t;
  int *where = t % 3 == 0 ? &shared[t] : t % 3 == 1 ? &global[i] : &local[t & 3];
  bump(where, 1000 + t);
  bump(&local[1], t);
  __syncthreads();
  out[i] = shared[63 - t] + local[1] * 3 + local[t & 3];
}

/// 8-, 16- and 64-bit arguments.
extern "C" __global__ void calls_wide(const unsigned long long *in, unsigned long long *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long v = in[i];
  for (int k = 0; k < 3; k++) v = mix(v, (unsigned char)(v >> 56), (short)-k);
  out[i] = v;
}

/// A reduction whose operator is a called function on pairs.
extern "C" __global__ void calls_argmax(const float *in, int *where, float *most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Pair p = {i, in[i]};
  for (int d = 16; d > 0; d >>= 1) {
    Pair o = {__shfl_down_sync(0xffffffffu, p.a, d), __shfl_down_sync(0xffffffffu, p.b, d)};
    p = best(p, o);
  }
  if ((threadIdx.x & 31) == 0) {
    where[i >> 5] = p.a;
    most[i >> 5] = p.b;
  }
}
