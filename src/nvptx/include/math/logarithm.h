// Logarithms.
#pragma once

namespace lanewise {

// Natural logarithm of `a` > 0, finite, as n * ln 2 + high + low, where `high` is exact.
template <class T> struct LogParts {
  T n, high, low;
};
template <class T> LANEWISE_PART T log_fraction(T a, T &n) {
  typedef Format<T> F;
  int extra = 0;
  if (a < power_of_two<T>(1 - F::bias)) {
    a *= power_of_two<T>(F::mantissa + 1);
    extra = F::mantissa + 1;
  }
  typename F::Bits b = bits(a);
  int exponent = (int)((typename F::Signed)(b - F::root_half) >> F::mantissa);
  n = (T)(exponent - extra);
  return from_bits<T>(b - ((typename F::Bits)exponent << F::mantissa)) - (T)1;
}
// With s = f / (2 + f): log(1 + f) = 2 atanh(s) = f - (f^2 / 2 - s * (f^2 / 2 + z * tail)), z = s^2.
template <class T> LANEWISE_PART T log_low(T f) {
  T s = f / ((T)2 + f), z = s * s, half = (T)0.5 * f * f;
  return multiply_add(s, multiply_add(z, log_tail(z), half), -half);
}
template <class T> LANEWISE_PART LogParts<T> log_parts(T a) {
  LogParts<T> p;
  p.high = log_fraction(a, p.n);
  p.low = log_low(p.high);
  return p;
}
template <class T> LANEWISE_PART T log_sum(LogParts<T> p) {
  T low = multiply_add(p.n, pick<T>(-1.90465421e-9f, 2.3190468138462996e-17), p.low);
  Pair<T> s = product(p.n, pick<T>(0.693147182f, 0.69314718055994529));
  Pair<T> t = sum(s.high, p.high);
  return t.high + (t.low + (s.low + low));
}
template <class T> LANEWISE_PART T log_outside(T a) {
  return a == 0 ? -infinity<T>() : a > 0 || a != a ? a : not_a_number<T>();
}
template <class T> LANEWISE_PART T log(T a) {
  if (not_positive(a)) return log_outside(a);
  return log_sum(log_parts(a));
}
// The logarithm in a base whose own logarithm is 1 / (high + low), where n * ln 2 becomes n * unit.
template <class T> LANEWISE_PART T log_based(T a, T high, T low, Pair<T> unit) {
  if (not_positive(a)) return log_outside(a);
  LogParts<T> p = log_parts(a);
  Pair<T> s = product(p.high, high), u = product(p.n, unit.high);
  T rest = s.low + multiply_add(p.low, high, multiply_add(p.high, low, multiply_add(p.n, unit.low, u.low)));
  Pair<T> t = sum(u.high, s.high);
  return t.high + (t.low + rest);
}
template <class T> LANEWISE_PART T log2(T a) {
  return log_based<T>(a, pick<T>(1.44269502f, 1.4426950408889634), pick<T>(1.92596303e-8f, 2.0355273740931033e-17),
                      {(T)1, (T)0});
}
template <class T> LANEWISE_PART T log10(T a) {
  return log_based<T>(a, pick<T>(0.434294492f, 0.43429448190325182), pick<T>(-1.010305e-8f, 1.0983196502167651e-17),
                      {pick<T>(0.30103001f, 0.3010299956639812), pick<T>(-1.43209888e-8f, -2.8037281277851704e-18)});
}
// log(1 + a + low), where `low` is far below `a`.
template <class T> LANEWISE_PART T log1p_pair(T a, T low) {
  LogParts<T> p;
  if (absolute(a) < (T)0.25) {
    p = {(T)0, a, log_low(a)};
    p.low += low / ((T)1 + a);
  } else {
    T u = (T)1 + a;
    T lost = a < (T)1 ? a - (u - (T)1) : (T)1 - (u - a);
    p = log_parts(u);
    p.low += (lost + low) / u;
  }
  return log_sum(p);
}
template <class T> LANEWISE_PART T log1p(T a) {
  if (a == 0 || !(a > (T)-1 && a < infinity<T>())) {
    return a == (T)-1 ? -infinity<T>() : a < (T)-1 ? not_a_number<T>() : a;
  }
  return log1p_pair(a, (T)0);
}

}  // namespace lanewise
