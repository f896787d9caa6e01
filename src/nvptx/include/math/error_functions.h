// The error function, its complement and their inverses.
#pragma once

namespace lanewise {

// erf(a) = a + a * tail below 0.9; erfc(a) = e^(-a^2) / (1 + 2a) * g((a - 4) / (a + 4)) from 0.5 on.
template <class T> LANEWISE_PART T erfcx_part(T a) { return erfcx_scaled((a - (T)4) / (a + (T)4)) / ((T)1 + (a + a)); }
template <class T> LANEWISE_PART T erfc_far(T a, T a_low) {
  T limit = pick<T>(10.1f, 27.3);
  a = a > limit ? limit : a;
  Pair<T> square = product(a, a);
  square.low += (T)2 * a * a_low;
  T n = nearest(square.high * -pick<T>(1.44269502f, 1.4426950408889634));
  Pair<T> r = reduce_ln2(-square.high, n);
  T value = exp_near(r.high, r.low - square.low) * erfcx_part(a);
  return scale((T)16 * value, (int)n - 4);
}
template <class T> LANEWISE_PART T erf(T a) {
  T size = absolute(a);
  if (size < (T)0.9) return multiply_add(a, erf_tail(a * a), a);
  return a != a ? a : with_sign((T)1 - erfc_far(size, (T)0), a);
}
template <class T> LANEWISE_PART T erfc_pair(T a, T low) {
  if (a != a) return a;
  if (absolute(a) < (T)0.5) return (T)1 - erf(a);
  T far = erfc_far(absolute(a), a < 0 ? -low : low);
  return a < 0 ? (T)2 - far : far;
}
template <class T> LANEWISE_PART T erfc(T a) { return erfc_pair(a, (T)0); }
// e^(a^2) * erfc(a): beyond the polynomial's range, the series in 1 / a^2.
template <class T> LANEWISE_PART T erfcx(T a) {
  if (a != a) return a;
  if (a > pick<T>(10.1f, 27.3)) {
    T half = (T)0.5 / a / a;
    T series = polynomial<T>(half, (T)1, (T)-1, (T)3, (T)-15, (T)105, (T)-945, (T)10395, (T)-135135);
    return pick<T>(0.564189584f, 0.56418958354775629) / a * series;
  }
  if (a >= (T)0.5) return erfcx_part(a);
  if (a < pick<T>(-10, -27)) return infinity<T>();
  Pair<T> square = product(a, a);
  T n = nearest(square.high * pick<T>(1.44269502f, 1.4426950408889634));
  Pair<T> r = reduce_ln2(square.high, n);
  return scale(exp_near(r.high, r.low + square.low) * erfc(a), (int)n);
}
// The normal distribution: erfc(-a / sqrt 2) / 2.
template <class T> LANEWISE_PART T normcdf(T a) {
  T limit = pick<T>(15, 40);
  a = a < -limit ? -limit : a > limit ? limit : a;
  T root = pick<T>(-0.707106769f, -0.70710678118654757), rest = pick<T>(-1.21016175e-8f, 4.8336466567264567e-17);
  Pair<T> p = product(a, root);
  return (T)0.5 * erfc_pair(p.high, multiply_add(a, rest, p.low));
}
// Inverses: polynomials in a^2 up to 0.625 and in s = sqrt(-log(p)) beyond. A step of Newton's on the
// logarithm of erfc corrects the latter.
template <class T> LANEWISE_PART T erfcinv_small(T p) {
  T logarithm = log(p), s = square_root(-logarithm);
  T y = s * erfcinv_far((s - (T)4) / (s + (T)4));
  T x = erfcx_part(y);
  Pair<T> square = product(y, y);
  return y + ((log(x) - square.low) - (square.high + logarithm)) * x * (T)0.88622692545275801;
}
template <class T> LANEWISE_PART T erfinv(T a) {
  T size = absolute(a);
  if (!(size < (T)1)) return size == (T)1 ? a * infinity<T>() : not_a_number<T>();
  return size <= (T)0.625 ? a * erfinv_center(a * a) : with_sign(erfcinv_small((T)1 - size), a);
}
template <class T> LANEWISE_PART T erfcinv(T a) {
  if (!(a > 0 && a < (T)2)) return a == 0 ? infinity<T>() : a == (T)2 ? -infinity<T>() : not_a_number<T>();
  if (a >= (T)0.5 && a <= (T)1.5) return erfinv((T)1 - a);
  return a < (T)0.5 ? erfcinv_small(a) : -erfcinv_small((T)2 - a);
}
template <class T> LANEWISE_PART T normcdfinv(T a) {
  return erfcinv((T)2 * a) * pick<T>(-1.41421354f, -1.4142135623730951);
}

}  // namespace lanewise
