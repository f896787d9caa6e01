// The functions of NVIDIA's libdevice that are one or two PTX instructions. libdevice_math.h has those
// that approximate.
#pragma once

#define LANEWISE_NV extern "C" __device__ inline __attribute__((always_inline))

// Integers
LANEWISE_NV int __nv_abs(int a) { return a < 0 ? -a : a; }
LANEWISE_NV long long __nv_llabs(long long a) { return a < 0 ? -a : a; }
LANEWISE_NV int __nv_min(int a, int b) { return a < b ? a : b; }
LANEWISE_NV int __nv_max(int a, int b) { return a > b ? a : b; }
LANEWISE_NV unsigned __nv_umin(unsigned a, unsigned b) { return a < b ? a : b; }
LANEWISE_NV unsigned __nv_umax(unsigned a, unsigned b) { return a > b ? a : b; }
LANEWISE_NV long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
LANEWISE_NV long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
LANEWISE_NV unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
LANEWISE_NV unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
LANEWISE_NV int __nv_popc(int a) { return __builtin_popcount(a); }
LANEWISE_NV int __nv_popcll(long long a) { return __builtin_popcountll(a); }
LANEWISE_NV int __nv_clz(int a) { return a == 0 ? 32 : __builtin_clz(a); }
LANEWISE_NV int __nv_clzll(long long a) { return a == 0 ? 64 : __builtin_clzll(a); }
LANEWISE_NV int __nv_ffs(int a) { return __builtin_ffs(a); }
LANEWISE_NV int __nv_ffsll(long long a) { return __builtin_ffsll(a); }
LANEWISE_NV int __nv_brev(int a) { return __builtin_bitreverse32(a); }
LANEWISE_NV long long __nv_brevll(long long a) { return __builtin_bitreverse64(a); }
LANEWISE_NV int __nv_byte_perm(int a, int b, int s) { return __nvvm_prmt(a, b, s & 0x7777); }
LANEWISE_NV int __nv_mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
LANEWISE_NV unsigned __nv_umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
LANEWISE_NV long long __nv_mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
LANEWISE_NV unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
LANEWISE_NV int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
LANEWISE_NV unsigned __nv_umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
LANEWISE_NV int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
LANEWISE_NV int __nv_uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
LANEWISE_NV int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
LANEWISE_NV unsigned __nv_urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }
LANEWISE_NV unsigned __nv_sad(int a, int b, unsigned c) { return c + (unsigned)(a > b ? (unsigned)a - b : (unsigned)b - a); }
LANEWISE_NV unsigned __nv_usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }

// Bits
LANEWISE_NV int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
LANEWISE_NV unsigned __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
LANEWISE_NV float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
LANEWISE_NV float __nv_uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
LANEWISE_NV unsigned long long __nv_double_as_longlong(double a) { return __builtin_bit_cast(unsigned long long, a); }
LANEWISE_NV double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
LANEWISE_NV int __nv_double2loint(double a) { return (int)__builtin_bit_cast(long long, a); }
LANEWISE_NV int __nv_double2hiint(double a) { return (int)(__builtin_bit_cast(long long, a) >> 32); }
LANEWISE_NV double __nv_hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low);
}
LANEWISE_NV int __nv_isnanf(float a) { return a != a; }
LANEWISE_NV int __nv_isnand(double a) { return a != a; }
LANEWISE_NV int __nv_isinff(float a) { return __builtin_isinf(a); }
LANEWISE_NV int __nv_isinfd(double a) { return __builtin_isinf(a); }
LANEWISE_NV int __nv_finitef(float a) { return __builtin_isfinite(a); }
LANEWISE_NV int __nv_isfinited(double a) { return __builtin_isfinite(a); }
LANEWISE_NV int __nv_signbitf(float a) { return __nv_float_as_uint(a) >> 31; }
LANEWISE_NV int __nv_signbitd(double a) { return (unsigned)__nv_double2hiint(a) >> 31; }

// Arithmetic and conversions in each rounding mode
#define LANEWISE_ROUNDED(mode, ptx) \
  LANEWISE_NV float __nv_fadd_##mode(float a, float b) { return __nvvm_add_##ptx##_f(a, b); } \
  LANEWISE_NV float __nv_fsub_##mode(float a, float b) { return __nvvm_add_##ptx##_f(a, -b); } \
  LANEWISE_NV float __nv_fmul_##mode(float a, float b) { return __nvvm_mul_##ptx##_f(a, b); } \
  LANEWISE_NV float __nv_fdiv_##mode(float a, float b) { return __nvvm_div_##ptx##_f(a, b); } \
  LANEWISE_NV float __nv_frcp_##mode(float a) { return __nvvm_rcp_##ptx##_f(a); } \
  LANEWISE_NV float __nv_fsqrt_##mode(float a) { return __nvvm_sqrt_##ptx##_f(a); } \
  LANEWISE_NV float __nv_fmaf_##mode(float a, float b, float c) { return __nvvm_fma_##ptx##_f(a, b, c); } \
  LANEWISE_NV double __nv_dadd_##mode(double a, double b) { return __nvvm_add_##ptx##_d(a, b); } \
  LANEWISE_NV double __nv_dsub_##mode(double a, double b) { return __nvvm_add_##ptx##_d(a, -b); } \
  LANEWISE_NV double __nv_dmul_##mode(double a, double b) { return __nvvm_mul_##ptx##_d(a, b); } \
  LANEWISE_NV double __nv_ddiv_##mode(double a, double b) { return __nvvm_div_##ptx##_d(a, b); } \
  LANEWISE_NV double __nv_drcp_##mode(double a) { return __nvvm_rcp_##ptx##_d(a); } \
  LANEWISE_NV double __nv_dsqrt_##mode(double a) { return __nvvm_sqrt_##ptx##_d(a); } \
  LANEWISE_NV double __nv_fma_##mode(double a, double b, double c) { return __nvvm_fma_##ptx##_d(a, b, c); } \
  LANEWISE_NV int __nv_float2int_##mode(float a) { return __nvvm_f2i_##ptx(a); } \
  LANEWISE_NV unsigned __nv_float2uint_##mode(float a) { return __nvvm_f2ui_##ptx(a); } \
  LANEWISE_NV long long __nv_float2ll_##mode(float a) { return __nvvm_f2ll_##ptx(a); } \
  LANEWISE_NV unsigned long long __nv_float2ull_##mode(float a) { return __nvvm_f2ull_##ptx(a); } \
  LANEWISE_NV int __nv_double2int_##mode(double a) { return __nvvm_d2i_##ptx(a); } \
  LANEWISE_NV unsigned __nv_double2uint_##mode(double a) { return __nvvm_d2ui_##ptx(a); } \
  LANEWISE_NV long long __nv_double2ll_##mode(double a) { return __nvvm_d2ll_##ptx(a); } \
  LANEWISE_NV unsigned long long __nv_double2ull_##mode(double a) { return __nvvm_d2ull_##ptx(a); } \
  LANEWISE_NV float __nv_double2float_##mode(double a) { return __nvvm_d2f_##ptx(a); }
LANEWISE_ROUNDED(rn, rn)
LANEWISE_ROUNDED(rz, rz)
LANEWISE_ROUNDED(ru, rp)
LANEWISE_ROUNDED(rd, rm)
#undef LANEWISE_ROUNDED

// LLVM replaces the builtins of these conversions that round to zero by ones that round to nearest.
#define LANEWISE_CONVERTED(mode, ptx) \
  LANEWISE_CONVERSION(float, __nv_int2float_##mode, int, "cvt." #ptx ".f32.s32", "=f", "r") \
  LANEWISE_CONVERSION(float, __nv_uint2float_##mode, unsigned, "cvt." #ptx ".f32.u32", "=f", "r") \
  LANEWISE_CONVERSION(float, __nv_ll2float_##mode, long long, "cvt." #ptx ".f32.s64", "=f", "l") \
  LANEWISE_CONVERSION(float, __nv_ull2float_##mode, unsigned long long, "cvt." #ptx ".f32.u64", "=f", "l") \
  LANEWISE_CONVERSION(double, __nv_ll2double_##mode, long long, "cvt." #ptx ".f64.s64", "=d", "l") \
  LANEWISE_CONVERSION(double, __nv_ull2double_##mode, unsigned long long, "cvt." #ptx ".f64.u64", "=d", "l")
#define LANEWISE_CONVERSION(to, name, from, instruction, out, in) \
  LANEWISE_NV to name(from a) { \
    to result; \
    __asm__(instruction " %0, %1;" : out(result) : in(a)); \
    return result; \
  }
LANEWISE_CONVERTED(rn, rn)
LANEWISE_CONVERTED(rz, rz)
LANEWISE_CONVERTED(ru, rp)
LANEWISE_CONVERTED(rd, rm)
#undef LANEWISE_CONVERTED
#undef LANEWISE_CONVERSION

LANEWISE_NV double __nv_int2double_rn(int a) { return a; }
LANEWISE_NV double __nv_uint2double_rn(unsigned a) { return a; }
LANEWISE_NV float __nv_frsqrt_rn(float a) { return __nvvm_rcp_rn_f(__nvvm_sqrt_rn_f(a)); }

// Exact functions
#define LANEWISE_EXACT(type, s, d) \
  LANEWISE_NV type __nv_fabs##s(type a) { return __builtin_fabs##s(a); } \
  LANEWISE_NV type __nv_copysign##s(type a, type b) { return __builtin_copysign##s(a, b); } \
  LANEWISE_NV type __nv_fmin##s(type a, type b) { return __nvvm_fmin_##d(a, b); } \
  LANEWISE_NV type __nv_fmax##s(type a, type b) { return __nvvm_fmax_##d(a, b); } \
  LANEWISE_NV type __nv_fdim##s(type a, type b) { return a <= b ? 0 : a - b; } \
  LANEWISE_NV type __nv_ceil##s(type a) { return __nvvm_ceil_##d(a); } \
  LANEWISE_NV type __nv_floor##s(type a) { return __nvvm_floor_##d(a); } \
  LANEWISE_NV type __nv_trunc##s(type a) { return __nvvm_trunc_##d(a); } \
  LANEWISE_NV type __nv_rint##s(type a) { return __nvvm_round_##d(a); } \
  LANEWISE_NV type __nv_nearbyint##s(type a) { return __nvvm_round_##d(a); } \
  LANEWISE_NV type __nv_sqrt##s(type a) { return __nvvm_sqrt_rn_##d(a); } \
  LANEWISE_NV type __nv_fma##s(type a, type b, type c) { return __nvvm_fma_rn_##d(a, b, c); } \
  LANEWISE_NV type __nv_round##s(type a) { \
    type below = __nvvm_trunc_##d(a); \
    return __builtin_copysign##s(__builtin_fabs##s(a - below) >= (type)0.5 ? below + __builtin_copysign##s((type)1, a) : below, a); \
  }
LANEWISE_EXACT(float, f, f)
LANEWISE_EXACT(double, , d)
#undef LANEWISE_EXACT
LANEWISE_NV float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }
LANEWISE_NV int __nv_float2int(float a) { return __nvvm_f2i_rz(a); }
LANEWISE_NV long long __nv_llrintf(float a) { return __nvvm_f2ll_rn(a); }
LANEWISE_NV long long __nv_llrint(double a) { return __nvvm_d2ll_rn(a); }
LANEWISE_NV int __nv_lrintf(float a) { return __nvvm_f2i_rn(a); }
LANEWISE_NV float __nv_rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }

// Fast functions, by the definitions of the CUDA C++ Programming Guide
LANEWISE_NV float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
LANEWISE_NV float __nv_fast_log2f(float a) { return __nvvm_lg2_approx_f(a); }
LANEWISE_NV float __nv_fast_logf(float a) { return __nvvm_lg2_approx_f(a) * 0.693147180559945309f; }
LANEWISE_NV float __nv_fast_log10f(float a) { return __nvvm_lg2_approx_f(a) * 0.301029995663981195f; }
LANEWISE_NV float __nv_fast_expf(float a) { return __nvvm_ex2_approx_f(a * 1.44269504088896341f); }
LANEWISE_NV float __nv_fast_exp10f(float a) { return __nvvm_ex2_approx_f(a * 3.32192809488736235f); }
LANEWISE_NV float __nv_fast_powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
LANEWISE_NV float __nv_fast_sinf(float a) { return __nvvm_sin_approx_f(a); }
LANEWISE_NV float __nv_fast_cosf(float a) { return __nvvm_cos_approx_f(a); }
LANEWISE_NV float __nv_fast_tanf(float a) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a)); }
LANEWISE_NV void __nv_fast_sincosf(float a, float *sine, float *cosine) {
  *sine = __nvvm_sin_approx_f(a);
  *cosine = __nvvm_cos_approx_f(a);
}
#include "libdevice_math.h"

#undef LANEWISE_NV
