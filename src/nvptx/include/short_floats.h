// The functions that `__half` and `__nv_bfloat16` share. Each macro defines those of one group.
#pragma once

#define LANEWISE_SHORT static __host__ __device__ inline __attribute__((always_inline))

// `type` is the struct of one number, `pair` of two, and `native` clang's type.
#define LANEWISE_SHORT_TYPES(type, pair, native)                                                \
  struct __attribute__((aligned(2))) type {                                                     \
    native value;                                                                               \
    type() = default;                                                                           \
    __host__ __device__ constexpr type(native v) : value(v) {}                                  \
    __host__ __device__ type(float v) : value((native)v) {}                                     \
    __host__ __device__ type(double v) : value((native)v) {}                                    \
    __host__ __device__ type(short v) : value((native)(float)v) {}                              \
    __host__ __device__ type(unsigned short v) : value((native)(float)v) {}                     \
    __host__ __device__ type(int v) : value((native)(double)v) {}                               \
    __host__ __device__ type(unsigned int v) : value((native)(double)v) {}                      \
    __host__ __device__ type(long v) : value((native)(double)v) {}                              \
    __host__ __device__ type(unsigned long v) : value((native)(double)v) {}                     \
    __host__ __device__ type(long long v) : value((native)(double)v) {}                         \
    __host__ __device__ type(unsigned long long v) : value((native)(double)v) {}                \
    __host__ __device__ operator float() const { return (float)value; }                         \
  };                                                                                            \
  struct __attribute__((aligned(4))) pair {                                                     \
    type x, y;                                                                                  \
    pair() = default;                                                                           \
    __host__ __device__ constexpr pair(type x, type y) : x(x), y(y) {}                          \
  };                                                                                            \
  struct __attribute__((aligned(2))) type##_raw { unsigned short x; };                          \
  LANEWISE_SHORT unsigned short __lanewise_bits(type a) { return __builtin_bit_cast(unsigned short, a); } \
  LANEWISE_SHORT type __lanewise_##type(unsigned short a) { return __builtin_bit_cast(type, a); } \
  LANEWISE_SHORT type __hneg(type a) { return __lanewise_##type(__lanewise_bits(a) ^ 0x8000); } \
  LANEWISE_SHORT type __habs(type a) { return __lanewise_##type(__lanewise_bits(a) & 0x7fff); } \
  LANEWISE_SHORT bool __hisnan(type a) { return a.value != a.value; }                           \
  LANEWISE_SHORT type __hdiv(type a, type b) { return type((native)((float)a.value / (float)b.value)); }

// An instruction on a pair. It makes each NaN the canonical one.
#define LANEWISE_ON_PAIR(pair, name, instruction)                                                  \
  LANEWISE_SHORT pair name(pair a) {                                                               \
    unsigned result;                                                                               \
    __asm__(instruction " %0, %1;" : "=r"(result) : "r"(__builtin_bit_cast(unsigned, a)));         \
    return __builtin_bit_cast(pair, result);                                                       \
  }

// A function of one, two or three numbers for each of a pair.
#define LANEWISE_EACH1(type, pair, of_pair, of_one) \
  LANEWISE_SHORT pair of_pair(pair a) { return pair(of_one(a.x), of_one(a.y)); }
#define LANEWISE_EACH2(type, pair, of_pair, of_one) \
  LANEWISE_SHORT pair of_pair(pair a, pair b) { return pair(of_one(a.x, b.x), of_one(a.y, b.y)); }
#define LANEWISE_EACH3(type, pair, of_pair, of_one) \
  LANEWISE_SHORT pair of_pair(pair a, pair b, pair c) { return pair(of_one(a.x, b.x, c.x), of_one(a.y, b.y, c.y)); }

// The sum and the like, of which only `_rn` keeps its rounding before another operation.
#define LANEWISE_SHORT_BINARY(type, pair, native, name, operation)                \
  LANEWISE_SHORT type __h##name(type a, type b) { return type((native)(a.value operation b.value)); } \
  LANEWISE_SHORT type __h##name##_rn(type a, type b) {                            \
    _Pragma("clang fp contract(off)") return type((native)(a.value operation b.value)); \
  }                                                                               \
  LANEWISE_SHORT type __h##name##_sat(type a, type b) { return __lanewise_saturate(__h##name##_rn(a, b)); } \
  LANEWISE_EACH2(type, pair, __h##name##2, __h##name)                             \
  LANEWISE_EACH2(type, pair, __h##name##2_rn, __h##name##_rn)                     \
  LANEWISE_EACH2(type, pair, __h##name##2_sat, __h##name##_sat)

#define LANEWISE_SHORT_COMPARE(type, pair, name, condition)                                               \
  LANEWISE_SHORT bool __h##name(type left, type right) {                                                  \
    auto a = left.value, b = right.value;                                                                 \
    return condition;                                                                                     \
  }                                                                                                       \
  LANEWISE_SHORT pair __h##name##2(pair a, pair b) {                                                      \
    return pair(type(__h##name(a.x, b.x) ? 1.0f : 0.0f), type(__h##name(a.y, b.y) ? 1.0f : 0.0f));        \
  }                                                                                                       \
  LANEWISE_SHORT unsigned __h##name##2_mask(pair a, pair b) {                                             \
    return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);                 \
  }                                                                                                       \
  LANEWISE_SHORT bool __hb##name##2(pair a, pair b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }

// Comparisons with a `u` are true if an operand is NaN.
#define LANEWISE_SHORT_COMPARISONS(type, pair)        \
  LANEWISE_SHORT_COMPARE(type, pair, eq, a == b)      \
  LANEWISE_SHORT_COMPARE(type, pair, ne, a < b || a > b) \
  LANEWISE_SHORT_COMPARE(type, pair, lt, a < b)       \
  LANEWISE_SHORT_COMPARE(type, pair, le, a <= b)      \
  LANEWISE_SHORT_COMPARE(type, pair, gt, a > b)       \
  LANEWISE_SHORT_COMPARE(type, pair, ge, a >= b)      \
  LANEWISE_SHORT_COMPARE(type, pair, equ, !(a < b || a > b)) \
  LANEWISE_SHORT_COMPARE(type, pair, neu, !(a == b))  \
  LANEWISE_SHORT_COMPARE(type, pair, ltu, !(a >= b))  \
  LANEWISE_SHORT_COMPARE(type, pair, leu, !(a > b))   \
  LANEWISE_SHORT_COMPARE(type, pair, gtu, !(a <= b))  \
  LANEWISE_SHORT_COMPARE(type, pair, geu, !(a < b))

#define LANEWISE_SHORT_OPERATOR(type, pair, symbol, function)                                       \
  LANEWISE_SHORT type operator symbol(type a, type b) { return function(a, b); }                    \
  LANEWISE_SHORT type &operator symbol##=(type &a, type b) { return a = function(a, b); }           \
  LANEWISE_SHORT pair operator symbol(pair a, pair b) { return pair(function(a.x, b.x), function(a.y, b.y)); } \
  LANEWISE_SHORT pair &operator symbol##=(pair &a, pair b) { return a = a symbol b; }
#define LANEWISE_SHORT_RELATION(type, pair, symbol, name)                               \
  LANEWISE_SHORT bool operator symbol(type a, type b) { return __h##name(a, b); }       \
  LANEWISE_SHORT bool operator symbol(pair a, pair b) { return __hb##name##2(a, b); }
#define LANEWISE_SHORT_OPERATORS(type, pair)               \
  LANEWISE_SHORT_OPERATOR(type, pair, +, __hadd)           \
  LANEWISE_SHORT_OPERATOR(type, pair, -, __hsub)           \
  LANEWISE_SHORT_OPERATOR(type, pair, *, __hmul)           \
  LANEWISE_SHORT_OPERATOR(type, pair, /, __hdiv)           \
  LANEWISE_SHORT_RELATION(type, pair, ==, eq)              \
  LANEWISE_SHORT_RELATION(type, pair, !=, neu)             \
  LANEWISE_SHORT_RELATION(type, pair, <, lt)               \
  LANEWISE_SHORT_RELATION(type, pair, <=, le)              \
  LANEWISE_SHORT_RELATION(type, pair, >, gt)               \
  LANEWISE_SHORT_RELATION(type, pair, >=, ge)              \
  LANEWISE_SHORT type operator-(type a) { return __hneg(a); } \
  LANEWISE_SHORT type operator+(type a) { return a; }      \
  LANEWISE_SHORT pair operator-(pair a) { return __hneg2(a); }

// Needs the minimum, maximum and product-sum of one number.
#define LANEWISE_SHORT_ARITHMETIC(type, pair, native)                                                       \
  LANEWISE_SHORT type __lanewise_saturate(type a) { return __hmin(__hmax(a, type(0.0f)), type(1.0f)); }     \
  LANEWISE_SHORT_BINARY(type, pair, native, add, +)                                                         \
  LANEWISE_SHORT_BINARY(type, pair, native, sub, -)                                                         \
  LANEWISE_SHORT_BINARY(type, pair, native, mul, *)                                                         \
  LANEWISE_SHORT type __hfma_sat(type a, type b, type c) { return __lanewise_saturate(__hfma(a, b, c)); }   \
  LANEWISE_SHORT type __hfma_relu(type a, type b, type c) { return __hmax_nan(__hfma(a, b, c), type(0.0f)); } \
  LANEWISE_EACH3(type, pair, __hfma2, __hfma)                                                               \
  LANEWISE_EACH3(type, pair, __hfma2_sat, __hfma_sat)                                                       \
  LANEWISE_EACH3(type, pair, __hfma2_relu, __hfma_relu)                                                     \
  LANEWISE_EACH2(type, pair, __h2div, __hdiv)                                                               \
  LANEWISE_EACH2(type, pair, __hmin2, __hmin)                                                               \
  LANEWISE_EACH2(type, pair, __hmax2, __hmax)                                                               \
  LANEWISE_EACH2(type, pair, __hmin2_nan, __hmin_nan)                                                       \
  LANEWISE_EACH2(type, pair, __hmax2_nan, __hmax_nan)                                                       \
  LANEWISE_SHORT_COMPARISONS(type, pair)                                                                    \
  LANEWISE_SHORT pair __hisnan2(pair a) { return __hneu2(a, a); }                                           \
  LANEWISE_SHORT int __hisinf(type a) { return __habs(a).value == __builtin_inff() ? (a.value > 0 ? 1 : -1) : 0; } \
  LANEWISE_SHORT_OPERATORS(type, pair)

// A function of f32 whose result is rounded again: `h` and `h2` precede its name.
#define LANEWISE_SHORT_FUNCTION(type, pair, native, name, of_float)                       \
  LANEWISE_SHORT type h##name(type a) { return type((native)of_float((float)a.value)); }  \
  LANEWISE_EACH1(type, pair, h2##name, h##name)
// The f32 root and quotient are rounded correctly to the short format.
#define LANEWISE_SHORT_FUNCTIONS(type, pair, native)                             \
  LANEWISE_SHORT_FUNCTION(type, pair, native, sqrt, __builtin_sqrtf)             \
  LANEWISE_SHORT_FUNCTION(type, pair, native, rsqrt, __nvvm_rsqrt_approx_f)      \
  LANEWISE_SHORT_FUNCTION(type, pair, native, rcp, 1.0f /)                       \
  LANEWISE_SHORT_FUNCTION(type, pair, native, exp, __nv_expf)                    \
  LANEWISE_SHORT_FUNCTION(type, pair, native, exp2, __nvvm_ex2_approx_f)         \
  LANEWISE_SHORT_FUNCTION(type, pair, native, exp10, __nv_exp10f)                \
  LANEWISE_SHORT_FUNCTION(type, pair, native, log, __nv_logf)                    \
  LANEWISE_SHORT_FUNCTION(type, pair, native, log2, __nv_log2f)                  \
  LANEWISE_SHORT_FUNCTION(type, pair, native, log10, __nv_log10f)                \
  LANEWISE_SHORT_FUNCTION(type, pair, native, sin, __nv_sinf)                    \
  LANEWISE_SHORT_FUNCTION(type, pair, native, cos, __nv_cosf)                    \
  LANEWISE_SHORT_FUNCTION(type, pair, native, tanh, __nv_tanhf)                  \
  LANEWISE_SHORT_FUNCTION(type, pair, native, rint, __builtin_rintf)             \
  LANEWISE_SHORT_FUNCTION(type, pair, native, trunc, __builtin_truncf)           \
  LANEWISE_SHORT_FUNCTION(type, pair, native, floor, __builtin_floorf)           \
  LANEWISE_SHORT_FUNCTION(type, pair, native, ceil, __builtin_ceilf)

// Conversions from and to an integer, in one rounding mode. The f32 holds each value of the short format.
#define LANEWISE_SHORT_TO_INTEGER(type, word, integer, name, mode, ptx, kind, register)        \
  LANEWISE_SHORT integer __##word##2##name##_##mode(type a) {                                  \
    integer result;                                                                            \
    __asm__("cvt." ptx "i." kind ".f32 %0, %1;" : register(result) : "f"((float)a.value));     \
    return result;                                                                             \
  }
#define LANEWISE_SHORT_FROM_INTEGER(type, word, integer, name, mode, ptx, kind, register)      \
  LANEWISE_SHORT type __##name##2##word##_##mode(integer a) {                                  \
    float truncated;                                                                           \
    integer back;                                                                              \
    __asm__("cvt.rz.f32." kind " %0, %1;" : "=f"(truncated) : register(a));                    \
    __asm__("cvt.rzi." kind ".f32 %0, %1;" : "=" register(back) : "f"(truncated));             \
    /* The lowest bit of an inexact f32 is set, so that the second rounding is right. */       \
    return __float2##word##_##mode(__int_as_float(__float_as_int(truncated) | (back != a)));   \
  }
#define LANEWISE_SHORT_INTEGER(type, word, integer, name, kind, register)                      \
  LANEWISE_SHORT_TO_INTEGER(type, word, integer, name, rn, "rn", kind, "=" register)           \
  LANEWISE_SHORT_TO_INTEGER(type, word, integer, name, rz, "rz", kind, "=" register)           \
  LANEWISE_SHORT_TO_INTEGER(type, word, integer, name, rd, "rm", kind, "=" register)           \
  LANEWISE_SHORT_TO_INTEGER(type, word, integer, name, ru, "rp", kind, "=" register)           \
  LANEWISE_SHORT_FROM_INTEGER(type, word, integer, name, rn, "rn", kind, register)             \
  LANEWISE_SHORT_FROM_INTEGER(type, word, integer, name, rz, "rz", kind, register)             \
  LANEWISE_SHORT_FROM_INTEGER(type, word, integer, name, rd, "rm", kind, register)             \
  LANEWISE_SHORT_FROM_INTEGER(type, word, integer, name, ru, "rp", kind, register)
#define LANEWISE_SHORT_INTEGERS(type, word)                                       \
  LANEWISE_SHORT_INTEGER(type, word, short, short, "s16", "h")                    \
  LANEWISE_SHORT_INTEGER(type, word, unsigned short, ushort, "u16", "h")          \
  LANEWISE_SHORT_INTEGER(type, word, int, int, "s32", "r")                        \
  LANEWISE_SHORT_INTEGER(type, word, unsigned int, uint, "u32", "r")              \
  LANEWISE_SHORT_INTEGER(type, word, long long, ll, "s64", "l")                   \
  LANEWISE_SHORT_INTEGER(type, word, unsigned long long, ull, "u64", "l")         \
  LANEWISE_SHORT signed char __##word##2char_rz(type a) {                         \
    int whole = __##word##2int_rz(a);                                             \
    return whole < -128 ? -128 : whole > 127 ? 127 : whole;                       \
  }                                                                               \
  LANEWISE_SHORT unsigned char __##word##2uchar_rz(type a) {                      \
    unsigned whole = __##word##2uint_rz(a);                                       \
    return whole > 255 ? 255 : whole;                                             \
  }

// A shuffle, a load or an update moves the bits.
#define LANEWISE_SHORT_SHUFFLE(name, last, type, word)                                                     \
  LANEWISE_SHORT type name(unsigned int mask, type v, last b, int width = 32) {                            \
    return __builtin_bit_cast(type, (word)name(mask, (unsigned int)__builtin_bit_cast(word, v), b, width)); \
  }
#define LANEWISE_SHORT_LOAD(name, type, word) \
  LANEWISE_SHORT type name(const type *p) { return __builtin_bit_cast(type, name((const word *)p)); }
#define LANEWISE_SHORT_ATOMIC(type, word, kind, register)                                               \
  LANEWISE_SHORT type atomicAdd(type *p, type v) {                                                      \
    word old;                                                                                           \
    __asm__ volatile("atom.add.noftz." kind " %0, [%1], %2;"                                            \
                     : "=" register(old) : "l"(p), register(__builtin_bit_cast(word, v)) : "memory");   \
    return __builtin_bit_cast(type, old);                                                               \
  }
#define LANEWISE_SHORT_MEMORY(type, pair, kind)                                   \
  LANEWISE_SHORT_SHUFFLE(__shfl_sync, int, type, unsigned short)                  \
  LANEWISE_SHORT_SHUFFLE(__shfl_up_sync, unsigned int, type, unsigned short)      \
  LANEWISE_SHORT_SHUFFLE(__shfl_down_sync, unsigned int, type, unsigned short)    \
  LANEWISE_SHORT_SHUFFLE(__shfl_xor_sync, int, type, unsigned short)              \
  LANEWISE_SHORT_SHUFFLE(__shfl_sync, int, pair, unsigned int)                    \
  LANEWISE_SHORT_SHUFFLE(__shfl_up_sync, unsigned int, pair, unsigned int)        \
  LANEWISE_SHORT_SHUFFLE(__shfl_down_sync, unsigned int, pair, unsigned int)      \
  LANEWISE_SHORT_SHUFFLE(__shfl_xor_sync, int, pair, unsigned int)                \
  LANEWISE_SHORT_LOAD(__ldg, type, unsigned short)                                \
  LANEWISE_SHORT_LOAD(__ldg, pair, unsigned int)                                  \
  LANEWISE_SHORT_ATOMIC(type, unsigned short, kind, "h")                          \
  LANEWISE_SHORT_ATOMIC(pair, unsigned int, kind "x2", "r")

// The names of conversions: `word` is `half`, `one` and `two` are `half` and `half2`.
#define LANEWISE_SHORT_NAMES(type, pair, native, word, one, two)                                           \
  LANEWISE_SHORT float __##word##2float(type a) { return (float)a.value; }                                 \
  LANEWISE_SHORT type __float2##word(float a) { return type((native)a); }                                  \
  LANEWISE_SHORT type __float2##word##_rn(float a) { return type((native)a); }                             \
  LANEWISE_SHORT type __double2##word(double a) { return type((native)a); }                                \
  LANEWISE_SHORT pair __floats2##two##_rn(float a, float b) { return pair(type((native)a), type((native)b)); } \
  LANEWISE_SHORT pair __float22##two##_rn(float2 a) { return __floats2##two##_rn(a.x, a.y); }              \
  LANEWISE_SHORT pair __float2##two##_rn(float a) { return __floats2##two##_rn(a, a); }                    \
  LANEWISE_SHORT float2 __##two##2float2(pair a) { return make_float2((float)a.x.value, (float)a.y.value); } \
  LANEWISE_SHORT float __low2float(pair a) { return (float)a.x.value; }                                    \
  LANEWISE_SHORT float __high2float(pair a) { return (float)a.y.value; }                                   \
  LANEWISE_SHORT type __low2##one(pair a) { return a.x; }                                                  \
  LANEWISE_SHORT type __high2##one(pair a) { return a.y; }                                                 \
  LANEWISE_SHORT pair __low2##two(pair a) { return pair(a.x, a.x); }                                       \
  LANEWISE_SHORT pair __high2##two(pair a) { return pair(a.y, a.y); }                                      \
  LANEWISE_SHORT pair __lows2##two(pair a, pair b) { return pair(a.x, b.x); }                              \
  LANEWISE_SHORT pair __highs2##two(pair a, pair b) { return pair(a.y, b.y); }                             \
  LANEWISE_SHORT pair __lowhigh2highlow(pair a) { return pair(a.y, a.x); }                                 \
  LANEWISE_SHORT pair __halves2##two(type a, type b) { return pair(a, b); }                                \
  LANEWISE_SHORT pair __##one##2##two(type a) { return pair(a, a); }                                       \
  LANEWISE_SHORT pair make_##two(type a, type b) { return pair(a, b); }                                    \
  LANEWISE_SHORT unsigned short __##one##_as_ushort(type a) { return __lanewise_bits(a); }                 \
  LANEWISE_SHORT short __##one##_as_short(type a) { return (short)__lanewise_bits(a); }                    \
  LANEWISE_SHORT type __ushort_as_##one(unsigned short a) { return __lanewise_##type(a); }                 \
  LANEWISE_SHORT type __short_as_##one(short a) { return __lanewise_##type((unsigned short)a); }
