// State spaces, widths and addresses.

#define CHECKED_COUNT 4

__constant__ int weights[8] = {3, -1, 4, 1, -5, 9, 2, -6};
__constant__ unsigned char letters[] = "hexadecimal: 0123456789abcdef";
__device__ int counter = 40;
__device__ unsigned short ramp[6] = {10, 20, 30, 40, 50, 65535};
__device__ int scratch[256];
__device__ float4 origin = {0.5f, -1.5f, 2.5f, -3.5f};

struct Config {
  int scale;
  short offset[3];
  unsigned char flags;
  float gain;
  long long big;
};

/// Constant tables with dynamic indices, and module variables with initializers.
extern "C" __global__ void memory_module(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[i & 255] = i * 5;
  if (i >= n) return;
  int v = weights[i & 7] * ramp[i % 6] + letters[13 + (i & 15)];
  int old = atomicAdd(&counter, 2);
  out[i] = v + (old >= 40 && old < 40 + 2 * n && old % 2 == 0) + scratch[i & 255] + (int)(i & 1 ? origin.x * 8 : origin.w * 8);
}

/// A variable does not keep the value of the previous kernel: modules start with their initial
/// values.
extern "C" __global__ void memory_counter(int *out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, atomicAdd(&counter, 1));
  __syncthreads();
  // 40 + 41 + ..., in any order of threads.
  if (threadIdx.x == 0) out[0] = total;
}

/// A struct by value: fields of several widths, and an array indexed by the thread.
extern "C" __global__ void memory_struct(Config c, const int *in, int *out, long long *wide) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i] * c.scale + c.offset[i % 3];
  if (c.flags & (1 << (i & 7))) v = -v;
  out[i] = v + (int)(c.gain * 4.0f);
  wide[i] = c.big * v;
}

/// 8- and 16-bit loads and stores, signed and unsigned. Adjacent elements belong to other threads.
extern "C" __global__ void memory_narrow(const signed char *a, const unsigned char *b, const short *c, const unsigned short *d,
                                         signed char *bytes, short *halves, int *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int s = a[i] + b[i] - c[i] + d[i];
  bytes[i] = (signed char)(a[i] * 3 - b[i]);
  halves[i] = (short)(c[i] ^ d[i]);
  sums[i] = s;
}

/// Loads and stores of 8- and 16-byte vectors, also of a neighbor's vector.
extern "C" __global__ void memory_vectors(const float4 *f, const uint2 *u, const longlong2 *w, float2 *outF, uint4 *outU, longlong2 *outW) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 x = f[i];
  uint2 y = u[i], y2 = u[i ^ 1];
  longlong2 l = w[i];
  outF[i] = make_float2(x.x + x.y, x.z * x.w);
  outU[i] = make_uint4(y.x, y2.y, y.y ^ y2.x, i);
  outW[i] = make_longlong2(l.y - l.x, l.x ^ ((long long)i << 33));
}

/// Vectors of bytes and half words.
extern "C" __global__ void memory_small_vectors(const short4 *h, const uchar4 *b, short2 *outH, uchar4 *outB) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  short4 z = h[i];
  uchar4 q = b[i];
  outH[i] = make_short2(z.x - z.w, z.y + z.z);
  outB[i] = make_uchar4(q.w, q.z, q.y + 1, q.x - 1);
}

/// A local array, written and read with indices known only at run time.
extern "C" __global__ void memory_local(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int bucket[10];
  for (int k = 0; k < 10; k++) bucket[k] = k * k;
  for (int k = 0; k < 20; k++) bucket[(in[i] + k * k) % 10] += in[(i + k) % n];
  int best = 0;
  for (int k = 1; k < 10; k++)
    if (bucket[k] > bucket[best]) best = k;
  out[i] = bucket[best] * 16 + best;
}

/// Static and dynamic shared memory together, with mixed types in one block of bytes.
extern "C" __global__ void memory_shared(const unsigned *in, unsigned *out) {
  __shared__ unsigned short halves[64];
  extern __shared__ __align__(16) unsigned char bytes[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  unsigned *words = (unsigned *)(bytes + 64);
  bytes[t] = (unsigned char)in[i];
  halves[t] = (unsigned short)(in[i] >> 8);
  words[t] = in[i] >> 24;
  __syncthreads();
  int r = blockDim.x - 1 - t;
  out[i] = bytes[r] | halves[(r + 1) % blockDim.x] << 8 | words[(r + 2) % blockDim.x] << 24;
}

/// Read-only (ld.global.nc), volatile and cache-hinted accesses, and fences.
extern "C" __global__ void memory_hints(const int *__restrict__ in, int *__restrict__ out, volatile int *box) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = __ldg(&in[i]) + __ldcs(&in[i ^ 1]) + __ldcg(&in[i ^ 2]);
  box[i] = v;
  __threadfence_block();
  int w = box[i];
  __threadfence();
  __stcs(&out[i], w * 2);
}

/// Pointer arithmetic: negative offsets, odd strides, a pointer carried through a loop.
extern "C" __global__ void memory_pointers(const unsigned char *in, unsigned *out, int stride, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char *p = in + i, *end = p + stride * count;
  unsigned h = 0;
  for (; p != end; p += stride) h = h * 33 + *p;
  const unsigned char *q = end - stride;
  out[i] = h * 256 + q[-1 * (stride - 1)] + (unsigned)((end - p) + (p - q));
}

/// A guard that traps if an index is out of bounds, which it never is.
extern "C" __global__ void memory_checked(const unsigned *at, const unsigned *table, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned k = at[i];
  if (k >= CHECKED_COUNT) __trap();
  out[i] = table[k] + k;
}

__device__ __noinline__ unsigned whichSpace(const void *p) {
  return __isShared(p) * 1 + __isGlobal(p) * 2 + __isLocal(p) * 4 + __isConstant(p) * 8;
}

/// isspacep of pointers into each space.
extern "C" __global__ void memory_spaces(unsigned *out) {
  __shared__ int s[1];
  int l[2] = {1, 2};
  s[0] = 0;
  out[threadIdx.x] = whichSpace(s) | whichSpace(out) << 4 | whichSpace(&l[threadIdx.x & 1]) << 8;
}
