// CUDA's <cuda_bf16.h>: `__nv_bfloat16` and `__nv_bfloat162`.
#pragma once
#include "short_floats.h"

#if defined(__wasm__) && !defined(__CUDA_ARCH__)
// Clang lacks `__bf16` for WebAssembly. This type has the same conversions, and arithmetic in `float`.
struct __lanewise_bfloat {
  unsigned short bits;
  __lanewise_bfloat() = default;
  __host__ __device__ explicit __lanewise_bfloat(float a) {
    const unsigned word = __builtin_bit_cast(unsigned, a);
    bits = a != a ? 0x7fff : (word + 0x7fff + ((word >> 16) & 1)) >> 16;
  }
  // The float has an odd last bit if it is not exact, so it is rounded to the nearest number only once.
  __host__ __device__ explicit __lanewise_bfloat(double a) : __lanewise_bfloat(odd(a)) {}
  __host__ __device__ operator float() const { return __builtin_bit_cast(float, (unsigned)bits << 16); }
  static __host__ __device__ float odd(double a) {
    const float near = (float)a;
    unsigned word = __builtin_bit_cast(unsigned, near);
    if (near == a || a != a) return near;
    word -= __builtin_fabs((double)near) > __builtin_fabs(a);
    return __builtin_bit_cast(float, word | 1);
  }
};
#define LANEWISE_BFLOAT __lanewise_bfloat
#else
#define LANEWISE_BFLOAT __bf16
#endif
LANEWISE_SHORT_TYPES(__nv_bfloat16, __nv_bfloat162, LANEWISE_BFLOAT)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define LANEWISE_BFLOAT_EXTREME(name, instruction)                                                     \
  LANEWISE_SHORT __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) {                                \
    unsigned short result;                                                                             \
    __asm__(instruction " %0, %1, %2;" : "=h"(result) : "h"(__lanewise_bits(a)), "h"(__lanewise_bits(b))); \
    return __lanewise___nv_bfloat16(result);                                                           \
  }
LANEWISE_BFLOAT_EXTREME(__hmin, "min.bf16")
LANEWISE_BFLOAT_EXTREME(__hmax, "max.bf16")
LANEWISE_BFLOAT_EXTREME(__hmin_nan, "min.NaN.bf16")
LANEWISE_BFLOAT_EXTREME(__hmax_nan, "max.NaN.bf16")
#undef LANEWISE_BFLOAT_EXTREME
LANEWISE_SHORT __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  unsigned short result;
  __asm__("fma.rn.bf16 %0, %1, %2, %3;"
          : "=h"(result)
          : "h"(__lanewise_bits(a)), "h"(__lanewise_bits(b)), "h"(__lanewise_bits(c)));
  return __lanewise___nv_bfloat16(result);
}

LANEWISE_ON_PAIR(__nv_bfloat162, __hneg2, "neg.bf16x2")
LANEWISE_ON_PAIR(__nv_bfloat162, __habs2, "abs.bf16x2")
LANEWISE_SHORT_ARITHMETIC(__nv_bfloat16, __nv_bfloat162, LANEWISE_BFLOAT)
LANEWISE_SHORT_NAMES(__nv_bfloat16, __nv_bfloat162, LANEWISE_BFLOAT, bfloat16, bfloat16, bfloat162)
LANEWISE_SHORT_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, LANEWISE_BFLOAT)

// Rounds towards zero and, if `isUp` and bits were lost, to the next number away from zero.
LANEWISE_SHORT __nv_bfloat16 __lanewise_bfloat_away(float a, bool isUp) {
  unsigned bits = __float_as_uint(a);
  if (a != a) return __lanewise___nv_bfloat16(0x7fff);
  return __lanewise___nv_bfloat16((bits >> 16) + (isUp && (bits & 0xffff) != 0));
}
LANEWISE_SHORT __nv_bfloat16 __float2bfloat16_rz(float a) { return __lanewise_bfloat_away(a, false); }
LANEWISE_SHORT __nv_bfloat16 __float2bfloat16_rd(float a) { return __lanewise_bfloat_away(a, a < 0); }
LANEWISE_SHORT __nv_bfloat16 __float2bfloat16_ru(float a) { return __lanewise_bfloat_away(a, a > 0); }
LANEWISE_SHORT_INTEGERS(__nv_bfloat16, bfloat16)
LANEWISE_SHORT_MEMORY(__nv_bfloat16, __nv_bfloat162, "bf16")
