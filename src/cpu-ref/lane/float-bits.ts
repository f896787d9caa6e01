// f32 values by their bits: classes, and the order that min and max use. No arithmetic.

export const signBit = 0x80000000;
export const infinity = 0x7f800000;
export const one = 0x3f800000;

/** The NaN that NVIDIA's arithmetic gives, whatever NaN went in. */
export const canonicalNaN = 0x7fffffff;

/** The bits without the sign. */
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

/** `.ftz`: subnormal values become zero, keeping their sign. */
export function flushed(bits: number): number {
  return isSubnormal(bits) ? (bits & signBit) >>> 0 : bits >>> 0;
}

/** A number that orders f32 bits other than NaN as `min` and `max` do: -0 is less than +0. */
function orderOf(bits: number): number {
  return isNegative(bits) ? -magnitude(bits) - 1 : magnitude(bits);
}

export type MinMax = 'min' | 'max';

/**
 * The lesser or greater of two f32. A NaN loses to a number, or wins as the canonical NaN where `propagateNaN`;
 * two NaNs give the canonical NaN.
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
