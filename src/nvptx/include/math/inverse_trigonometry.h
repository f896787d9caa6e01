// Arcsine, arccosine and arctangent.
#pragma once

namespace lanewise {

// Inverse trigonometric functions. asin(a) = pi / 2 - 2 asin(sqrt((1 - a) / 2)) beyond 0.5.
template <class T> LANEWISE_PART Pair<T> half_pi() {
  return {pick<T>(1.57079637f, 1.5707963267948966), pick<T>(-4.37113883e-8f, 6.123233995736766e-17)};
}
// asin(sqrt(z)) as a pair, for 0 <= z <= 0.25.
template <class T> LANEWISE_PART Pair<T> asin_root(T z) {
  T s = square_root(z);
  T low = s == 0 ? (T)0 : multiply_add(-s, s, z) / (s + s);
  return {s, multiply_add(s * z, asin_tail(z), low)};
}
template <class T> LANEWISE_PART T asin(T a) {
  T size = absolute(a);
  if (!(size <= (T)1)) return not_a_number<T>();
  if (size <= (T)0.5) return multiply_add(a * (a * a), asin_tail(a * a), a);
  Pair<T> p = asin_root((T)0.5 * ((T)1 - size)), base = half_pi<T>();
  Pair<T> s = sum(base.high, (T)-2 * p.high);
  return with_sign(s.high + (s.low + multiply_add((T)-2, p.low, base.low)), a);
}
template <class T> LANEWISE_PART T acos(T a) {
  T size = absolute(a);
  if (!(size <= (T)1)) return not_a_number<T>();
  Pair<T> base = half_pi<T>();
  if (size <= (T)0.5) {
    Pair<T> s = sum(base.high, -a);
    return s.high + (s.low + multiply_add(-a * (a * a), asin_tail(a * a), base.low));
  }
  Pair<T> p = asin_root((T)0.5 * ((T)1 - size));
  if (a > 0) return (T)2 * (p.high + p.low);
  Pair<T> s = sum((T)2 * base.high, (T)-2 * p.high);
  return s.high + (s.low + (T)2 * (base.low - p.low));
}
// The angle of (x, y) for y, x >= 0: the quotient is reduced to tan(pi / 8).
template <class T> LANEWISE_PART Pair<T> angle(T y, T x) {
  T k = 0, n = y, d = x, n_low = 0, d_low = 0;
  if (y > (T)2.4140625 * x) {
    k = (T)2, n = -x, d = y;
  } else if (y > (T)0.4140625 * x) {
    T large = y > x ? y : x, small = y > x ? x : y;
    Pair<T> plus = sum(large, small), minus = sum(large, -small);
    k = (T)1, d = plus.high, d_low = plus.low;
    n = y > x ? minus.high : -minus.high, n_low = y > x ? minus.low : -minus.low;
  }
  T q = n / d, z = q * q;
  T rest = multiply_add(-q, d, n) + multiply_add(-q, d_low, n_low);
  T low = k == 0 ? (T)0 : rest / d;
  Pair<T> base = {pick<T>(0.785398185f, 0.78539816339744828), pick<T>(-2.18556941e-8f, 3.061616997868383e-17)};
  Pair<T> s = sum(k * base.high, q);
  s.low += multiply_add(k, base.low, multiply_add(q * z, atan_tail(z), low));
  return s;
}
template <class T> LANEWISE_PART T atan(T a) {
  if (a == 0 || a != a) return a;
  Pair<T> s = angle(absolute(a), (T)1);
  T value = absolute(a) == infinity<T>() ? half_pi<T>().high : s.high + s.low;
  return with_sign(value, a);
}
template <class T> LANEWISE_PART T atan2(T y, T x) {
  if (x != x || y != y) return x + y;
  T height = absolute(y), width = absolute(x);
  Pair<T> s, base = half_pi<T>();
  if (height == 0 || width == infinity<T>()) {
    s = {height == infinity<T>() ? (T)0.5 * base.high : (T)0, height == infinity<T>() ? (T)0.5 * base.low : (T)0};
  } else if (width == 0 || height == infinity<T>()) {
    s = base;
  } else {
    // Keeps sums from overflow, and errors of products from underflow.
    T most = height > width ? height : width;
    T factor = most > power_of_two<T>(Format<T>::bias - 3)       ? power_of_two<T>(-4)
               : most < power_of_two<T>(-Format<T>::bias / 2) ? power_of_two<T>(Format<T>::bias / 2)
                                                              : (T)1;
    height *= factor, width *= factor;
    s = angle(height, width);
    if (negative(x) == false && height < width * power_of_two<T>(-Format<T>::mantissa)) s = {height / width, (T)0};
  }
  if (negative(x)) {
    Pair<T> t = sum((T)2 * base.high, -s.high);
    s = {t.high, t.low + ((T)2 * base.low - s.low)};
  }
  return with_sign(s.high + s.low, y);
}

}  // namespace lanewise
