// CUDA's <cuda_fp16.h>: `__half` and `__half2`.
#pragma once
#include "short_floats.h"

struct __half;
__device__ inline __half __hfma(__half a, __half b, __half c);
LANEWISE_SHORT_FLOAT(__half, __half2, _Float16, __half2float, __float2half, __float2half_rn, __floats2half2_rn, __low2half,
                     __high2half)
__device__ inline __half __hfma(__half a, __half b, __half c) {
  return __half(__builtin_fmaf16(a.value, b.value, c.value));
}
typedef __half half;
typedef __half2 half2;

__device__ inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__device__ inline __half2 __half2half2(__half a) { return __half2(a, a); }
__device__ inline __half2 __float2half2_rn(float a) { return __half2(__float2half(a), __float2half(a)); }
__device__ inline float2 __half22float2(__half2 a) { return make_float2(__half2float(a.x), __half2float(a.y)); }
__device__ inline float __low2float(__half2 a) { return __half2float(a.x); }
__device__ inline float __high2float(__half2 a) { return __half2float(a.y); }
__device__ inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__device__ inline __half __int2half_rn(int a) { return __half((_Float16)a); }
__device__ inline __half __uint2half_rn(unsigned int a) { return __half((_Float16)a); }
__device__ inline int __half2int_rz(__half a) { return (int)a.value; }
__device__ inline int __half2int_rn(__half a) { return (int)__builtin_rintf((float)a.value); }
__device__ inline unsigned short __half_as_ushort(__half a) { return __builtin_bit_cast(unsigned short, a); }
__device__ inline short __half_as_short(__half a) { return __builtin_bit_cast(short, a); }
__device__ inline __half __ushort_as_half(unsigned short a) { return __builtin_bit_cast(__half, a); }
__device__ inline __half __short_as_half(short a) { return __builtin_bit_cast(__half, a); }
__device__ inline __half __habs(__half a) { return __half(__builtin_fabsf16(a.value)); }
__device__ inline __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
__device__ inline __half __hmin(__half a, __half b) { return __half(__builtin_fminf16(a.value, b.value)); }
__device__ inline __half __hmax(__half a, __half b) { return __half(__builtin_fmaxf16(a.value, b.value)); }
__device__ inline __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
__device__ inline __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__device__ inline __half hrint(__half a) { return __half(__builtin_rintf16(a.value)); }
__device__ inline __half htrunc(__half a) { return __half(__builtin_truncf16(a.value)); }
__device__ inline __half hfloor(__half a) { return __half(__builtin_floorf16(a.value)); }
__device__ inline __half hceil(__half a) { return __half(__builtin_ceilf16(a.value)); }
// The f32 root of an f16 is rounded correctly to f16.
__device__ inline __half hsqrt(__half a) { return __half((_Float16)__builtin_sqrtf((float)a.value)); }
