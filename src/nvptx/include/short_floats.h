// The functions that `__half` and `__nv_bfloat16` share, as one macro for both types.
#pragma once

// `type` is the struct of one number, `pair` of two, `native` clang's type, and `name` the letter or
// word in the names of the conversions.
#define LANEWISE_SHORT_FLOAT(type, pair, native, to_float, from_float, from_float_rn, pair_from, pair_low, pair_high)      \
  struct __attribute__((aligned(2))) type {                                                                               \
    native value;                                                                                                         \
    type() = default;                                                                                                     \
    __device__ constexpr type(native v) : value(v) {}                                                                     \
    __device__ type(float v) : value((native)v) {}                                                                        \
    __device__ type(double v) : value((native)v) {}                                                                       \
    __device__ type(int v) : value((native)(float)v) {}                                                                   \
    __device__ type(unsigned int v) : value((native)(float)v) {}                                                          \
    __device__ operator float() const { return (float)value; }                                                            \
  };                                                                                                                      \
  struct __attribute__((aligned(4))) pair {                                                                               \
    type x, y;                                                                                                            \
    pair() = default;                                                                                                     \
    __device__ pair(type x, type y) : x(x), y(y) {}                                                                       \
  };                                                                                                                      \
  __device__ inline float to_float(type a) { return (float)a.value; }                                                     \
  __device__ inline type from_float(float a) { return type((native)a); }                                                  \
  __device__ inline type from_float_rn(float a) { return type((native)a); }                                               \
  __device__ inline pair pair_from(float a, float b) { return pair(type((native)a), type((native)b)); }                   \
  __device__ inline type pair_low(pair a) { return a.x; }                                                                 \
  __device__ inline type pair_high(pair a) { return a.y; }                                                                \
  LANEWISE_SHORT_BINARY(type, pair, add, a.value + b.value)                                                               \
  LANEWISE_SHORT_BINARY(type, pair, sub, a.value - b.value)                                                               \
  LANEWISE_SHORT_BINARY(type, pair, mul, a.value *b.value)                                                                \
  __device__ inline type __hdiv(type a, type b) { return type((native)((float)a.value / (float)b.value)); }               \
  __device__ inline pair __h2div(pair a, pair b) { return pair(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }                     \
  __device__ inline type __hneg(type a) { return type(-a.value); }                                                        \
  __device__ inline pair __hneg2(pair a) { return pair(__hneg(a.x), __hneg(a.y)); }                                       \
  __device__ inline pair __hfma2(pair a, pair b, pair c) { return pair(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }   \
  LANEWISE_SHORT_COMPARE(type, eq, a.value == b.value)                                                                    \
  LANEWISE_SHORT_COMPARE(type, ne, a.value < b.value || a.value > b.value)                                                \
  LANEWISE_SHORT_COMPARE(type, lt, a.value < b.value)                                                                     \
  LANEWISE_SHORT_COMPARE(type, le, a.value <= b.value)                                                                    \
  LANEWISE_SHORT_COMPARE(type, gt, a.value > b.value)                                                                     \
  LANEWISE_SHORT_COMPARE(type, ge, a.value >= b.value)                                                                    \
  __device__ inline bool __hisnan(type a) { return a.value != a.value; }                                                  \
  __device__ inline type operator+(type a, type b) { return __hadd(a, b); }                                               \
  __device__ inline type operator-(type a, type b) { return __hsub(a, b); }                                               \
  __device__ inline type operator*(type a, type b) { return __hmul(a, b); }                                               \
  __device__ inline type operator/(type a, type b) { return __hdiv(a, b); }                                               \
  __device__ inline type operator-(type a) { return __hneg(a); }                                                          \
  __device__ inline type &operator+=(type &a, type b) { return a = a + b; }                                               \
  __device__ inline type &operator-=(type &a, type b) { return a = a - b; }                                               \
  __device__ inline type &operator*=(type &a, type b) { return a = a * b; }                                               \
  __device__ inline type &operator/=(type &a, type b) { return a = a / b; }                                               \
  __device__ inline bool operator==(type a, type b) { return a.value == b.value; }                                        \
  __device__ inline bool operator!=(type a, type b) { return a.value != b.value; }                                        \
  __device__ inline bool operator<(type a, type b) { return a.value < b.value; }                                          \
  __device__ inline bool operator<=(type a, type b) { return a.value <= b.value; }                                        \
  __device__ inline bool operator>(type a, type b) { return a.value > b.value; }                                          \
  __device__ inline bool operator>=(type a, type b) { return a.value >= b.value; }                                        \
  __device__ inline pair operator+(pair a, pair b) { return __hadd2(a, b); }                                              \
  __device__ inline pair operator-(pair a, pair b) { return __hsub2(a, b); }                                              \
  __device__ inline pair operator*(pair a, pair b) { return __hmul2(a, b); }                                              \
  LANEWISE_SHORT_SHUFFLES(type, pair)

#define LANEWISE_SHORT_BINARY(type, pair, name, expression)                                                       \
  __device__ inline type __h##name(type a, type b) { return type(expression); }                                   \
  __device__ inline type __h##name##_rn(type a, type b) { return type(expression); }                              \
  __device__ inline pair __h##name##2(pair a, pair b) { return pair(__h##name(a.x, b.x), __h##name(a.y, b.y)); }

#define LANEWISE_SHORT_COMPARE(type, name, expression) \
  __device__ inline bool __h##name(type a, type b) { return expression; }

// A shuffle moves the bits.
#define LANEWISE_SHORT_SHUFFLE(name, last, type, word)                                                     \
  __device__ inline type name(unsigned int mask, type v, last b, int width = 32) {                         \
    return __builtin_bit_cast(type, (word)name(mask, (unsigned int)__builtin_bit_cast(word, v), b, width)); \
  }
#define LANEWISE_SHORT_SHUFFLES(type, pair)                                  \
  LANEWISE_SHORT_SHUFFLE(__shfl_sync, int, type, unsigned short)             \
  LANEWISE_SHORT_SHUFFLE(__shfl_up_sync, unsigned int, type, unsigned short) \
  LANEWISE_SHORT_SHUFFLE(__shfl_down_sync, unsigned int, type, unsigned short) \
  LANEWISE_SHORT_SHUFFLE(__shfl_xor_sync, int, type, unsigned short)         \
  LANEWISE_SHORT_SHUFFLE(__shfl_sync, int, pair, unsigned int)               \
  LANEWISE_SHORT_SHUFFLE(__shfl_up_sync, unsigned int, pair, unsigned int)   \
  LANEWISE_SHORT_SHUFFLE(__shfl_down_sync, unsigned int, pair, unsigned int) \
  LANEWISE_SHORT_SHUFFLE(__shfl_xor_sync, int, pair, unsigned int)
