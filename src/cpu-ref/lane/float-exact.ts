// f32 arithmetic with one rounding. Values are passed as bits, and computed in double precision:
// - A product of two f32 values has 48 significant bits, so a double represents it exactly.
// - A sum of two such values may need more bits. It is rounded to *odd*: an inexact result has its
// last bit set. A later rounding to f32 is then correct, because a double has more than two extra
// bits.
// - A quotient or square root of f32 values may be neither an f32 nor the midpoint of two f32
// values. Its relative distance from each of these is then at least 2^-51, so rounding the nearest
// double has the same result as rounding the exact value.
import { canonicalNaN, isNegative, signBit } from './float-bits.ts';

/** A rounding: to nearest even, toward zero, down, up. */
export type Direction = 'rn' | 'rz' | 'rm' | 'rp';

export interface Rounding {
  readonly direction: Direction;
  /** Whether a subnormal result is flushed to a zero of the same sign (`.ftz`). */
  readonly flush: boolean;
}

export const toNearest: Rounding = { direction: 'rn', flush: false };

const leastNormal = 2 ** -126;
const scratch = new DataView(new ArrayBuffer(8));

/** Returns the value of f32 bits. */
export function floatOf(bits: number): number {
  scratch.setUint32(0, bits);
  return scratch.getFloat32(0);
}

/** Returns the bits of the f32 nearest to a value. A NaN becomes the canonical NaN. */
function nearestBits(value: number): number {
  if (Number.isNaN(value)) return canonicalNaN;
  scratch.setFloat32(0, value);
  return scratch.getUint32(0);
}

/**
 * Rounds a value to f32 bits. The result of an overflow is infinity or the largest finite number,
 * depending on the direction.
 */
export function roundToFloat(exact: number, { direction, flush }: Rounding): number {
  if (flush && isFlushed(exact, direction)) return exact < 0 || Object.is(exact, -0) ? signBit : 0;
  const bits = nearestBits(exact);
  const rounded = floatOf(bits);
  if (direction === 'rn' || Number.isNaN(exact) || rounded === exact) return bits;
  const isHigh = rounded > exact;
  const wantsLower = direction === 'rm' || (direction === 'rz' && !isNegative(bits));
  if (isHigh !== wantsLower) return bits;
  // Move to the neighbor in the required direction. The bits of the lower neighbor are smaller for
  // a positive number, and larger for a negative number.
  return (isHigh !== isNegative(bits) ? bits - 1 : bits + 1) >>> 0;
}

/**
 * Whether `.ftz` flushes a result, which is the case if the result is below the least normal number
 * after rounding to 24 bits with unlimited exponents. The manual does not specify this; it is the
 * behavior of an H200.
 */
function isFlushed(exact: number, direction: Direction): boolean {
  if (!(Math.abs(exact) < leastNormal)) return false;
  const scale = 2 ** 64;
  const scaled = floatOf(roundToFloat(exact * scale, { direction, flush: false }));
  return Math.abs(scaled) < leastNormal * scale;
}

/**
 * Rounds an exact value to odd: returns `nearest` if its last bit is set or the error is 0, and
 * otherwise the neighbor in the direction of the exact value. `error` has the sign of the exact
 * value minus `nearest`.
 */
function toOdd(nearest: number, error: number): number {
  scratch.setFloat64(0, nearest);
  const bits = scratch.getBigUint64(0);
  if (error === 0 || (bits & 1n) === 1n) return nearest;
  const isGrowing = error > 0 === nearest > 0;
  scratch.setBigUint64(0, isGrowing ? bits + 1n : bits - 1n);
  return scratch.getFloat64(0);
}

/** Returns the sum of two doubles, rounded to odd. */
export function oddSum(x: number, y: number): number {
  const sum = x + y;
  if (!Number.isFinite(sum)) return sum;
  // The error of `sum`, by Knuth's two-sum.
  const yPart = sum - x;
  const error = x - (sum - yPart) + (y - yPart);
  return toOdd(sum, error);
}

/** Returns the sum of two doubles, rounded to f32. */
function roundedSum(x: number, y: number, rounding: Rounding): number {
  const sum = oddSum(x, y);
  if (sum === 0 && rounding.direction === 'rm') {
    // When rounding down, an exact zero sum is -0, unless both operands are +0.
    return Object.is(x, 0) && Object.is(y, 0) ? 0 : signBit;
  }
  return roundToFloat(sum, rounding);
}

export function addFloat(a: number, b: number, rounding: Rounding): number {
  return roundedSum(floatOf(a), floatOf(b), rounding);
}

export function subtractFloat(a: number, b: number, rounding: Rounding): number {
  return roundedSum(floatOf(a), -floatOf(b), rounding);
}

export function multiplyFloat(a: number, b: number, rounding: Rounding): number {
  return roundToFloat(floatOf(a) * floatOf(b), rounding);
}

/** Returns `a * b + c`, rounded once. */
export function fmaFloat(a: number, b: number, c: number, rounding: Rounding): number {
  return roundedSum(floatOf(a) * floatOf(b), floatOf(c), rounding);
}

export function divideFloat(a: number, b: number, rounding: Rounding): number {
  return roundToFloat(floatOf(a) / floatOf(b), rounding);
}

export function sqrtFloat(a: number, rounding: Rounding): number {
  return roundToFloat(Math.sqrt(floatOf(a)), rounding);
}

function roundHalfToEven(value: number): number {
  const size = Math.abs(value);
  const floor = Math.floor(size);
  const excess = size - floor;
  const rounded = excess > 0.5 || (excess === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
  return value < 0 || Object.is(value, -0) ? -rounded : rounded;
}

/**
 * The roundings to an integer: to nearest even, toward zero, down, up. A zero result has the sign
 * of the value.
 */
export const integerRoundings = {
  rni: roundHalfToEven,
  rzi: Math.trunc,
  rmi: Math.floor,
  rpi: Math.ceil,
} as const satisfies Record<string, (value: number) => number>;
