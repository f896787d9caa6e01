// The gamma function and its logarithm.
#pragma once

namespace lanewise {

// The gamma function: 1 / gamma(1 + f) is a polynomial for |f| <= 0.5, and the recurrence reaches
// |a| < 5. Beyond, Stirling's formula has a pair as exponent; negative numbers reflect.
template <class T> LANEWISE_PART T gamma_far(T a, int k) {
  Pair<T> l = log2_pair(a), e = product(a - (T)0.5, l.high), m = product(a, pick<T>(1.44269502f, 1.4426950408889634));
  Pair<T> s = sum(e.high, -m.high);
  T u = (T)1 / a;
  T correction = u * lgamma_far(u * u) * pick<T>(1.44269502f, 1.4426950408889634);
  T low = multiply_add(a - (T)0.5, l.low, e.low) - multiply_add(a, pick<T>(1.92596303e-8f, 2.0355273740931033e-17), m.low);
  T rest = s.low + low + (correction + pick<T>(1.32574809f, 1.3257480647361594));
  Pair<T> t = sum(s.high, rest);
  return exp2_pair(t, k);
}
template <class T> LANEWISE_PART T tgamma(T a) {
  if (a == 0) return with_sign(infinity<T>(), a);
  if (a != a || a == infinity<T>() || (a < 0 && integral(a))) return a > 0 || a != a ? a : not_a_number<T>();
  T size = absolute(a);
  if (size < (T)5) {
    T n = nearest(a), f = a - n, above = 1, below = 1;
    for (T i = 1; i < n; i += (T)1) above *= f + i;
    for (T i = 0; i >= n; i -= (T)1) below *= f + i;
    return above / (below * gamma_inverse(f));
  }
  if (a > 0) return gamma_far(size > (T)200 ? (T)200 : size, 0);
  size = size > (T)200 ? (T)200 : size;
  T small = gamma_far(size, pick<T>(-40, -200));
  T value = pick<T>(3.14159274f, 3.1415926535897931) / (size * absolute(sinpi(a)) * small);
  value *= power_of_two<T>(sizeof(T) == 4 ? -40 : -200);
  return odd(whole(a)) ? value : -value;
}
// log |gamma(a)|, with f * lgamma_near(f) = log(gamma(2 + f)) for |f| <= 0.5.
template <class T> LANEWISE_PART T lgamma_positive(T a) {
  if (a > (T)5.5) {
    T u = (T)1 / a;
    T low = multiply_add(u, lgamma_far(u * u), pick<T>(0.418938547f, 0.41893853320467274));
    return a > pick<T>(1e35f, 1e300) ? a * (log(a) - (T)1) : multiply_add(a - (T)0.5, log(a) - (T)1, low);
  }
  if (a < (T)0.5) return multiply_add(a, lgamma_near(a), -log(multiply_add(a, a, a)));
  T n = nearest(a), f = a - n;
  if (n < (T)2) {
    f = a - (T)1;
    return multiply_add(f, lgamma_near(f), -log1p(f));
  }
  T above = 1;
  for (T i = 2; i < n; i += (T)1) above *= f + i;
  return multiply_add(f, lgamma_near(f), log(above));
}
template <class T> LANEWISE_PART T lgamma(T a) {
  T size = absolute(a);
  if (a != a) return a;
  if (zero_or_not_finite(a) || (a < 0 && integral(a))) return infinity<T>();
  if (a > 0) return lgamma_positive(a);
  if (size < pick<T>(1e-10f, 1e-20)) return -log(size);
  return log(pick<T>(3.14159274f, 3.1415926535897931) / (size * absolute(sinpi(a)))) - lgamma_positive(size);
}

}  // namespace lanewise
