// CUDA's <cuda_bf16.h>: `__nv_bfloat16` and `__nv_bfloat162`.
#pragma once
#include "short_floats.h"

struct __nv_bfloat16;
__device__ inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c);
LANEWISE_SHORT_FLOAT(__nv_bfloat16, __nv_bfloat162, __bf16, __bfloat162float, __float2bfloat16, __float2bfloat16_rn,
                     __floats2bfloat162_rn, __low2bfloat16, __high2bfloat16)
__device__ inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  unsigned short d;
  asm("fma.rn.bf16 %0, %1, %2, %3;"
      : "=h"(d)
      : "h"(__builtin_bit_cast(unsigned short, a)), "h"(__builtin_bit_cast(unsigned short, b)),
        "h"(__builtin_bit_cast(unsigned short, c)));
  return __builtin_bit_cast(__nv_bfloat16, d);
}
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__device__ inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__device__ inline __nv_bfloat162 __float2bfloat162_rn(float a) { return __floats2bfloat162_rn(a, a); }
__device__ inline float2 __bfloat1622float2(__nv_bfloat162 a) {
  return make_float2(__bfloat162float(a.x), __bfloat162float(a.y));
}
__device__ inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return __builtin_bit_cast(unsigned short, a); }
__device__ inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __builtin_bit_cast(__nv_bfloat16, a); }
