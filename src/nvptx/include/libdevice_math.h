// The functions of NVIDIA's libdevice that approximate. A template serves both precisions, so that
// `float` functions use no `double`. Errors are the largest found, in ulp, as float / double.
#pragma once

#define LANEWISE_PART __device__ inline __attribute__((always_inline))
// The functions below depend on each rounding. A compiler must not merge a product and a sum there.
#pragma STDC FP_CONTRACT OFF

namespace lanewise {

// What the two formats differ in. `step` is how many bits a remainder can shift left.
template <class T> struct Format;
template <> struct Format<float> {
  typedef unsigned int Bits;
  typedef int Signed;
  static constexpr int mantissa = 23, bias = 127, step = 8;
  static constexpr Bits root_half = 0x3f3504f3u;
};
template <> struct Format<double> {
  typedef unsigned long long Bits;
  typedef long long Signed;
  static constexpr int mantissa = 52, bias = 1023, step = 11;
  static constexpr Bits root_half = 0x3fe6a09e667f3bcdull;
};

template <class T> LANEWISE_PART typename Format<T>::Bits bits(T a) {
  return __builtin_bit_cast(typename Format<T>::Bits, a);
}
template <class T> LANEWISE_PART T from_bits(typename Format<T>::Bits a) { return __builtin_bit_cast(T, a); }
template <class T> LANEWISE_PART T pick(float, double);
template <> LANEWISE_PART float pick<float>(float a, double) { return a; }
template <> LANEWISE_PART double pick<double>(float, double b) { return b; }
LANEWISE_PART float absolute(float a) { return __builtin_fabsf(a); }
LANEWISE_PART double absolute(double a) { return __builtin_fabs(a); }
LANEWISE_PART float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LANEWISE_PART double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
LANEWISE_PART float nearest(float a) { return __builtin_rintf(a); }
LANEWISE_PART double nearest(double a) { return __builtin_rint(a); }
LANEWISE_PART float whole(float a) { return __builtin_truncf(a); }
LANEWISE_PART double whole(double a) { return __builtin_trunc(a); }
LANEWISE_PART float square_root(float a) { return __builtin_sqrtf(a); }
LANEWISE_PART double square_root(double a) { return __builtin_sqrt(a); }
LANEWISE_PART float with_sign(float a, float b) { return __builtin_copysignf(a, b); }
LANEWISE_PART double with_sign(double a, double b) { return __builtin_copysign(a, b); }
template <class T> LANEWISE_PART T infinity() { return (T)__builtin_inff(); }
template <class T> LANEWISE_PART T not_a_number() { return (T)__builtin_nanf(""); }
template <class T> LANEWISE_PART bool negative(T a) { return bits(a) >> (sizeof(T) * 8 - 1); }
template <class T> LANEWISE_PART bool integral(T a) { return whole(a) == a; }
template <class T> LANEWISE_PART bool odd(T a) { return integral(a) && !integral(a * (T)0.5); }

// A polynomial in `z`; the first coefficient is the constant.
template <class T> LANEWISE_PART T polynomial(T, T c) { return c; }
template <class T, class... Rest> LANEWISE_PART T polynomial(T z, T c, Rest... rest) {
  return multiply_add(polynomial(z, (T)rest...), z, c);
}

// The polynomials interpolate at the nodes of Chebyshev's polynomials.
#define LANEWISE_FOR_FLOAT(name, ...) \
  LANEWISE_PART float name(float z) { return polynomial<float>(z, __VA_ARGS__); }
#define LANEWISE_FOR_DOUBLE(name, ...) \
  LANEWISE_PART double name(double z) { return polynomial<double>(z, __VA_ARGS__); }
LANEWISE_FOR_FLOAT(exp_tail, 0.500000001f, 0.166666667f, 0.0416664621f, 0.00833330748f, 0.00139339571f,
                   0.000198939236f)
LANEWISE_FOR_DOUBLE(exp_tail, 0.5, 0.16666666666666671, 0.041666666666666674, 0.0083333333333259362,
                   0.001388888888888063, 0.00019841269875513627, 2.4801587333916885e-5, 2.7557254524251443e-6,
                   2.7557264647557706e-7, 2.5105580307156826e-8, 2.0918021913976314e-9)
LANEWISE_FOR_FLOAT(log_tail, 0.666666852f, 0.399887318f, 0.295821589f)
LANEWISE_FOR_DOUBLE(log_tail, 0.66666666666666697, 0.39999999999898192, 0.28571428626570204, 0.22222211037816588,
                   0.18182896183483087, 0.15331487235865733, 0.14619343453512615)
LANEWISE_FOR_FLOAT(atanh_tail, 0.2f, 0.142857662f, 0.111023447f, 0.095612152f)
LANEWISE_FOR_DOUBLE(atanh_tail, 0.2, 0.14285714285714689, 0.11111111110824411, 0.090909091684962848,
                   0.076922973958811753, 0.066674069856460022, 0.058529940782504538, 0.058628856109055726)
LANEWISE_FOR_FLOAT(sin_tail, -0.166666667f, 0.00833333186f, -0.000198400797f, 2.72490086e-6f)
LANEWISE_FOR_DOUBLE(sin_tail, -0.16666666666666667, 0.0083333333333333315, -0.00019841269841264993,
                   2.7557319219283239e-6, -2.5052106213049463e-8, 1.6058528548923512e-10, -7.5865164144472192e-13)
LANEWISE_FOR_FLOAT(cos_tail, 0.0416666646f, -0.00138882995f, 2.45471852e-5f)
LANEWISE_FOR_DOUBLE(cos_tail, 0.041666666666666665, -0.0013888888888887375, 2.4801587298731726e-5,
                   -2.7557317254139663e-7, 2.087614260780549e-9, -1.1382369086995409e-11)
LANEWISE_FOR_FLOAT(asin_tail, 0.166666663f, 0.0750009476f, 0.0445993192f, 0.0311017278f, 0.0171437168f, 0.0337007263f)
LANEWISE_FOR_DOUBLE(asin_tail, 0.16666666666666668, 0.074999999999984243, 0.044642857146373381, 0.030381944137085214,
                   0.022372173002005597, 0.017352391265909228, 0.013971235301124539, 0.011478952690257387,
                   0.010324318288744112, 0.0054508781877205507, 0.017419357964884855, -0.014881409392818063,
                   0.028778442612593039)
LANEWISE_FOR_FLOAT(atan_tail, -0.333333317f, 0.199995363f, -0.142638098f, 0.107421579f, -0.0644671946f)
LANEWISE_FOR_DOUBLE(atan_tail, -0.3333333333333333, 0.19999999999995417, -0.14285714284644896, 0.11111111013517383,
                   -0.090909045075538409, 0.076921815534322915, -0.066644884117987383, 0.058579490516514061,
                   -0.050844051701967323, 0.039201518733558917, -0.019140021905694565)
LANEWISE_FOR_FLOAT(erf_tail, 0.128379167f, -0.376126346f, 0.112837091f, -0.0268601435f, 0.00520286864f,
                   -0.000816347884f, 8.45791299e-5f)
LANEWISE_FOR_DOUBLE(erf_tail, 0.12837916709551257, -0.37612638903183723, 0.1128379167095344, -0.026866170644751412,
                   0.0052239776210158362, -0.00085483267187369578, 0.00012055319661183391, -1.4925266065053624e-5,
                   1.6454688832136963e-6, -1.6270411714780637e-7, 1.4018539715762445e-8, -8.4175276582292243e-10)
LANEWISE_FOR_FLOAT(erfcx_scaled, 1.23299512f, -0.139621078f, 0.0153796439f, 0.0680947627f, -0.101039932f,
                   0.0937698108f, -0.0662977159f, 0.0369442003f, -0.0165008636f, 0.00545182249f, 9.2266945e-5f)
LANEWISE_FOR_DOUBLE(erfcx_scaled, 1.2329951186255525, -0.13962111684056254, 0.015379652102619156,
                   0.068097054254695581, -0.10103906603626204, 0.093732834998254543, -0.066330365813402789,
                   0.037167515538820342, -0.016197734040808634, 0.0050319699689958865, -0.00075777343059028451,
                   -0.0001992566719266686, 0.00015062241713532247, -2.4399146512873131e-5, -1.1224524884104685e-5,
                   5.7090440419417778e-6, 2.9922580024006588e-7, -8.2316443073964851e-7, 6.731814938720407e-8,
                   1.0618921935222061e-7, -1.2334090366005107e-8, -1.0659817255553809e-8)
LANEWISE_FOR_FLOAT(tanh_tail, -0.333333332f, 0.133333034f, -0.0539592286f, 0.0217686663f, -0.00834311964f,
                   0.00229180942f)
LANEWISE_FOR_DOUBLE(tanh_tail, -0.33333333333333333, 0.13333333333333039, -0.053968253967893843, 0.021869488518873556,
                   -0.008863235100297064, 0.0035921217137875548, -0.0014557751173983799, 0.00058965917043080336,
                   -0.00023758584039791724, 9.2561530365167442e-5, -3.1190227437815513e-5, 6.4798729189511095e-6)
LANEWISE_FOR_FLOAT(sinh_tail, 0.166666666f, 0.0083333397f, 0.000198380956f, 2.80633125e-6f)
LANEWISE_FOR_DOUBLE(sinh_tail, 0.16666666666666667, 0.0083333333333332992, 0.00019841269841324471,
                   2.7557319191250886e-6, 2.5052117723953198e-8, 1.6057676882739475e-10, 7.746278224810715e-13)
LANEWISE_FOR_FLOAT(erfcinv_far, 0.937844859f, 0.188000707f, -0.257211571f, 0.250440605f, -0.19438246f, 0.138480907f,
                   -0.203717682f, 0.0524875556f, 0.315658354f)
LANEWISE_FOR_DOUBLE(erfcinv_far, 0.93783983811568468, 0.18802633453096669, -0.25651791040685349, 0.24915054467110549,
                   -0.20975413525208729, 0.15141753381332621, -0.088900809262462547, 0.030607953884834936,
                   0.02321875232377869, -0.064662912525354377, 0.054866287153305616, -0.024673729507746165,
                   0.096111196718271871, -0.16767291147726389, 0.01957971395239594, 0.14024541746835323,
                   -0.07976951660841529)
LANEWISE_FOR_FLOAT(gamma_inverse, 1.0f, 0.577215696f, -0.655878089f, -0.0420042921f, 0.166539545f, -0.0421739876f,
                   -0.0096354188f, 0.00709364649f, -0.00109338811f)
LANEWISE_FOR_DOUBLE(gamma_inverse, 1.0, 0.57721566490153286, -0.65587807152025266, -0.042002635034095516,
                   0.16653861138218905, -0.042197734555520783, -0.0096219715246013288, 0.0072189432459095685,
                   -0.0011651676432799508, -0.00021524166227578244, 0.00012805072053860296, -2.0134955805931909e-5,
                   -1.2525600226514665e-6, 1.1335049289650268e-6, -2.0056884425141999e-7, 4.9391114406338403e-9)
LANEWISE_FOR_FLOAT(lgamma_far, 0.0833333322f, -0.00277726234f, 0.000759378708f)
LANEWISE_FOR_DOUBLE(lgamma_far, 0.083333333333333318, -0.0027777777777296357, 0.00079365076862636143,
                   -0.00059523309171947419, 0.00084125273432733535, -0.0018899702477830338, 0.0055263147737623183,
                   -0.013061082911740062)
LANEWISE_FOR_FLOAT(lgamma_near, 0.422784335f, 0.322467018f, -0.0673522947f, 0.0205816286f, -0.00738590605f,
                   0.00287883807f, -0.00118759232f, 0.000570332972f, -0.000250322026f)
LANEWISE_FOR_DOUBLE(lgamma_near, 0.42278433509846714, 0.32246703342411324, -0.0673523010531981, 0.020580808427780337,
                   -0.0073855510286723853, 0.0028905103310369007, -0.0011927539118258516, 0.00050966951533924617,
                   -0.00022315475437617135, 9.9457674603057731e-5, -4.4926308839407363e-5, 2.0505582242507372e-5,
                   -9.4387476249768053e-6, 4.3847437010900899e-6, -2.0437693972108119e-6, 9.1995698463978388e-7,
                   -4.3282714030018623e-7, 2.78836594784727e-7, -1.3191725604385052e-7)
LANEWISE_FOR_FLOAT(erfinv_center, 0.886226923f, 0.232014546f, 0.127509616f, 0.0874789987f, 0.0560603548f,
                   0.0968286207f, -0.077112663f, 0.181312219f)
LANEWISE_FOR_DOUBLE(erfinv_center, 0.88622692545275801, 0.232013666534656, 0.1275561753051854, 0.086552129286329648,
                   0.06495961518848687, 0.051731370557763877, 0.04283469613155891, 0.036498139551699507,
                   0.031319522671039592, 0.031106909773073219, 0.0052468070956959568, 0.11662655977690596,
                   -0.31439415489757725, 0.90251035301019233, -1.6633460599897944, 2.211707360006936,
                   -1.7696673208812003, 0.71756401453793696)
#undef LANEWISE_FOR_FLOAT
#undef LANEWISE_FOR_DOUBLE

// A sum of two numbers that has about twice the precision of one.
template <class T> struct Pair {
  T high, low;
};
// Needs |a| >= |b|, or a = 0.
template <class T> LANEWISE_PART Pair<T> sum(T a, T b) {
  T high = a + b;
  return {high, b - (high - a)};
}
template <class T> LANEWISE_PART Pair<T> product(T a, T b) {
  T high = a * b;
  return {high, multiply_add(a, b, -high)};
}
template <class T> LANEWISE_PART Pair<T> product(Pair<T> a, Pair<T> b) {
  Pair<T> p = product(a.high, b.high);
  return {p.high, p.low + multiply_add(a.high, b.low, a.low * b.high)};
}

// Exponents.
template <class T> LANEWISE_PART T power_of_two(int n) {
  return from_bits<T>((typename Format<T>::Bits)(n + Format<T>::bias) << Format<T>::mantissa);
}
// a * 2^n with one rounding, for 0.25 < |a| < 4.
template <class T> LANEWISE_PART T scale(T a, int n) {
  constexpr int most = Format<T>::bias + 3, least = -Format<T>::bias - Format<T>::mantissa - 3;
  n = n > most ? most : n < least ? least : n;
  int half = n >> 1;
  return a * power_of_two<T>(half) * power_of_two<T>(n - half);
}
// a = m * 2^n with 1 <= |m| < 2. `a` is finite and not 0.
template <class T> LANEWISE_PART T split(T a, int &n) {
  typedef Format<T> F;
  int extra = 0;
  if (absolute(a) < power_of_two<T>(1 - F::bias)) {
    a *= power_of_two<T>(F::mantissa + 1);
    extra = F::mantissa + 1;
  }
  typename F::Bits b = bits(a), mask = (typename F::Bits)(2 * F::bias + 1) << F::mantissa;
  n = (int)((b & mask) >> F::mantissa) - F::bias - extra;
  return from_bits<T>((b & ~mask) | ((typename F::Bits)F::bias << F::mantissa));
}
// Whether `a` is not a finite number above 0. The test of bits is shorter than one of each class.
template <class T> LANEWISE_PART bool not_positive(T a) { return bits(a) - 1 >= bits(infinity<T>()) - 1; }
template <class T> LANEWISE_PART bool zero_or_not_finite(T a) { return not_positive(absolute(a)); }
template <class T> LANEWISE_PART T ldexp(T a, int by) {
  if (zero_or_not_finite(a)) return a;
  int n;
  T m = split(a, n);
  by = by > 5000 ? 5000 : by < -5000 ? -5000 : by;
  return scale(m, n + by);
}
template <class T> LANEWISE_PART T frexp(T a, int *exponent) {
  *exponent = 0;
  if (zero_or_not_finite(a)) return a;
  int n;
  T m = split(a, n);
  *exponent = n + 1;
  return m * (T)0.5;
}
template <class T> LANEWISE_PART int ilogb(T a) {
  if (a == 0 || a != a) return -2147483647 - 1;
  if (absolute(a) == infinity<T>()) return 2147483647;
  int n;
  split(a, n);
  return n;
}
template <class T> LANEWISE_PART T logb(T a) {
  if (a == 0) return -infinity<T>();
  if (zero_or_not_finite(a)) return a * a;
  return (T)ilogb(a);
}
template <class T> LANEWISE_PART T modf(T a, T *integer) {
  T w = whole(a);
  *integer = w;
  return with_sign(absolute(a) == infinity<T>() ? (T)0 : a - w, a);
}
template <class T> LANEWISE_PART T nextafter(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  if (a == 0) return with_sign(from_bits<T>(1), b);
  return from_bits<T>(bits(a) + (((a < b) == (a > 0)) ? 1 : -1));
}

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
#pragma clang fp contract(fast)

#define LANEWISE_BOTH(name, of)                                                    \
  LANEWISE_NV float __nv_##name##f(float a) { return lanewise::of(a); }        \
  LANEWISE_NV double __nv_##name(double a) { return lanewise::of(a); }
#define LANEWISE_BOTH2(name, of)                                                              \
  LANEWISE_NV float __nv_##name##f(float a, float b) { return lanewise::of(a, b); }       \
  LANEWISE_NV double __nv_##name(double a, double b) { return lanewise::of(a, b); }
LANEWISE_BOTH(exp, exp) LANEWISE_BOTH(exp2, exp2) LANEWISE_BOTH(exp10, exp10) LANEWISE_BOTH(expm1, expm1)
LANEWISE_BOTH(log, log) LANEWISE_BOTH(log2, log2) LANEWISE_BOTH(log10, log10) LANEWISE_BOTH(log1p, log1p)
LANEWISE_BOTH(sin, sin) LANEWISE_BOTH(cos, cos) LANEWISE_BOTH(tan, tan)
LANEWISE_BOTH(sinpi, sinpi) LANEWISE_BOTH(cospi, cospi)
LANEWISE_BOTH(sinh, sinh) LANEWISE_BOTH(cosh, cosh) LANEWISE_BOTH(tanh, tanh)
LANEWISE_BOTH(asinh, asinh) LANEWISE_BOTH(acosh, acosh) LANEWISE_BOTH(atanh, atanh)
LANEWISE_BOTH(asin, asin) LANEWISE_BOTH(acos, acos) LANEWISE_BOTH(atan, atan) LANEWISE_BOTH2(atan2, atan2)
LANEWISE_BOTH2(pow, power)
LANEWISE_BOTH(cbrt, cbrt) LANEWISE_BOTH(rcbrt, rcbrt)
LANEWISE_BOTH(erf, erf) LANEWISE_BOTH(erfc, erfc) LANEWISE_BOTH(erfcx, erfcx) LANEWISE_BOTH(normcdf, normcdf)
LANEWISE_BOTH(erfinv, erfinv) LANEWISE_BOTH(erfcinv, erfcinv) LANEWISE_BOTH(normcdfinv, normcdfinv)
LANEWISE_BOTH(tgamma, tgamma) LANEWISE_BOTH(lgamma, lgamma)
LANEWISE_BOTH(logb, logb) LANEWISE_BOTH2(nextafter, nextafter)
LANEWISE_BOTH2(fmod, fmod) LANEWISE_BOTH2(remainder, remainder)
#undef LANEWISE_BOTH
#undef LANEWISE_BOTH2
#define LANEWISE_OTHERS(type, f)                                                                                      \
  LANEWISE_NV void __nv_sincos##f(type a, type *s, type *c) { lanewise::sincos(a, s, c); }                        \
  LANEWISE_NV void __nv_sincospi##f(type a, type *s, type *c) { lanewise::sincospi(a, s, c); }                    \
  LANEWISE_NV type __nv_powi##f(type a, int n) { return lanewise::power_integer(a, n); }                          \
  LANEWISE_NV type __nv_ldexp##f(type a, int n) { return lanewise::ldexp(a, n); }                                 \
  LANEWISE_NV type __nv_scalbn##f(type a, int n) { return lanewise::ldexp(a, n); }                                \
  LANEWISE_NV type __nv_frexp##f(type a, int *n) { return lanewise::frexp(a, n); }                                \
  LANEWISE_NV type __nv_modf##f(type a, type *n) { return lanewise::modf(a, n); }                                 \
  LANEWISE_NV int __nv_ilogb##f(type a) { return lanewise::ilogb(a); }                                            \
  LANEWISE_NV type __nv_remquo##f(type a, type b, int *q) { return lanewise::remquo(a, b, q); }                   \
  LANEWISE_LENGTHS(type, f, , false)                                                                                  \
  LANEWISE_LENGTHS(type, f, r, true)
#define LANEWISE_LENGTHS(type, f, r, reciprocal)                                                                      \
  LANEWISE_NV type __nv_##r##hypot##f(type a, type b) {                                                           \
    type v[2] = {a, b};                                                                                               \
    return lanewise::length(v, 2, reciprocal);                                                                        \
  }                                                                                                                   \
  LANEWISE_NV type __nv_##r##norm3d##f(type a, type b, type c) {                                                  \
    type v[3] = {a, b, c};                                                                                            \
    return lanewise::length(v, 3, reciprocal);                                                                        \
  }                                                                                                                   \
  LANEWISE_NV type __nv_##r##norm4d##f(type a, type b, type c, type d) {                                          \
    type v[4] = {a, b, c, d};                                                                                         \
    return lanewise::length(v, 4, reciprocal);                                                                        \
  }                                                                                                                   \
  LANEWISE_NV type __nv_##r##norm##f(int n, const type *v) { return lanewise::length(v, n, reciprocal); }
LANEWISE_OTHERS(float, f)
LANEWISE_OTHERS(double, )
#undef LANEWISE_LENGTHS
#undef LANEWISE_OTHERS
LANEWISE_NV double __nv_rsqrt(double a) { return 1 / __builtin_sqrt(a); }
LANEWISE_NV float __nv_nanf(const signed char *) { return __builtin_nanf(""); }
LANEWISE_NV double __nv_nan(const signed char *) { return __builtin_nan(""); }
