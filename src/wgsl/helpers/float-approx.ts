// Elementary functions within the errors that PTX specifies. WGSL's builtins guarantee less (exp2 3
// + 2|x| ulp, sin 2^-11 absolute), and some adapters are indeed that inaccurate. These functions
// are therefore polynomials of a reduced argument.
import { helperTable } from './helper.ts';

export const floatApproxHelpers = helperTable({
  f32_ex2_far: {
    uses: ['f32_ex2_near', 'f32_unpack', 'f32_of', 'soft_round'],
    code: `
// 2^x for x with a magnitude of 124 or more.
fn f32_ex2_far(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return f32_of(0x7fffffffu);
  }
  if ((bits & 0x7fffffffu) >= 0x43160000u || (bits < 0x80000000u && bits >= 0x43000000u)) {
    // 2^x overflows from 128 on, and underflows from -150 down.
    return bitcast<f32>(select(0u, 0x7f800000u, bits < 0x80000000u));
  }
  let whole = floor(x + 0.5);
  let result = f32_unpack(bitcast<u32>(f32_ex2_near(x - whole)));
  return bitcast<f32>(soft_round(0u, i32(result.y) + i32(whole), result.x, 0u));
}`,
  },
  f32_ex2_near: {
    code: `
// 2^f by its Taylor series, for f in [-0.5, 0.5].
fn f32_ex2_near(f: f32) -> f32 {
  return 1.0 + f * (0.6931471806 + f * (0.2402265070 + f * (0.05550410866 + f * (0.009618129108
    + f * (0.001333355815 + f * (0.0001540353039 + f * 0.00001525273380))))));
}`,
  },
  f32_ex2: {
    uses: ['f32_ex2_far', 'f32_ex2_near'],
    code: `
// 2^x within 2 ulp: 2^f times a power of two, which is added to the exponent if neither is far from
// 1.
fn f32_ex2(x: f32) -> f32 {
  if ((bitcast<u32>(x) & 0x7fffffffu) >= 0x42f80000u) {
    return f32_ex2_far(x);
  }
  let whole = floor(x + 0.5);
  return bitcast<f32>(bitcast<u32>(f32_ex2_near(x - whole)) + (bitcast<u32>(i32(whole)) << 23u));
}`,
  },
  f32_ex2_close: {
    uses: ['f32_ex2_far'],
    code: `
// 2^x by hardware that is accurate to 2 ulp.
fn f32_ex2_close(x: f32) -> f32 {
  if ((bitcast<u32>(x) & 0x7fffffffu) >= 0x42f80000u) {
    return f32_ex2_far(x);
  }
  return exp2(x);
}`,
  },
  f32_lg2: {
    uses: ['f32_unpack', 'f32_of'],
    code: `
// The base-2 logarithm within 2^-22: the exponent plus the logarithm of m in [sqrt(1/2), sqrt(2)],
// by the series of artanh.
fn f32_lg2(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  if ((bits & 0x7fffffffu) == 0u) {
    return f32_of(0xff800000u);
  }
  if (bits >= 0x7f800000u) {
    return f32_of(select(0x7fffffffu, 0x7f800000u, bits == 0x7f800000u));
  }
  let parts = f32_unpack(bits);
  let fraction = (parts.x >> 8u) & 0x007fffffu;
  let large = u32(fraction > 0x003504f3u);
  let m = bitcast<f32>((0x3f800000u - (large << 23u)) | fraction);
  let t = (m - 1.0) / (m + 1.0);
  let s = t * t;
  let log = t * (2.885390082 + s * (0.9617966939 + s * (0.5770780164 + s * (0.4121985831 + s * 0.3205988980))));
  return f32(i32(parts.y) - 127 + i32(large)) + log;
}`,
  },
  f32_rsqrt: {
    uses: ['f32_of'],
    code: `
// The reciprocal square root. PTX allows an error of 2^-22.9 of the result; WGSL allows 2 ulp, but
// no known adapter exceeds 1.
fn f32_rsqrt(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  if ((bits & 0x7fffffffu) == 0u) {
    return f32_of(bits | 0x7f800000u);
  }
  if (bits >= 0x7f800000u) {
    return f32_of(select(0x7fffffffu, 0u, bits == 0x7f800000u));
  }
  if (bits < 0x00800000u) {
    // A subnormal value as its fraction, 2^149 times larger, doubled for an even power: its root is
    // 2^75 times too small.
    return inverseSqrt(f32(bits << 1u)) * bitcast<f32>(0x65000000u);
  }
  return inverseSqrt(x);
}`,
  },
  f32_sin_poly: {
    code: `
// The sine of r in [-pi/4, pi/4].
fn f32_sin_poly(r: f32) -> f32 {
  let z = r * r;
  return r + r * z * (-0.16666654611 + z * (0.0083321608736 + z * -0.00019515295891));
}`,
  },
  f32_cos_poly: {
    code: `
// The cosine of r in [-pi/4, pi/4].
fn f32_cos_poly(r: f32) -> f32 {
  let z = r * r;
  return 1.0 - 0.5 * z + z * z * (0.04166664568 + z * (-0.001388731625 + z * 0.00002443315712));
}`,
  },
  f32_quarter_turns: {
    uses: ['f32_sin_poly', 'f32_cos_poly', 'f32_of'],
    code: `
// sin(x + turns * pi/2), within 2^-20.5 for arguments up to 100 pi, the range in which PTX bounds
// the error.
fn f32_quarter_turns(x: f32, turns: i32) -> f32 {
  let size = bitcast<u32>(x) & 0x7fffffffu;
  if (size >= 0x7f800000u) {
    return f32_of(0x7fffffffu);
  }
  // For large arguments, the result only has to be in [-1, 1]: a less precise remainder is enough.
  let far = x - floor(x * 0.1591549431) * 6.283185307;
  let near = select(clamp(far, 0.0, 6.283185307), x, size < 0x46000000u);
  let quarter = floor(near * 0.6366197724 + 0.5);
  // pi/2 in three parts. The first two have few enough bits for exact products.
  let r = ((near - quarter * 1.5703125) - quarter * 0.0004837512969970703125) - quarter * 0.0000000754978995489188216;
  let quadrant = (i32(quarter) + turns) & 3;
  let value = select(f32_sin_poly(r), f32_cos_poly(r), (quadrant & 1) == 1);
  return select(value, -value, quadrant > 1);
}`,
  },
  f32_sin: {
    uses: ['f32_quarter_turns'],
    code: `
// The sine. The sine of a small argument is the argument.
fn f32_sin(x: f32) -> f32 {
  if ((bitcast<u32>(x) & 0x7fffffffu) < 0x39800000u) {
    return x;
  }
  return f32_quarter_turns(x, 0);
}`,
  },
  f32_cos: {
    uses: ['f32_quarter_turns'],
    code: `
// The cosine.
fn f32_cos(x: f32) -> f32 {
  return f32_quarter_turns(x, 1);
}`,
  },
  f32_tanh: {
    uses: ['f32_ex2', 'f32_of'],
    code: `
// The hyperbolic tangent within 2^-11 of the result.
fn f32_tanh(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) {
    return f32_of(0x7fffffffu);
  }
  // Below 2^-12 the result is the argument, also if it is subnormal; above 10 it is 1.
  if (size < 0x39800000u) {
    return x;
  }
  if (size > 0x41200000u) {
    return bitcast<f32>((bits & 0x80000000u) | 0x3f800000u);
  }
  let z = x * x;
  let series = x * (1.0 + z * (-0.3333333333 + z * (0.1333333333 + z * (-0.05396825397
    + z * (0.02186948854 + z * -0.008863235530)))));
  let quotient = 1.0 - 2.0 / (f32_ex2(x * 2.885390082) + 1.0);
  return select(quotient, series, size < 0x3f000000u);
}`,
  },
});
