// Remainders.
#pragma once

namespace lanewise {

// Remainders: exact long division of the significands, `step` bits of quotient at a time. The result
// is |a| - q * |b|; `last` is the quotient's low bits.
template <class T> LANEWISE_PART T remainder_parts(T a, T b, unsigned int &last) {
  typedef Format<T> F;
  typedef typename F::Bits Bits;
  last = 0;
  if (!(absolute(a) < infinity<T>()) || b == 0 || b != b) return not_a_number<T>();
  if (absolute(a) < absolute(b) || a == 0) return absolute(a);
  int n, d;
  T m = absolute(split(a, n)), by = absolute(split(b, d));
  Bits left = (Bits)(m * power_of_two<T>(F::mantissa)), divisor = (Bits)(by * power_of_two<T>(F::mantissa));
  last = left >= divisor;
  left = left >= divisor ? left - divisor : left;
  for (int todo = n - d; todo > 0;) {
    int now = todo < F::step ? todo : F::step;
    left <<= now;
    Bits q = left / divisor;
    left -= q * divisor;
    last = (last << now) | (unsigned int)q;
    todo -= now;
  }
  return ldexp((T)left, d - F::mantissa);
}
template <class T> LANEWISE_PART T fmod(T a, T b) {
  unsigned int last;
  return a != a ? a : with_sign(remainder_parts(a, b, last), a);
}
template <class T> LANEWISE_PART T remquo(T a, T b, int *quotient) {
  unsigned int last;
  T r = remainder_parts(a, b, last), size = absolute(b);
  *quotient = 0;
  if (r != r) return a != a ? a : r;
  // 2 * r may overflow, and b / 2 may lose a bit; r - (b - r) does neither.
  T over = r - (size - r);
  if (size < infinity<T>() && (over > 0 || (over == 0 && (last & 1)))) {
    r -= size;
    last++;
  }
  int bits = (int)(last & 0x7fffffff);
  *quotient = negative(a) != negative(b) ? -bits : bits;
  return negative(a) ? -r : r;
}
template <class T> LANEWISE_PART T remainder(T a, T b) {
  int quotient;
  return remquo(a, b, &quotient);
}

}  // namespace lanewise
