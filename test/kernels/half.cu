// Half precision: f16, single and in pairs, from sums to rows of a network.
#include <cuda_fp16.h>

__device__ unsigned short bits(__half h) { return __half_as_ushort(h); }
__device__ unsigned bits(__half2 h) { return *(unsigned *)&h; }

/// Softmax of each row, one warp per row: maxima of pairs, sums and powers in f32.
extern "C" __global__ void half_softmax(const __half2 *in, float *out, int rows, int pairs) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (row >= rows) return;
  const __half2 *x = in + row * pairs;
  __half2 top = __half2half2(__ushort_as_half(0xfc00));
  for (int c = lane; c < pairs; c += 32) top = __hmax2(top, x[c]);
  for (int m = 16; m > 0; m >>= 1) top = __hmax2(top, __shfl_xor_sync(0xffffffffu, top, m));
  float most = __half2float(__hmax(__low2half(top), __high2half(top)));
  float sum = 0;
  for (int c = lane; c < pairs; c += 32) {
    float2 v = __half22float2(x[c]);
    sum += __expf(v.x - most) + __expf(v.y - most);
  }
  for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, m);
  for (int c = lane; c < pairs; c += 32) {
    float2 v = __half22float2(x[c]);
    __half2 y = __floats2half2_rn(__expf(v.x - most) / sum, __expf(v.y - most) / sum);
    ((float2 *)out)[row * pairs + c] = __half22float2(y);
  }
}

/// Layer norm of each row, one block per row. Gain and bias are pairs, applied by one fused
/// operation.
extern "C" __global__ void half_layer_norm(const __half2 *in, const __half2 *gain, const __half2 *bias, float *out, int pairs, float epsilon) {
  __shared__ float2 parts[8];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  const __half2 *x = in + blockIdx.x * pairs;
  float2 sums = make_float2(0, 0);
  for (int c = threadIdx.x; c < pairs; c += blockDim.x) {
    float2 v = __half22float2(x[c]);
    sums.x += v.x + v.y;
    sums.y += v.x * v.x + v.y * v.y;
  }
  for (int m = 16; m > 0; m >>= 1) {
    sums.x += __shfl_xor_sync(0xffffffffu, sums.x, m);
    sums.y += __shfl_xor_sync(0xffffffffu, sums.y, m);
  }
  if (lane == 0) parts[warp] = sums;
  __syncthreads();
  sums = make_float2(0, 0);
  for (int w = 0; w < warps; w++) {
    sums.x += parts[w].x;
    sums.y += parts[w].y;
  }
  float mean = sums.x / (2 * pairs);
  float scale = rsqrtf(sums.y / (2 * pairs) - mean * mean + epsilon);
  __half2 offset = __float2half2_rn(-mean), factor = __float2half2_rn(scale);
  for (int c = threadIdx.x; c < pairs; c += blockDim.x) {
    __half2 y = __hfma2(__hmul2(__hadd2(x[c], offset), factor), gain[c], bias[c]);
    ((float2 *)out)[blockIdx.x * pairs + c] = __half22float2(y);
  }
}

/// Dot products of pairs, one warp per row: a fused chain per lane, then a tree of shuffled sums.
/// Every rounding is fixed.
extern "C" __global__ void half2_dot(const __half2 *a, const __half2 *b, unsigned short *out, int rows, int pairs) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (row >= rows) return;
  __half2 sum = __float2half2_rn(0.f);
  for (int c = lane; c < pairs; c += 32) sum = __hfma2(a[row * pairs + c], b[c], sum);
  for (int m = 16; m > 0; m >>= 1) sum = __hadd2(sum, __shfl_xor_sync(0xffffffffu, sum, m));
  if (lane == 0) out[row] = bits(__hadd(__low2half(sum), __high2half(sum)));
}

/// Each operation on two or three values, exact to the bit.
extern "C" __global__ void half_arithmetic(const __half *a, const __half *b, const __half *c, unsigned short *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half x = a[i], y = b[i], z = c[i], r;
  int k = i;
#define PUT(value) (out[k] = bits(value), k += n)
  PUT(__hadd_rn(x, y));
  PUT(__hsub_rn(x, y));
  PUT(__hmul_rn(x, y));
  PUT(__hfma(x, y, z));
  PUT(__hadd_sat(x, y));
  PUT(__hsub_sat(x, y));
  PUT(__hmul_sat(x, y));
  PUT(__hfma_sat(x, y, z));
  PUT(__hfma_relu(x, y, z));
  PUT(__hneg(x));
  PUT(__habs(x));
  PUT(__hmin(x, y));
  PUT(__hmax(x, y));
  PUT(__hmin_nan(x, y));
  PUT(__hmax_nan(x, y));
  asm("add.rn.ftz.f16 %0, %1, %2;" : "=h"(*(unsigned short *)&r) : "h"(bits(x)), "h"(bits(y)));
  PUT(r);
  asm("mul.rn.ftz.sat.f16 %0, %1, %2;" : "=h"(*(unsigned short *)&r) : "h"(bits(x)), "h"(bits(y)));
  PUT(r);
  asm("fma.rn.ftz.relu.f16 %0, %1, %2, %3;" : "=h"(*(unsigned short *)&r) : "h"(bits(x)), "h"(bits(y)), "h"(bits(z)));
  PUT(r);
  asm("min.xorsign.abs.f16 %0, %1, %2;" : "=h"(*(unsigned short *)&r) : "h"(bits(x)), "h"(bits(y)));
  PUT(r);
  asm("max.ftz.NaN.xorsign.abs.f16 %0, %1, %2;" : "=h"(*(unsigned short *)&r) : "h"(bits(x)), "h"(bits(y)));
  PUT(r);
#undef PUT
}

/// The same on pairs, and comparisons, whose results are 1.0, all ones of a half, or a predicate
/// for each half.
extern "C" __global__ void half2_arithmetic(const __half2 *a, const __half2 *b, const __half2 *c, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 x = a[i], y = b[i], z = c[i];
  int k = i;
#define PUT(value) (out[k] = (value), k += n)
  PUT(bits(__hadd2_rn(x, y)));
  PUT(bits(__hsub2_rn(x, y)));
  PUT(bits(__hmul2_rn(x, y)));
  PUT(bits(__hfma2(x, y, z)));
  PUT(bits(__hfma2_relu(x, y, z)));
  PUT(bits(__hfma2_sat(x, y, z)));
  PUT(bits(__hneg2(x)));
  PUT(bits(__habs2(x)));
  PUT(bits(__hmin2(x, y)));
  PUT(bits(__hmax2_nan(x, y)));
  PUT(bits(__heq2(x, y)));
  PUT(bits(__hneu2(x, y)));
  PUT(bits(__hisnan2(x)));
  PUT(__hlt2_mask(x, y));
  PUT(__hgeu2_mask(x, y));
  PUT(__hble2(x, y) + 2 * __hbne2(x, y) + 4 * __hbgtu2(x, y));
  PUT(__heq(__low2half(x), __low2half(y)) + 2 * __hltu(__high2half(x), __low2half(y)) + 4 * __hge(__low2half(x), __high2half(z)));
  PUT(bits(__lowhigh2highlow(x)));
  PUT(bits(__halves2half2(__high2half(x), __low2half(z))));
#undef PUT
}

/// From f32 in every direction, and back.
extern "C" __global__ void half_from_float(const float *in, unsigned *out, float *back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i], y = in[n - 1 - i];
  unsigned short r;
  int k = i;
#define PUT(value) (out[k] = (value), k += n)
#define ASM(opcode) \
  asm(opcode " %0, %1;" : "=h"(r) : "f"(x)); \
  PUT(r)
  PUT(bits(__float2half_rn(x)));
  PUT(bits(__float2half_rz(x)));
  PUT(bits(__float2half_rd(x)));
  PUT(bits(__float2half_ru(x)));
  PUT(bits(__floats2half2_rn(x, y)));
  PUT(bits(__float2half2_rn(x)));
  ASM("cvt.rn.sat.f16.f32");
  ASM("cvt.rp.ftz.f16.f32");
  ASM("cvt.rn.relu.f16.f32");
  ASM("cvt.rz.satfinite.f16.f32");
  ASM("cvt.rn.relu.satfinite.f16.f32");
#undef ASM
#undef PUT
  back[i] = __half2float(__float2half_rn(x));
}

/// To integers and integral values in every direction, and from integers.
extern "C" __global__ void half_integers(const __half *in, const int *whole, long long *out, unsigned short *halves, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half x = in[i];
  int w = whole[i];
  int k = i;
#define PUT(value) (out[k] = (value), k += n)
  PUT(__half2int_rn(x));
  PUT(__half2int_rz(x));
  PUT(__half2int_rd(x));
  PUT(__half2int_ru(x));
  PUT(__half2uint_rn(x));
  PUT(__half2short_rd(x));
  PUT(__half2ushort_ru(x));
  PUT(__half2ll_rn(x));
  PUT(__half2ull_rz(x));
  PUT(__half2char_rz(x));
  PUT(__half2uchar_rz(x));
#undef PUT
  k = i;
#define PUT(value) (halves[k] = bits(value), k += n)
  PUT(hrint(x));
  PUT(htrunc(x));
  PUT(hfloor(x));
  PUT(hceil(x));
  PUT(__int2half_rn(w));
  PUT(__int2half_rz(w));
  PUT(__int2half_rd(w));
  PUT(__int2half_ru(w));
  PUT(__uint2half_rn(w));
  PUT(__short2half_rn(w));
  PUT(__ushort2half_ru(w));
  PUT(__ll2half_rn((long long)w * 3));
  PUT(__ull2half_rz((unsigned long long)(unsigned)w << 3));
#undef PUT
}

/// Powers of two and hyperbolic tangents, approximate.
extern "C" __global__ void half_approximate(const __half2 *in, float2 *power, float2 *tangent, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  power[i] = __half22float2(h2exp2(in[i]));
  tangent[i] = __half22float2(h2tanh_approx(in[i]));
}
