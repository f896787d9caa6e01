// Sine, cosine and tangent.
#pragma once

namespace lanewise {

// a - q * pi / 2 for the nearest integer q. Up to 105615, three multiply-adds have the precision.
// Beyond, the product of the significand and the bits of 2 / pi from the exponent on has it.
__device__ const unsigned int two_over_pi[42] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b,
    0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};
// 32 bits of 2 / pi from bit `at` on; the table starts with 64 zeros.
LANEWISE_PART unsigned int two_over_pi_bits(int at) {
  unsigned long long both = ((unsigned long long)two_over_pi[at >> 5] << 32) | two_over_pi[(at >> 5) + 1];
  return (unsigned int)(both >> (32 - (at & 31)));
}
LANEWISE_PART float fraction_to_angle(unsigned long long high, bool minus) {
  int shift = __nv_clzll((long long)high);
  high = shift == 64 ? 0 : high << shift;
  float first = (float)(unsigned int)(high >> 40), second = (float)(unsigned int)((high >> 16) & 0xffffff);
  Pair<float> p = product(first, 1.57079637f);
  float r = p.high + (p.low + multiply_add(second, 1.57079637f * 5.9604645e-8f, first * -4.37113883e-8f));
  r *= power_of_two<float>(-24 - shift);
  return minus ? -r : r;
}
LANEWISE_PART double fraction_to_angle(unsigned long long high, unsigned long long low, bool minus) {
  int shift = __nv_clzll((long long)high);
  if (shift > 0 && shift < 64) {
    high = (high << shift) | (low >> (64 - shift));
    low <<= shift;
  }
  double first = (double)(high >> 11), second = (double)(((high & 0x7ff) << 42) | (low >> 22));
  Pair<double> p = product(first, 1.5707963267948966);
  double r = p.high + (p.low + multiply_add(second, 1.5707963267948966 * 1.1102230246251565e-16,
                                            first * 6.123233995736766e-17));
  r *= power_of_two<double>(-53 - shift);
  return minus ? -r : r;
}
LANEWISE_PART int reduce_far(float a, float &r) {
  int n;
  float m = split(a, n);
  unsigned int factor = (unsigned int)absolute(m * 8388608.0f);
  int at = n - 23 - 2 + 64;
  unsigned long long p2 = (unsigned long long)two_over_pi_bits(at + 64) * factor;
  unsigned long long p1 = (unsigned long long)two_over_pi_bits(at + 32) * factor + (p2 >> 32);
  unsigned long long all = ((unsigned long long)(two_over_pi_bits(at) * factor) << 32) + p1;
  int q = (int)(all >> 62);
  all <<= 2;
  bool above = all >> 63;
  q = above ? q + 1 : q;
  r = fraction_to_angle(above ? 0 - all : all, (a < 0) != above);
  return a < 0 ? -q : q;
}
LANEWISE_PART int reduce_far(double a, double &r) {
  int n;
  double m = split(a, n);
  unsigned long long factor = (unsigned long long)absolute(m * 4503599627370496.0);
  int at = n - 52 - 2 + 64;
  unsigned long long w[3];
  for (int i = 0; i < 3; i++) {
    w[i] = ((unsigned long long)two_over_pi_bits(at + 64 * i) << 32) | two_over_pi_bits(at + 64 * i + 32);
  }
  unsigned long long low = w[1] * factor, carry = __nv_umul64hi(w[2], factor);
  unsigned long long high = w[0] * factor + __nv_umul64hi(w[1], factor);
  low += carry;
  high += low < carry;
  int q = (int)(high >> 62);
  high = (high << 2) | (low >> 62);
  low <<= 2;
  bool above = high >> 63;
  if (above) {
    q++;
    high = ~high + (low == 0);
    low = 0 - low;
  }
  r = fraction_to_angle(high, low, (a < 0) != above);
  return a < 0 ? -q : q;
}
template <class T> LANEWISE_PART int reduce_half_pi(T a, T &r) {
  if (absolute(a) <= (T)105615) {
    T n = nearest(a * pick<T>(0.636619747f, 0.63661977236758138));
    int q = (int)n;
    n = (T)q;
    r = multiply_add(n, -pick<T>(1.57079637f, 1.5707963267948966), a);
    r = multiply_add(n, -pick<T>(-4.37113883e-8f, 6.123233995736766e-17), r);
    r = multiply_add(n, -pick<T>(-1.71512451e-15f, -1.4973849048591698e-33), r);
    r = a == 0 ? a : r;
    return q;
  }
  if (!(absolute(a) < infinity<T>())) {
    r = not_a_number<T>();
    return 0;
  }
  return reduce_far(a, r);
}
// Sine and cosine of |r| <= pi / 4, without their first terms r and 1.
template <class T> LANEWISE_PART T sin_low(T r) { return r * r * r * sin_tail(r * r); }
template <class T> LANEWISE_PART T cos_low(T r) {
  T z = r * r;
  return z * multiply_add(z, cos_tail(z), (T)-0.5);
}
template <class T> LANEWISE_PART T sin_reduced(T r) { return r == 0 ? r : r + sin_low(r); }
template <class T> LANEWISE_PART T cos_reduced(T r) {
  T z = r * r;
  return multiply_add(z, multiply_add(z, cos_tail(z), (T)-0.5), (T)1);
}
template <class T> LANEWISE_PART T sin_quadrant(T r, int q) {
  T value = q & 1 ? cos_reduced(r) : sin_reduced(r);
  return q & 2 ? -value : value;
}
template <class T> LANEWISE_PART T sin(T a) {
  T r;
  int q = reduce_half_pi(a, r);
  return sin_quadrant(r, q);
}
template <class T> LANEWISE_PART T cos(T a) {
  T r;
  int q = reduce_half_pi(a, r);
  return sin_quadrant(r, q + 1);
}
template <class T> LANEWISE_PART void sincos(T a, T *sine, T *cosine) {
  T r;
  int q = reduce_half_pi(a, r);
  *sine = sin_quadrant(r, q);
  *cosine = sin_quadrant(r, q + 1);
}
// (n.high + n.low) / (d.high + d.low).
template <class T> LANEWISE_PART T quotient(Pair<T> n, Pair<T> d) {
  T q = n.high / d.high;
  T rest = multiply_add(-q, d.high, n.high) + multiply_add(-q, d.low, n.low);
  return q + rest / d.high;
}
template <class T> LANEWISE_PART T tan(T a) {
  T r;
  int q = reduce_half_pi(a, r);
  if (r == 0) return r;
  Pair<T> s = sum(r, sin_low(r)), c = sum((T)1, cos_low(r));
  return q & 1 ? -quotient(c, s) : quotient(s, c);
}
// Sine and cosine of pi * a: a - q / 2 is exact.
template <class T> LANEWISE_PART int reduce_half(T a, T &r) {
  if (!(absolute(a) < infinity<T>())) {
    r = not_a_number<T>();
    return 0;
  }
  a -= (T)2 * whole(a * (T)0.5);
  int q = (int)nearest(a * (T)2);
  a -= (T)q * (T)0.5;
  r = multiply_add(a, pick<T>(3.14159274f, 3.1415926535897931), a * pick<T>(-8.74227766e-8f, 1.2246467991473532e-16));
  return q;
}
template <class T> LANEWISE_PART T sinpi(T a) {
  T r;
  int q = reduce_half(a, r);
  return r == r && integral(a) ? with_sign((T)0, a) : sin_quadrant(r, q);
}
template <class T> LANEWISE_PART T cospi(T a) {
  T r;
  int q = reduce_half(a, r);
  return (q & 1) && r == 0 ? (T)0 : sin_quadrant(r, q + 1);
}
template <class T> LANEWISE_PART void sincospi(T a, T *sine, T *cosine) {
  *sine = sinpi(a);
  *cosine = cospi(a);
}

}  // namespace lanewise
