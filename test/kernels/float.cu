// Single-precision arithmetic in a default build, which keeps denormals.

#define EXACT(value) exact[(row++) * n + i] = (value)
#define CLOSE(value) close[(row++) * n + i] = (value)
#define PUT(value) out[(row++) * n + i] = (int)(value)

/// Correctly rounded operations in every rounding mode, exact to the bit.
extern "C" __global__ void float_rounded(const float *a, const float *b, const float *c, float *exact, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
  if (i >= n) return;
  float x = a[i], y = b[i], z = c[i];
  EXACT(__fadd_rn(x, y));
  EXACT(__fadd_rz(x, y));
  EXACT(__fadd_ru(x, y));
  EXACT(__fadd_rd(x, y));
  EXACT(__fsub_rn(x, z));
  EXACT(__fmul_rn(x, y));
  EXACT(__fmul_rz(x, y));
  EXACT(__fmul_ru(x, y));
  EXACT(__fmul_rd(x, y));
  EXACT(__fmaf_rn(x, y, z));
  EXACT(__fmaf_rz(x, y, z));
  EXACT(__fmaf_ru(x, y, z));
  EXACT(__fmaf_rd(x, y, z));
  EXACT(__fdiv_rn(x, y));
  EXACT(__fdiv_rz(x, y));
  EXACT(__frcp_rn(z));
  EXACT(__frcp_ru(z));
  EXACT(__fsqrt_rn(fabsf(x)));
  EXACT(__fsqrt_rz(fabsf(y)));
  EXACT(__saturatef(x));
}

/// Approximate instructions, compared within a tolerance.
extern "C" __global__ void float_approximate(const float *a, const float *b, float *close, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
  if (i >= n) return;
  float x = a[i], y = b[i], r;
  CLOSE(__fdividef(x, y));
  CLOSE(rsqrtf(y));
  CLOSE(__sinf(x));
  CLOSE(__cosf(x));
  CLOSE(__expf(x));
  CLOSE(__logf(y));
  CLOSE(exp2f(x));
  CLOSE(__powf(y, x));
  CLOSE(atanf(x));
  asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(y));
  CLOSE(r);
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));
  CLOSE(r);
  asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(y));
  CLOSE(r);
}

/// tanh.approx has 11 bits, so it has its own tolerance.
extern "C" __global__ void float_tanh(const float *in, float *close, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  asm("tanh.approx.f32 %0, %1;" : "=f"(close[i]) : "f"(in[i]));
}

/// Comparisons and classes on NaNs, infinities, zeros of both signs and denormals.
extern "C" __global__ void float_compare(const float *a, const float *b, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
  if (i >= n) return;
  float x = a[i], y = b[i];
  PUT(x < y);
  PUT(x <= y);
  PUT(x == y);
  PUT(x != y);
  PUT(!(x < y));
  PUT(!(x >= y));
  PUT(isnan(x) * 2 + isnan(y));
  PUT(isinf(x) * 2 + isfinite(y));
  PUT(signbit(x) ? 1 : 0);
  PUT(x > y && y > 0);
  int r;
  asm("set.leu.u32.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(y));
  PUT(r);
  asm("{\n\t.reg .pred p;\n\ttestp.subnormal.f32 p, %1;\n\tselp.s32 %0, 1, 0, p;\n\t}" : "=r"(r) : "f"(x));
  PUT(r);
  asm("{\n\t.reg .pred p, q;\n\tsetp.num.f32 p|q, %1, %2;\n\tselp.s32 %0, 5, 6, p;\n\t@q add.s32 %0, %0, 10;\n\t}" : "=r"(r) : "f"(x), "f"(y));
  PUT(r);
}

/// Minimum, maximum, sign and selection, exact to the bit, including NaNs.
extern "C" __global__ void float_extremes(const float *a, const float *b, float *exact, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
  if (i >= n) return;
  float x = a[i], y = b[i], r;
  EXACT(fminf(x, y));
  EXACT(fmaxf(x, y));
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  EXACT(r);
  asm("max.xorsign.abs.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  EXACT(r);
  EXACT(fabsf(x));
  EXACT(-y);
  EXACT(copysignf(x, y));
  EXACT(x + y);
  EXACT(x * y);
  EXACT(fmaf(x, y, 1.0f));
  EXACT(fdimf(x, y));
}

/// Conversions to integers and back with every rounding. Out-of-range values and NaNs saturate.
extern "C" __global__ void float_convert(const float *in, const int *whole, int *out, float *exact, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
  if (i >= n) return;
  float x = in[i];
  int v = whole[i];
  PUT(__float2int_rn(x));
  PUT(__float2int_rz(x));
  PUT(__float2int_ru(x));
  PUT(__float2int_rd(x));
  PUT(__float2uint_rn(x));
  PUT(__float2uint_rz(x));
  unsigned short h;
  asm("cvt.rni.s16.f32 %0, %1;" : "=h"(h) : "f"(x));
  PUT((short)h);
  asm("cvt.rzi.u8.f32 %0, %1;" : "=h"(h) : "f"(x));
  PUT(h & 255);
  row = 0;
  EXACT(__int2float_rn(v));
  EXACT(__int2float_rz(v));
  EXACT(__int2float_ru(v));
  EXACT(__uint2float_rn((unsigned)v));
  EXACT(__uint2float_rd((unsigned)v));
  EXACT((float)(short)v);
  EXACT((float)(unsigned char)v);
  EXACT(floorf(x));
  EXACT(ceilf(x));
  EXACT(truncf(x));
  EXACT(rintf(x));
  EXACT(roundf(x));
}

/// Library functions made only of exact operations: polynomials over fma.
extern "C" __global__ void float_library(const float *in, float *exact, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
  if (i >= n) return;
  float x = in[i];
  int exponent;
  EXACT(logf(fabsf(x)));
  EXACT(log1pf(fabsf(x)));
  EXACT(sinpif(x));
  EXACT(fmodf(x, 0.75f));
  EXACT(remainderf(x, 0.3f));
  EXACT(ldexpf(x, 5));
  EXACT(frexpf(x, &exponent));
  EXACT((float)exponent);
  EXACT(hypotf(x, 3.0f));
}
