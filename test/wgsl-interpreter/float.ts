// f32 arithmetic on raw bits. Denormals are kept by default. +, -, *, / and sqrt of doubles,
// rounded once more to f32, are correctly rounded.

const floats = new Float32Array(1);
const words = new Uint32Array(floats.buffer);
const doubles = new Float64Array(1);
const longs = new BigInt64Array(doubles.buffer);

export function toFloat(bits: number): number {
  words[0] = bits;
  return floats[0] ?? 0;
}

/** Returns the bits of a number rounded to f32. Any NaN becomes 0x7fc00000. */
export function toBits(value: number): number {
  if (Number.isNaN(value)) return 0x7fc00000;
  floats[0] = value;
  return words[0] ?? 0;
}

/** Whether arithmetic currently flushes subnormals. */
let flushes = false;

/**
 * Runs a function as an adapter that flushes would: subnormal operands become zeros of their sign,
 * and so do results that are subnormal before rounding.
 */
export function withFlushing<T>(flushing: boolean, run: () => T): T {
  const before = flushes;
  flushes = flushing;
  try {
    return run();
  } finally {
    flushes = before;
  }
}

/** Converts the bits of an operand to a number. Subnormals become zero if `flushes` is set. */
export function operand(bits: number): number {
  return toFloat(flushes && (bits & 0x7f800000) === 0 ? bits & 0x80000000 : bits);
}

/** Returns the bits of an arithmetic result, given exactly or with more digits than f32 has. */
export function result(value: number): number {
  return toBits(flushes && Math.abs(value) < 2 ** -126 ? value * 0 : value);
}

/**
 * Returns x * y + z, rounded once. The product of two f32 is exact in a double. The sum is rounded
 * to odd, so the second rounding to f32 loses nothing (Boldo and Melquiond, "Emulation of FMA and
 * correctly rounded sums", 2008).
 */
export function fma(x: number, y: number, z: number): number {
  const product = x * y;
  const sum = product + z;
  if (!Number.isFinite(sum)) return sum;
  const back = sum - product;
  const error = product - (sum - back) + (z - back);
  if (error === 0) return sum;
  doubles[0] = sum;
  const bits = longs[0] ?? 0n;
  if ((bits & 1n) !== 0n) return sum;
  longs[0] = bits + (error > 0 === sum > 0 ? 1n : -1n);
  return doubles[0] ?? 0;
}

/** Rounds to the nearest integer, ties to even. */
export function roundEven(value: number): number {
  const floor = Math.floor(value);
  const fraction = value - floor;
  if (Number.isNaN(fraction) || fraction === 0) return value;
  const up = fraction > 0.5 || (fraction === 0.5 && floor % 2 !== 0);
  const result = up ? floor + 1 : floor;
  return result === 0 && value < 0 ? -0 : result;
}

/**
 * Returns `u32(f32)`: truncated, and clamped to the values that both types represent. NaN becomes
 * 0.
 */
export function toU32(value: number): number {
  return Math.min(Math.max(Math.trunc(value) || 0, 0), 4294967040);
}

/** Returns `i32(f32)` as raw bits. */
export function toI32(value: number): number {
  return Math.min(Math.max(Math.trunc(value) || 0, -2147483648), 2147483520) >>> 0;
}

/** Returns the value of an f16. */
export function floatOfHalf(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  const sign = bits >= 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** Returns the bits of the f16 nearest to a number. A tie rounds to the even one. */
export function halfOfFloat(value: number): number {
  if (Number.isNaN(value)) return 0x7fff;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === 0) return sign;
  if (size === Number.POSITIVE_INFINITY) return sign | 0x7c00;
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  const scaled = size * 2 ** (10 - exponent);
  const floor = Math.floor(scaled);
  const isUp = scaled - floor > 0.5 || (scaled - floor === 0.5 && floor % 2 === 1);
  const digits = floor + (isUp ? 1 : 0);
  // If the digits round up to the next power of two, the addition increments the exponent.
  const bits = exponent === -14 && digits < 1024 ? digits : (exponent + 15) * 1024 + (digits - 1024);
  return sign | Math.min(bits, 0x7c00);
}
