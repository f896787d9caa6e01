// bf16, single and in pairs, and tf32.
#include <cuda_bf16.h>

__device__ unsigned short bits(__nv_bfloat16 h) { return __bfloat16_as_ushort(h); }
__device__ unsigned bits(__nv_bfloat162 h) { return *(unsigned *)&h; }

/// GELU by tanh: f32 arithmetic, bf16 pairs in memory.
extern "C" __global__ void bf16_gelu(const __nv_bfloat162 *in, float2 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 x = __bfloat1622float2(in[i]), t;
  float2 u = make_float2(0.7978845608f * (x.x + 0.044715f * x.x * x.x * x.x), 0.7978845608f * (x.y + 0.044715f * x.y * x.y * x.y));
  asm("tanh.approx.f32 %0, %1;" : "=f"(t.x) : "f"(u.x));
  asm("tanh.approx.f32 %0, %1;" : "=f"(t.y) : "f"(u.y));
  __nv_bfloat162 y = __floats2bfloat162_rn(0.5f * x.x * (1 + t.x), 0.5f * x.y * (1 + t.y));
  out[i] = __bfloat1622float2(y);
}

/// Dot products of pairs, one warp per row: a fused chain per lane, then a tree of shuffled sums.
/// Every rounding is fixed.
extern "C" __global__ void bf162_dot(const __nv_bfloat162 *a, const __nv_bfloat162 *b, unsigned short *out, int rows, int pairs) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (row >= rows) return;
  __nv_bfloat162 sum = __float2bfloat162_rn(0.f);
  for (int c = lane; c < pairs; c += 32) sum = __hfma2(a[row * pairs + c], b[c], sum);
  for (int m = 16; m > 0; m >>= 1) sum = __hadd2(sum, __shfl_xor_sync(0xffffffffu, sum, m));
  if (lane == 0) out[row] = bits(__hadd(__low2bfloat16(sum), __high2bfloat16(sum)));
}

/// Each operation on two or three values, exact to the bit.
extern "C" __global__ void bf16_arithmetic(const __nv_bfloat16 *a, const __nv_bfloat16 *b, const __nv_bfloat16 *c, unsigned short *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_bfloat16 x = a[i], y = b[i], z = c[i];
  int k = i;
#define PUT(value) (out[k] = (value), k += n)
  PUT(bits(__hadd_rn(x, y)));
  PUT(bits(__hsub_rn(x, y)));
  PUT(bits(__hmul_rn(x, y)));
  PUT(bits(__hfma(x, y, z)));
  PUT(bits(__hfma_relu(x, y, z)));
  PUT(bits(__hneg(x)));
  PUT(bits(__habs(x)));
  PUT(bits(__hmin(x, y)));
  PUT(bits(__hmax(x, y)));
  PUT(bits(__hmin_nan(x, y)));
  PUT(bits(__hmax_nan(x, y)));
  PUT(__heq(x, y) + 2 * __hlt(x, y) + 4 * __hge(x, y) + 8 * __hneu(x, y) + 16 * __hleu(x, y));
#undef PUT
}

/// The same on pairs, and comparisons of both halves.
extern "C" __global__ void bf162_arithmetic(const __nv_bfloat162 *a, const __nv_bfloat162 *b, const __nv_bfloat162 *c, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_bfloat162 x = a[i], y = b[i], z = c[i];
  int k = i;
#define PUT(value) (out[k] = (value), k += n)
  PUT(bits(__hadd2_rn(x, y)));
  PUT(bits(__hsub2_rn(x, y)));
  PUT(bits(__hmul2_rn(x, y)));
  PUT(bits(__hfma2(x, y, z)));
  PUT(bits(__hfma2_relu(x, y, z)));
  PUT(bits(__hneg2(x)));
  PUT(bits(__habs2(x)));
  PUT(bits(__hmax2(x, y)));
  PUT(bits(__hmin2_nan(x, y)));
  PUT(bits(__hgt2(x, y)));
  PUT(__hequ2_mask(x, y));
  PUT(__hble2(x, y) + 2 * __hbneu2(x, z));
#undef PUT
}

/// From f32 in every direction and back, and f32 rounded to tf32.
extern "C" __global__ void bf16_from_float(const float *in, unsigned *out, float *back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i], y = in[n - 1 - i];
  unsigned short r;
  unsigned w;
  int k = i;
#define PUT(value) (out[k] = (value), k += n)
#define ASM(opcode, kind, result) \
  asm(opcode " %0, %1;" : kind(result) : "f"(x)); \
  PUT(result)
  PUT(bits(__float2bfloat16_rn(x)));
  PUT(bits(__float2bfloat16_rz(x)));
  PUT(bits(__float2bfloat16_rd(x)));
  PUT(bits(__float2bfloat16_ru(x)));
  PUT(bits(__floats2bfloat162_rn(x, y)));
  ASM("cvt.rn.relu.bf16.f32", "=h", r);
  ASM("cvt.rz.satfinite.bf16.f32", "=h", r);
  ASM("cvt.rna.tf32.f32", "=r", w);
  ASM("cvt.rn.tf32.f32", "=r", w);
  ASM("cvt.rz.relu.tf32.f32", "=r", w);
#undef ASM
#undef PUT
  back[i] = __bfloat162float(__float2bfloat16_rn(x));
}

/// To integers and from integers, and between f16 and bf16.
extern "C" __global__ void bf16_integers(const __nv_bfloat16 *in, const int *whole, long long *out, unsigned short *halves, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_bfloat16 x = in[i];
  int w = whole[i];
  int k = i;
#define PUT(value) (out[k] = (value), k += n)
  PUT(__bfloat162int_rn(x));
  PUT(__bfloat162int_rd(x));
  PUT(__bfloat162uint_ru(x));
  PUT(__bfloat162short_rz(x));
  PUT(__bfloat162ushort_rn(x));
  PUT(__bfloat162ll_rd(x));
  PUT(__bfloat162ull_rn(x));
#undef PUT
  k = i;
#define PUT(value) (halves[k] = (value), k += n)
  PUT(bits(hrint(x)));
  PUT(bits(htrunc(x)));
  PUT(bits(__int2bfloat16_rn(w)));
  PUT(bits(__int2bfloat16_rz(w)));
  PUT(bits(__uint2bfloat16_ru(w)));
  PUT(bits(__short2bfloat16_rd(w)));
  PUT(bits(__ll2bfloat16_rn((long long)w * 3)));
  PUT(bits(__ull2bfloat16_rz((unsigned long long)(unsigned)w << 3)));
  unsigned short r;
  asm("cvt.rn.f16.bf16 %0, %1;" : "=h"(r) : "h"(bits(x)));
  PUT(r);
  asm("cvt.rm.bf16.f16 %0, %1;" : "=h"(r) : "h"(bits(x)));
  PUT(r);
#undef PUT
}

/// Powers of two and hyperbolic tangents, approximate.
extern "C" __global__ void bf16_approximate(const unsigned *in, float2 *power, float2 *tangent, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i], y;
  asm("ex2.approx.ftz.bf16x2 %0, %1;" : "=r"(y) : "r"(x));
  power[i] = __bfloat1622float2(*(__nv_bfloat162 *)&y);
  asm("tanh.approx.bf16x2 %0, %1;" : "=r"(y) : "r"(x));
  tangent[i] = __bfloat1622float2(*(__nv_bfloat162 *)&y);
}
