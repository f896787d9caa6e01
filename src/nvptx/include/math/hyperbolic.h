// Hyperbolic functions and their inverses.
#pragma once

namespace lanewise {

// Hyperbolic functions: polynomials near 0, and e^a beyond.
template <class T> LANEWISE_PART T tanh(T a) {
  T size = absolute(a);
  if (size < (T)0.625) return a == 0 ? a : multiply_add(a * (a * a), tanh_tail(a * a), a);
  T value = (T)1 - (T)2 / (exp((T)2 * (size > (T)30 ? (T)30 : size)) + (T)1);
  return a != a ? a : with_sign(value, a);
}
template <class T> LANEWISE_PART T sinh(T a) {
  T size = absolute(a);
  if (size < (T)1) return multiply_add(a * (a * a), sinh_tail(a * a), a);
  T e = exp_shifted(size, -1);
  return a != a ? a : with_sign(e - (T)0.25 / e, a);
}
template <class T> LANEWISE_PART T cosh(T a) {
  T e = exp_shifted(absolute(a), -1);
  return e + (T)0.25 / e;
}
// log(a + sqrt(a^2 + 1)) = log1p(a + a^2 / (1 + sqrt(a^2 + 1))).
template <class T> LANEWISE_PART T log_twice(T a) {
  LogParts<T> p = log_parts(a);
  p.n += (T)1;
  return log_sum(p);
}
template <class T> LANEWISE_PART T asinh(T a) {
  T size = absolute(a);
  if (!(size < infinity<T>()) || size < pick<T>(1e-4f, 1e-8)) return a;
  if (size > pick<T>(1e8f, 1e17)) return with_sign(log_twice(size), a);
  T square = size * size;
  return with_sign(log1p(size + square / ((T)1 + square_root(square + (T)1))), a);
}
template <class T> LANEWISE_PART T acosh(T a) {
  if (!(a >= (T)1)) return not_a_number<T>();
  if (a == infinity<T>()) return a;
  if (a > pick<T>(1e8f, 1e17)) return log_twice(a);
  T t = a - (T)1;
  T square = multiply_add(t, t, (T)2 * t), root = square_root(square);
  return log1p(t + root);
}
template <class T> LANEWISE_PART T atanh(T a) {
  T size = absolute(a);
  if (!(size < (T)1)) return size == (T)1 ? a * infinity<T>() : not_a_number<T>();
  if (size < pick<T>(1e-4f, 1e-8)) return a;
  T twice = size + size, value;
  value = size < (T)0.5 ? twice + twice * size / ((T)1 - size) : twice / ((T)1 - size);
  return with_sign((T)0.5 * log1p(value), a);
}

}  // namespace lanewise
