// Exponential functions.
#pragma once

namespace lanewise {

// e^(a + low) for |a| < 0.35, where `low` is small: e^a * (1 + low).
template <class T> LANEWISE_PART T exp_near(T a, T low) {
  T square = a * a;
  T tail = exp_tail(a);
  return (T)1 + (a + multiply_add(square, tail, multiply_add(low, multiply_add(square, tail, a), low)));
}
template <class T> LANEWISE_PART T exp_reduced(T a, T low, int n) { return scale(exp_near(a, low), n); }
template <class T> LANEWISE_PART T clamp_exponent(T a, T most) { return a > most ? most : a < -most ? -most : a; }
// a - n * ln 2 as a pair.
template <class T> LANEWISE_PART Pair<T> reduce_ln2(T a, T n) {
  T high = multiply_add(n, -pick<T>(0.693145752f, 0.69314718036912382), a);
  T low = n * -pick<T>(1.42860677e-6f, 1.9082149292705877e-10);
  return sum(high, low);
}
// e^a * 2^k.
template <class T> LANEWISE_PART T exp_shifted(T a, int k) {
  if (a != a) return a;
  a = clamp_exponent(a, pick<T>(192, 1600));
  T n = nearest(a * pick<T>(1.44269502f, 1.4426950408889634));
  Pair<T> r = reduce_ln2(a, n);
  return exp_reduced(r.high, r.low, (int)n + k);
}
template <class T> LANEWISE_PART T exp(T a) { return exp_shifted(a, 0); }
template <class T> LANEWISE_PART T exp2(T a) {
  if (a != a) return a;
  a = clamp_exponent(a, pick<T>(256, 2048));
  T n = nearest(a), r = a - n;
  constexpr T high = (T)0.69314718055994529, low = sizeof(T) == 4 ? (T)-1.90465421e-9 : (T)2.3190468138462996e-17;
  Pair<T> p = product(r, high);
  return exp_reduced(p.high, multiply_add(r, low, p.low), (int)n);
}
template <class T> LANEWISE_PART T exp10(T a) {
  if (a != a) return a;
  a = clamp_exponent(a, pick<T>(80, 640));
  T n = nearest(a * pick<T>(3.32192802f, 3.3219280948873622));
  T r = multiply_add(n, -pick<T>(0.30103001f, 0.3010299956639812), a);
  r = multiply_add(n, -pick<T>(-1.43209888e-8f, -2.8037281277851704e-18), r);
  Pair<T> p = product(r, pick<T>(2.30258512f, 2.3025850929940459));
  return exp_reduced(p.high, multiply_add(r, pick<T>(-3.19754356e-8f, -2.1707562233822494e-16), p.low), (int)n);
}
// 2^n * (e^r - 1) + (2^n - 1), at half size so that 2^n does not overflow.
template <class T> LANEWISE_PART T expm1(T a) {
  if (absolute(a) < pick<T>(2.9802322e-8f, 5.5511151231257827e-17) || a != a) return a;
  if (a > pick<T>(89, 710)) return infinity<T>();
  a = a < (T)-60 ? (T)-60 : a;
  T n = nearest(a * pick<T>(1.44269502f, 1.4426950408889634));
  Pair<T> r = reduce_ln2(a, n);
  T e = multiply_add(r.high * r.high, exp_tail(r.high), r.low);
  if (n == 0) return r.high + e;
  T half = power_of_two<T>((int)n - 1);
  Pair<T> s = sum(r.high, e);
  return (T)2 * multiply_add(half, s.high, (half - (T)0.5) + half * s.low);
}

}  // namespace lanewise
