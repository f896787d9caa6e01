// 8-bit floating point: rows scaled to their largest magnitude, converted to e4m3 or e5m2 and back;
// 16-bit integers in pairs.
#include <cuda_fp16.h>

__device__ unsigned short narrow(float high, float low, bool wide) {
  unsigned short pair;
  if (wide) asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  else asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  return pair;
}

/// One warp per row of pairs. The scale is a power of two, so scaling does not round.
extern "C" __global__ void fp8_quantize(const float2 *in, unsigned short *out, float *scales, int pairs, int wide) {
  int row = blockIdx.x, lane = threadIdx.x;
  float most = 0;
  for (int i = lane; i < pairs; i += 32) {
    float2 x = in[row * pairs + i];
    most = fmaxf(most, fmaxf(fabsf(x.x), fabsf(x.y)));
  }
  for (int m = 16; m > 0; m >>= 1) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, m));
  int exponent = (__float_as_int(most) >> 23 & 255) - 127;
  float scale = __int_as_float((127 + (wide ? 14 : 7) - exponent) << 23);
  for (int i = lane; i < pairs; i += 32) {
    float2 x = in[row * pairs + i];
    out[row * pairs + i] = narrow(x.y * scale, x.x * scale, wide);
  }
  if (lane == 0) scales[row] = __int_as_float((127 - (wide ? 14 : 7) + exponent) << 23);
}

extern "C" __global__ void fp8_dequantize(const unsigned short *in, const float *scales, float2 *out, int pairs, int wide) {
  int row = blockIdx.x;
  for (int i = threadIdx.x; i < pairs; i += 32) {
    unsigned word;
    if (wide) asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(word) : "h"(in[row * pairs + i]));
    else asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(word) : "h"(in[row * pairs + i]));
    float2 x = __half22float2(*(__half2 *)&word);
    out[row * pairs + i] = make_float2(x.x * scales[row], x.y * scales[row]);
  }
}

/// Each conversion of random words, exact to the bit.
extern "C" __global__ void fp8_conversions(const unsigned *a, const unsigned *b, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = __int_as_float(a[i]), y = __int_as_float(b[i]);
  unsigned short h, low = a[i];
  unsigned w;
  int k = i;
#define PAIR(op, ...) { asm(op : "=h"(h) : __VA_ARGS__); out[k] = h; k += n; }
#define WORD(op) { asm(op : "=r"(w) : "h"(low)); out[k] = w; k += n; }
#define WORDS(op) { asm(op : "=r"(w) : "r"(a[i]), "r"(b[i])); out[k] = w; k += n; }
  PAIR("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;", "f"(x), "f"(y))
  PAIR("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;", "f"(x), "f"(y))
  PAIR("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;", "f"(x), "f"(y))
  PAIR("cvt.rn.satfinite.relu.e5m2x2.f32 %0, %1, %2;", "f"(x), "f"(y))
  PAIR("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;", "r"(a[i]))
  PAIR("cvt.rn.satfinite.relu.e4m3x2.f16x2 %0, %1;", "r"(a[i]))
  PAIR("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;", "r"(a[i]))
  PAIR("cvt.rn.satfinite.relu.e5m2x2.f16x2 %0, %1;", "r"(a[i]))
  WORD("cvt.rn.f16x2.e4m3x2 %0, %1;")
  WORD("cvt.rn.relu.f16x2.e4m3x2 %0, %1;")
  WORD("cvt.rn.f16x2.e5m2x2 %0, %1;")
  WORD("cvt.rn.relu.f16x2.e5m2x2 %0, %1;")
  WORDS("add.u16x2 %0, %1, %2;")
  WORDS("min.u16x2 %0, %1, %2;")
  WORDS("max.s16x2 %0, %1, %2;")
  WORDS("min.relu.s16x2 %0, %1, %2;")
}
