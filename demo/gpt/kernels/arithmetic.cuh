// Arithmetic that PTX fixes to the bit: fused and rounded operations, divisions and roots that are rounded correctly, and functions made of them.
#pragma once

constexpr unsigned all_lanes = 0xffffffffu;

/// e to the x: 2^n times e to the r, where r is what is left of x within half of ln 2. 0 where it would be subnormal.
__device__ __forceinline__ float own_exp(float x) {
  if (x < -87.0f) return 0.0f;
  // Above 1.5 * 2^23 a float is a whole number: adding that rounds to the nearest one.
  float n = fmaf(fminf(x, 88.0f), 1.44269504f, 12582912.0f) - 12582912.0f;
  float r = fmaf(n, -0.693145752f, fminf(x, 88.0f));
  r = fmaf(n, -1.42860677e-6f, r);
  float y = fmaf(r, 1.38888889e-3f, 8.33333333e-3f);
  y = fmaf(y, r, 4.16666667e-2f);
  y = fmaf(y, r, 1.66666667e-1f);
  y = fmaf(y, r, 0.5f);
  y = fmaf(y, r, 1.0f);
  y = fmaf(y, r, 1.0f);
  return __int_as_float(__float_as_int(y) + (__float2int_rn(n) << 23));
}

/// The natural logarithm of a normal number above zero: of its exponent, and of its fraction by the series of artanh.
__device__ __forceinline__ float own_log(float x) {
  // Fractions lie between the square roots of 1/2 and of 2.
  int n = (__float_as_int(x) - 0x3f3504f3) >> 23;
  float m = __int_as_float(__float_as_int(x) - (n << 23));
  float s = (m - 1.0f) / (m + 1.0f);
  float z = s * s;
  float y = fmaf(z, 0.111111111f, 0.142857143f);
  y = fmaf(y, z, 0.2f);
  y = fmaf(y, z, 0.333333333f);
  y = fmaf(y, z, 1.0f);
  float scale = __int2float_rn(n);
  return fmaf(scale, 0.693145752f, fmaf(2.0f * s, y, scale * 1.42860677e-6f));
}

/// The sum of a warp's values, by a butterfly: every lane gets the same bits.
__device__ __forceinline__ float warp_sum(float value) {
  for (int step = 16; step > 0; step >>= 1) value += __shfl_xor_sync(all_lanes, value, step);
  return value;
}

__device__ __forceinline__ float warp_max(float value) {
  for (int step = 16; step > 0; step >>= 1) value = fmaxf(value, __shfl_xor_sync(all_lanes, value, step));
  return value;
}

/// Numbers that look random, of a seed and a place.
__device__ __forceinline__ unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}
