// Exponents of floats.
#pragma once

namespace lanewise {

// Exponents.
template <class T> LANEWISE_PART T power_of_two(int n) {
  return from_bits<T>((typename Format<T>::Bits)(n + Format<T>::bias) << Format<T>::mantissa);
}
// a * 2^n with one rounding, for 0.25 < |a| < 4.
template <class T> LANEWISE_PART T scale(T a, int n) {
  constexpr int most = Format<T>::bias + 3, least = -Format<T>::bias - Format<T>::mantissa - 3;
  n = n > most ? most : n < least ? least : n;
  int half = n >> 1;
  return a * power_of_two<T>(half) * power_of_two<T>(n - half);
}
// a = m * 2^n with 1 <= |m| < 2. `a` is finite and not 0.
template <class T> LANEWISE_PART T split(T a, int &n) {
  typedef Format<T> F;
  int extra = 0;
  if (absolute(a) < power_of_two<T>(1 - F::bias)) {
    a *= power_of_two<T>(F::mantissa + 1);
    extra = F::mantissa + 1;
  }
  typename F::Bits b = bits(a), mask = (typename F::Bits)(2 * F::bias + 1) << F::mantissa;
  n = (int)((b & mask) >> F::mantissa) - F::bias - extra;
  return from_bits<T>((b & ~mask) | ((typename F::Bits)F::bias << F::mantissa));
}
// Whether `a` is not a finite number above 0. The test of bits is shorter than one of each class.
template <class T> LANEWISE_PART bool not_positive(T a) { return bits(a) - 1 >= bits(infinity<T>()) - 1; }
template <class T> LANEWISE_PART bool zero_or_not_finite(T a) { return not_positive(absolute(a)); }
template <class T> LANEWISE_PART T ldexp(T a, int by) {
  if (zero_or_not_finite(a)) return a;
  int n;
  T m = split(a, n);
  by = by > 5000 ? 5000 : by < -5000 ? -5000 : by;
  return scale(m, n + by);
}
template <class T> LANEWISE_PART T frexp(T a, int *exponent) {
  *exponent = 0;
  if (zero_or_not_finite(a)) return a;
  int n;
  T m = split(a, n);
  *exponent = n + 1;
  return m * (T)0.5;
}
template <class T> LANEWISE_PART int ilogb(T a) {
  if (a == 0 || a != a) return -2147483647 - 1;
  if (absolute(a) == infinity<T>()) return 2147483647;
  int n;
  split(a, n);
  return n;
}
template <class T> LANEWISE_PART T logb(T a) {
  if (a == 0) return -infinity<T>();
  if (zero_or_not_finite(a)) return a * a;
  return (T)ilogb(a);
}
template <class T> LANEWISE_PART T modf(T a, T *integer) {
  T w = whole(a);
  *integer = w;
  return with_sign(absolute(a) == infinity<T>() ? (T)0 : a - w, a);
}
template <class T> LANEWISE_PART T nextafter(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  if (a == 0) return with_sign(from_bits<T>(1), b);
  return from_bits<T>(bits(a) + (((a < b) == (a > 0)) ? 1 : -1));
}

}  // namespace lanewise
