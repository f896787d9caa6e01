// The functions of NVIDIA's libdevice that approximate. A template serves both precisions, so that
// `float` functions use no `double`. Errors are the largest found, in ulp, as float / double.
#pragma once

#define LANEWISE_PART __device__ inline __attribute__((always_inline))
// The functions below depend on each rounding. A compiler must not merge a product and a sum there.
#pragma STDC FP_CONTRACT OFF
#include "math/format.h"
#include "math/coefficients.h"
#include "math/pairs.h"
#include "math/exponents.h"
#include "math/exponential.h"
#include "math/logarithm.h"
#include "math/trigonometry.h"
#include "math/power.h"
#include "math/hyperbolic.h"
#include "math/inverse_trigonometry.h"
#include "math/roots.h"
#include "math/error_functions.h"
#include "math/gamma.h"
#include "math/remainder.h"
#pragma clang fp contract(fast)

#define LANEWISE_BOTH(name, of)                                                    \
  LANEWISE_NV float __nv_##name##f(float a) { return lanewise::of(a); }        \
  LANEWISE_NV double __nv_##name(double a) { return lanewise::of(a); }
#define LANEWISE_BOTH2(name, of)                                                              \
  LANEWISE_NV float __nv_##name##f(float a, float b) { return lanewise::of(a, b); }       \
  LANEWISE_NV double __nv_##name(double a, double b) { return lanewise::of(a, b); }
LANEWISE_BOTH(exp, exp) LANEWISE_BOTH(exp2, exp2) LANEWISE_BOTH(exp10, exp10) LANEWISE_BOTH(expm1, expm1)
LANEWISE_BOTH(log, log) LANEWISE_BOTH(log2, log2) LANEWISE_BOTH(log10, log10) LANEWISE_BOTH(log1p, log1p)
LANEWISE_BOTH(sin, sin) LANEWISE_BOTH(cos, cos) LANEWISE_BOTH(tan, tan)
LANEWISE_BOTH(sinpi, sinpi) LANEWISE_BOTH(cospi, cospi)
LANEWISE_BOTH(sinh, sinh) LANEWISE_BOTH(cosh, cosh) LANEWISE_BOTH(tanh, tanh)
LANEWISE_BOTH(asinh, asinh) LANEWISE_BOTH(acosh, acosh) LANEWISE_BOTH(atanh, atanh)
LANEWISE_BOTH(asin, asin) LANEWISE_BOTH(acos, acos) LANEWISE_BOTH(atan, atan) LANEWISE_BOTH2(atan2, atan2)
LANEWISE_BOTH2(pow, power)
LANEWISE_BOTH(cbrt, cbrt) LANEWISE_BOTH(rcbrt, rcbrt)
LANEWISE_BOTH(erf, erf) LANEWISE_BOTH(erfc, erfc) LANEWISE_BOTH(erfcx, erfcx) LANEWISE_BOTH(normcdf, normcdf)
LANEWISE_BOTH(erfinv, erfinv) LANEWISE_BOTH(erfcinv, erfcinv) LANEWISE_BOTH(normcdfinv, normcdfinv)
LANEWISE_BOTH(tgamma, tgamma) LANEWISE_BOTH(lgamma, lgamma)
LANEWISE_BOTH(logb, logb) LANEWISE_BOTH2(nextafter, nextafter)
LANEWISE_BOTH2(fmod, fmod) LANEWISE_BOTH2(remainder, remainder)
#undef LANEWISE_BOTH
#undef LANEWISE_BOTH2
#define LANEWISE_OTHERS(type, f)                                                                                      \
  LANEWISE_NV void __nv_sincos##f(type a, type *s, type *c) { lanewise::sincos(a, s, c); }                        \
  LANEWISE_NV void __nv_sincospi##f(type a, type *s, type *c) { lanewise::sincospi(a, s, c); }                    \
  LANEWISE_NV type __nv_powi##f(type a, int n) { return lanewise::power_integer(a, n); }                          \
  LANEWISE_NV type __nv_ldexp##f(type a, int n) { return lanewise::ldexp(a, n); }                                 \
  LANEWISE_NV type __nv_scalbn##f(type a, int n) { return lanewise::ldexp(a, n); }                                \
  LANEWISE_NV type __nv_frexp##f(type a, int *n) { return lanewise::frexp(a, n); }                                \
  LANEWISE_NV type __nv_modf##f(type a, type *n) { return lanewise::modf(a, n); }                                 \
  LANEWISE_NV int __nv_ilogb##f(type a) { return lanewise::ilogb(a); }                                            \
  LANEWISE_NV type __nv_remquo##f(type a, type b, int *q) { return lanewise::remquo(a, b, q); }                   \
  LANEWISE_LENGTHS(type, f, , false)                                                                                  \
  LANEWISE_LENGTHS(type, f, r, true)
#define LANEWISE_LENGTHS(type, f, r, reciprocal)                                                                      \
  LANEWISE_NV type __nv_##r##hypot##f(type a, type b) {                                                           \
    type v[2] = {a, b};                                                                                               \
    return lanewise::length(v, 2, reciprocal);                                                                        \
  }                                                                                                                   \
  LANEWISE_NV type __nv_##r##norm3d##f(type a, type b, type c) {                                                  \
    type v[3] = {a, b, c};                                                                                            \
    return lanewise::length(v, 3, reciprocal);                                                                        \
  }                                                                                                                   \
  LANEWISE_NV type __nv_##r##norm4d##f(type a, type b, type c, type d) {                                          \
    type v[4] = {a, b, c, d};                                                                                         \
    return lanewise::length(v, 4, reciprocal);                                                                        \
  }                                                                                                                   \
  LANEWISE_NV type __nv_##r##norm##f(int n, const type *v) { return lanewise::length(v, n, reciprocal); }
LANEWISE_OTHERS(float, f)
LANEWISE_OTHERS(double, )
#undef LANEWISE_LENGTHS
#undef LANEWISE_OTHERS
LANEWISE_NV double __nv_rsqrt(double a) { return 1 / __builtin_sqrt(a); }
LANEWISE_NV float __nv_nanf(const signed char *) { return __builtin_nanf(""); }
LANEWISE_NV double __nv_nan(const signed char *) { return __builtin_nan(""); }
