// Cube roots and lengths.
#pragma once

namespace lanewise {

// Cube roots: a cubic estimate, Halley's steps, and Newton's step with an exact residue.
template <class T> LANEWISE_PART T cbrt(T a) {
  if (zero_or_not_finite(a)) return a;
  int n;
  T m = absolute(split(a, n));
  int third = (n + 3000) / 3 - 1000, left = n - 3 * third;
  m *= (T)(1 << left);
  T t = polynomial<T>(m, (T)0.68, (T)0.36, (T)-0.034, (T)0.0016);
  for (int i = 0; i < (sizeof(T) == 4 ? 2 : 3); i++) {
    T cube = t * t * t;
    t = t * (cube + (m + m)) / (cube + cube + m);
  }
  Pair<T> square = product(t, t);
  t -= multiply_add(t, square.low, multiply_add(t, square.high, -m)) / ((T)3 * square.high);
  return with_sign(scale(t, third), a);
}
template <class T> LANEWISE_PART T rcbrt(T a) { return (T)1 / cbrt(a); }

// Lengths: numbers are scaled by a power of two so that squares stay in range.
template <class T> LANEWISE_PART T length(const T *a, int count, bool reciprocal) {
  T most = 0, nan = 0;
  for (int i = 0; i < count; i++) {
    T size = absolute(a[i]);
    most = size > most ? size : most;
    nan += size != size ? size : (T)0;
  }
  if (most == infinity<T>()) return reciprocal ? (T)0 : most;
  if (nan != nan) return nan;
  if (most == 0) return reciprocal ? infinity<T>() : most;
  int n;
  split(most, n);
  Pair<T> total = {(T)0, (T)0};
  for (int i = 0; i < count; i++) {
    T v = absolute(a[i]) * power_of_two<T>(-n / 2) * power_of_two<T>(-(n - n / 2));
    Pair<T> s = product(v, v);
    T high = total.high + s.high, back = high - total.high;
    total.low += (total.high - (high - back)) + (s.high - back) + s.low;
    total.high = high;
  }
  T root = square_root(total.high + total.low);
  return reciprocal ? scale((T)2 / root, -n - 1) : scale((T)0.5 * root, n + 1);
}

}  // namespace lanewise
