// Operations on the bits of f32 values: classes, and the order for min and max.

export const signBit = 0x80000000;
export const infinity = 0x7f800000;
export const one = 0x3f800000;

/** The NaN that NVIDIA's arithmetic returns, for any NaN operand. */
export const canonicalNaN = 0x7fffffff;

/** Returns the bits without the sign. */
export function magnitude(bits: number): number {
  return bits & 0x7fffffff;
}

export function isNaNBits(bits: number): boolean {
  return magnitude(bits) > infinity;
}

export function isNegative(bits: number): boolean {
  return bits >>> 31 === 1;
}

export function isSubnormal(bits: number): boolean {
  return magnitude(bits) !== 0 && magnitude(bits) < 0x00800000;
}

/** Flushes a subnormal value to a zero of the same sign, for `.ftz`. */
export function flushed(bits: number): number {
  return isSubnormal(bits) ? (bits & signBit) >>> 0 : bits >>> 0;
}

/**
 * Returns a number whose order is that of `min` and `max` for f32 bits other than NaN: -0 is less
 * than +0.
 */
function orderOf(bits: number): number {
  return isNegative(bits) ? -magnitude(bits) - 1 : magnitude(bits);
}

export type MinMax = 'min' | 'max';

/**
 * Returns the lesser or greater of two f32 values. If one is a NaN, returns the other, or with
 * `propagateNaN` the canonical NaN. For two NaNs, returns the canonical NaN.
 */
export function minMax(which: MinMax, a: number, b: number, propagateNaN: boolean): number {
  const aIsNaN = isNaNBits(a);
  const bIsNaN = isNaNBits(b);
  if ((aIsNaN && bIsNaN) || (propagateNaN && (aIsNaN || bIsNaN))) return canonicalNaN;
  if (aIsNaN) return b >>> 0;
  if (bIsNaN) return a >>> 0;
  const aFirst = orderOf(a) < orderOf(b);
  return ((which === 'min') === aFirst ? a : b) >>> 0;
}
