// CUDA's <cuda_fp16.h>: `__half` and `__half2`.
#pragma once
#include "short_floats.h"

LANEWISE_SHORT_TYPES(__half, __half2, _Float16)
typedef __half half;
typedef __half2 half2;

#define LANEWISE_HALF_EXTREME(name, instruction)                                                       \
  LANEWISE_SHORT __half name(__half a, __half b) {                                                     \
    unsigned short result;                                                                             \
    __asm__(instruction " %0, %1, %2;" : "=h"(result) : "h"(__lanewise_bits(a)), "h"(__lanewise_bits(b))); \
    return __lanewise___half(result);                                                                  \
  }
LANEWISE_HALF_EXTREME(__hmin, "min.f16")
LANEWISE_HALF_EXTREME(__hmax, "max.f16")
LANEWISE_HALF_EXTREME(__hmin_nan, "min.NaN.f16")
LANEWISE_HALF_EXTREME(__hmax_nan, "max.NaN.f16")
#undef LANEWISE_HALF_EXTREME
LANEWISE_SHORT __half __hfma(__half a, __half b, __half c) {
  return __half((_Float16)__builtin_fmaf16(a.value, b.value, c.value));
}

LANEWISE_ON_PAIR(__half2, __hneg2, "neg.f16x2")
LANEWISE_ON_PAIR(__half2, __habs2, "abs.f16x2")
LANEWISE_SHORT_ARITHMETIC(__half, __half2, _Float16)
LANEWISE_SHORT_NAMES(__half, __half2, _Float16, half, half, half2)
LANEWISE_SHORT_FUNCTIONS(__half, __half2, _Float16)

#define LANEWISE_HALF_ROUNDED(mode, ptx)                                          \
  LANEWISE_SHORT __half __float2half_##mode(float a) {                            \
    unsigned short result;                                                        \
    __asm__("cvt." ptx ".f16.f32 %0, %1;" : "=h"(result) : "f"(a));               \
    return __lanewise___half(result);                                             \
  }
LANEWISE_HALF_ROUNDED(rz, "rz")
LANEWISE_HALF_ROUNDED(rd, "rm")
LANEWISE_HALF_ROUNDED(ru, "rp")
#undef LANEWISE_HALF_ROUNDED
LANEWISE_SHORT_INTEGERS(__half, half)
LANEWISE_SHORT_MEMORY(__half, __half2, "f16")

LANEWISE_SHORT __half htanh_approx(__half a) {
  unsigned short result;
  __asm__("tanh.approx.f16 %0, %1;" : "=h"(result) : "h"(__lanewise_bits(a)));
  return __lanewise___half(result);
}
LANEWISE_EACH1(__half, __half2, h2tanh_approx, htanh_approx)
