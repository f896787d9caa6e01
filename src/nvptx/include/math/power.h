// Powers.
#pragma once

namespace lanewise {

// log2(a) as a pair: a = 2^n * m, s = (m - 1) / (m + 1) and log2(m) = 2 / ln 2 * atanh(s).
template <class T> LANEWISE_PART Pair<T> log2_pair(T a) {
  T n, f = log_fraction(a, n), m = f + (T)1;
  T d = m + (T)1, d_low = m - (d - (T)1);
  T s = f / d;
  Pair<T> ss = {s, (multiply_add(-s, d, f) - s * d_low) / d};
  Pair<T> z = product(ss, ss);
  Pair<T> w = sum(pick<T>(0.333333343f, 0.33333333333333331), z.high * atanh_tail(z.high));
  w.low += pick<T>(-9.93410776e-9f, 1.8503717077085941e-17);
  Pair<T> t = product(ss, product(z, w));
  Pair<T> atanh = sum(ss.high, t.high);
  atanh.low += ss.low + t.low;
  Pair<T> factor = {pick<T>(2.88539004f, 2.8853900817779268), pick<T>(3.85192607e-8f, 4.0710547481862066e-17)};
  Pair<T> l = product(atanh, factor);
  Pair<T> r = sum(n, l.high);
  return sum(r.high, r.low + l.low);
}
// 2^(e + k) for a pair `e`.
template <class T> LANEWISE_PART T exp2_pair(Pair<T> e, int k) {
  T n = nearest(e.high), r = e.high - n;
  Pair<T> p = product(r, pick<T>(0.693147182f, 0.69314718055994529));
  T low = multiply_add(e.low, pick<T>(0.693147182f, 0.69314718055994529),
                       multiply_add(r, pick<T>(-1.90465421e-9f, 2.3190468138462996e-17), p.low));
  return exp_reduced(p.high, low, (int)n + k);
}
template <class T> LANEWISE_PART T power(T a, T b) {
  if (a == (T)1 || b == 0) return (T)1;
  if (a != a || b != b) return a + b;
  T size = absolute(a);
  bool minus = negative(a) && odd(b), large = (size > (T)1) == (b > 0);
  if (absolute(b) == infinity<T>()) return size == (T)1 ? (T)1 : large ? infinity<T>() : (T)0;
  T extreme = large ? infinity<T>() : (T)0;
  if (not_positive(size)) return minus ? -extreme : extreme;
  if (a < 0 && !integral(b)) return not_a_number<T>();
  Pair<T> l = log2_pair(size), e = product(b, l.high);
  T result = absolute(e.high) < pick<T>(256, 2048) ? exp2_pair<T>({e.high, multiply_add(b, l.low, e.low)}, 0) : extreme;
  return minus ? -result : result;
}
// a^n by squaring, as libdevice's `powi`.
template <class T> LANEWISE_PART T power_integer(T a, int n) {
  T result = 1;
  for (unsigned int left = n < 0 ? 0u - (unsigned int)n : (unsigned int)n; left != 0; left >>= 1) {
    if (left & 1) result *= a;
    a *= a;
  }
  return n < 0 ? (T)1 / result : result;
}

}  // namespace lanewise
