// The two formats of floats, and polynomials.
#pragma once

namespace lanewise {

// What the two formats differ in. `step` is how many bits a remainder can shift left.
template <class T> struct Format;
template <> struct Format<float> {
  typedef unsigned int Bits;
  typedef int Signed;
  static constexpr int mantissa = 23, bias = 127, step = 8;
  static constexpr Bits root_half = 0x3f3504f3u;
};
template <> struct Format<double> {
  typedef unsigned long long Bits;
  typedef long long Signed;
  static constexpr int mantissa = 52, bias = 1023, step = 11;
  static constexpr Bits root_half = 0x3fe6a09e667f3bcdull;
};

template <class T> LANEWISE_PART typename Format<T>::Bits bits(T a) {
  return __builtin_bit_cast(typename Format<T>::Bits, a);
}
template <class T> LANEWISE_PART T from_bits(typename Format<T>::Bits a) { return __builtin_bit_cast(T, a); }
template <class T> LANEWISE_PART T pick(float, double);
template <> LANEWISE_PART float pick<float>(float a, double) { return a; }
template <> LANEWISE_PART double pick<double>(float, double b) { return b; }
LANEWISE_PART float absolute(float a) { return __builtin_fabsf(a); }
LANEWISE_PART double absolute(double a) { return __builtin_fabs(a); }
LANEWISE_PART float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LANEWISE_PART double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
LANEWISE_PART float nearest(float a) { return __builtin_rintf(a); }
LANEWISE_PART double nearest(double a) { return __builtin_rint(a); }
LANEWISE_PART float whole(float a) { return __builtin_truncf(a); }
LANEWISE_PART double whole(double a) { return __builtin_trunc(a); }
LANEWISE_PART float square_root(float a) { return __builtin_sqrtf(a); }
LANEWISE_PART double square_root(double a) { return __builtin_sqrt(a); }
LANEWISE_PART float with_sign(float a, float b) { return __builtin_copysignf(a, b); }
LANEWISE_PART double with_sign(double a, double b) { return __builtin_copysign(a, b); }
template <class T> LANEWISE_PART T infinity() { return (T)__builtin_inff(); }
template <class T> LANEWISE_PART T not_a_number() { return (T)__builtin_nanf(""); }
template <class T> LANEWISE_PART bool negative(T a) { return bits(a) >> (sizeof(T) * 8 - 1); }
template <class T> LANEWISE_PART bool integral(T a) { return whole(a) == a; }
template <class T> LANEWISE_PART bool odd(T a) { return integral(a) && !integral(a * (T)0.5); }

// A polynomial in `z`; the first coefficient is the constant.
template <class T> LANEWISE_PART T polynomial(T, T c) { return c; }
template <class T, class... Rest> LANEWISE_PART T polynomial(T z, T c, Rest... rest) {
  return multiply_add(polynomial(z, (T)rest...), z, c);
}

}  // namespace lanewise
