// f32 arithmetic that is exact but for one rounding. Values travel as bits; the work is done in double precision:
// - a product of two f32 has 48 significant bits, which a double holds;
// - a sum of two such values may need more. Rounding it to *odd* (an inexact result gets its last bit set) leaves every later
//   rounding to f32 right, since a double has more than two spare bits;
// - a quotient or square root of f32 that is not itself an f32, or half-way between two, is at least 2^-51 (relative) away from
//   each such number, so the nearest double lies on the same side.
import { canonicalNaN, isNegative, signBit } from './float-bits.ts';

/** To nearest even, towards zero, down, up. */
export type Direction = 'rn' | 'rz' | 'rm' | 'rp';

export interface Rounding {
  readonly direction: Direction;
  /** `.ftz`: a subnormal result becomes zero, keeping its sign. */
  readonly flush: boolean;
}

export const toNearest: Rounding = { direction: 'rn', flush: false };

const leastNormal = 2 ** -126;
const scratch = new DataView(new ArrayBuffer(8));

/** The value of f32 bits. */
export function floatOf(bits: number): number {
  scratch.setUint32(0, bits);
  return scratch.getFloat32(0);
}

/** The bits of the f32 nearest to a value; NaN is canonical. */
function nearestBits(value: number): number {
  if (Number.isNaN(value)) return canonicalNaN;
  scratch.setFloat32(0, value);
  return scratch.getUint32(0);
}

/** The bits of a value, rounded to f32. Overflow gives infinity or the largest finite number, as the direction says. */
export function roundToFloat(exact: number, { direction, flush }: Rounding): number {
  if (flush && isFlushed(exact, direction)) return exact < 0 || Object.is(exact, -0) ? signBit : 0;
  const bits = nearestBits(exact);
  const rounded = floatOf(bits);
  if (direction === 'rn' || Number.isNaN(exact) || rounded === exact) return bits;
  const isHigh = rounded > exact;
  const wantsLower = direction === 'rm' || (direction === 'rz' && !isNegative(bits));
  if (isHigh !== wantsLower) return bits;
  // One step towards the side wanted: down from a positive number, or up from a negative one, is towards zero.
  return (isHigh !== isNegative(bits) ? bits - 1 : bits + 1) >>> 0;
}

/**
 * Whether `.ftz` makes a result zero: if it is below the least normal number after rounding to 24 bits as though exponents had no
 * lower end. The manual does not say; an H200 does it so.
 */
function isFlushed(exact: number, direction: Direction): boolean {
  if (!(Math.abs(exact) < leastNormal)) return false;
  const scale = 2 ** 64;
  const scaled = floatOf(roundToFloat(exact * scale, { direction, flush: false }));
  return Math.abs(scaled) < leastNormal * scale;
}

/** A double's neighbour, or itself, whose last bit is set; `error` is the sign of what `nearest` lacks. */
function toOdd(nearest: number, error: number): number {
  scratch.setFloat64(0, nearest);
  const bits = scratch.getBigUint64(0);
  if (error === 0 || (bits & 1n) === 1n) return nearest;
  const isGrowing = error > 0 === nearest > 0;
  scratch.setBigUint64(0, isGrowing ? bits + 1n : bits - 1n);
  return scratch.getFloat64(0);
}

/** The sum of two doubles, rounded to odd. */
export function oddSum(x: number, y: number): number {
  const sum = x + y;
  if (!Number.isFinite(sum)) return sum;
  // Knuth's two-sum: the part of the exact sum that `sum` lost.
  const yPart = sum - x;
  const error = x - (sum - yPart) + (y - yPart);
  return toOdd(sum, error);
}

/** The sum of two doubles, rounded to f32. */
function roundedSum(x: number, y: number, rounding: Rounding): number {
  const sum = oddSum(x, y);
  if (sum === 0 && rounding.direction === 'rm') {
    // An exact zero sum is -0 when rounding down, unless both are +0.
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

/** `a * b + c`, rounded once. */
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

/** Each integer rounding on a value: to nearest even, towards zero, down, up. Zero results keep the value's sign. */
export const integerRoundings = {
  rni: roundHalfToEven,
  rzi: Math.trunc,
  rmi: Math.floor,
  rpi: Math.ceil,
} as const satisfies Record<string, (value: number) => number>;
