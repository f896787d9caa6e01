// Directed rounding of f64 arithmetic with JavaScript numbers, from the nearest result and the sign
// of its error. The error is an f64. For additions, and for products of halves, the error is
// computed exactly (Dekker 1971, Knuth's two-sum) unless a number overflows or is subnormal. All
// functions return NaN if the method is not applicable: for operands or results out of range, and
// for zero results, whose sign has separate rules.

import type { Direction } from './float-exact.ts';

/** The limit below which `upperPart` of a number does not overflow. */
const greatest = 2 ** 900;
/** The limit above which the error of a product is a normal number. */
const least = 2 ** -900;

const isBetween = (magnitude: number): boolean => magnitude > least && magnitude < greatest;

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/**
 * Returns the next number away from zero, or toward zero. `value` must be neither zero nor the
 * largest number.
 */
function neighbour(value: number, isAway: boolean): number {
  number[0] = value;
  const low = words[0] ?? 0;
  words[0] = isAway ? low + 1 : low - 1;
  if (isAway && low === 0xffff_ffff) words[1] = (words[1] ?? 0) + 1;
  if (!isAway && low === 0) words[1] = (words[1] ?? 0) - 1;
  return number[0] ?? 0;
}

/**
 * Rounds the exact result `nearest + e` in a direction. `e` is smaller than the distance to the
 * next number; `error` has the sign of `e`.
 */
export function directed(nearest: number, error: number, direction: Direction): number {
  if (nearest === 0) return Number.NaN;
  if (direction === 'rn' || error === 0) return nearest;
  const isUp = direction === 'rp' || (direction === 'rz' && nearest < 0);
  // The nearest number is already in the required direction.
  if (isUp !== error > 0) return nearest;
  return neighbour(nearest, isUp === nearest > 0);
}

/** Returns the error of rounding `x + y` to `sum`. */
function sumError(x: number, y: number, sum: number): number {
  const part = sum - x;
  return x - (sum - part) + (y - part);
}

/** Returns the upper 26 bits of a number, so that products of two such parts are exact. */
function upperPart(x: number): number {
  const wide = x * (2 ** 27 + 1);
  return wide - (wide - x);
}

/** Returns the error of rounding `x * y` to `product`. */
function productError(x: number, y: number, product: number): number {
  const [xUpper, yUpper] = [upperPart(x), upperPart(y)];
  const [xLower, yLower] = [x - xUpper, y - yUpper];
  return xUpper * yUpper - product + xUpper * yLower + xLower * yUpper + xLower * yLower;
}

export function addRounded(x: number, y: number, direction: Direction): number {
  const sum = x + y;
  // A sum cannot underflow, because subnormal sums are exact.
  return Math.abs(x) < greatest && Math.abs(y) < greatest ? directed(sum, sumError(x, y, sum), direction) : Number.NaN;
}

/**
 * Whether the product and its error can be computed without overflow or underflow.
 */
const isProduct = (x: number, y: number, product: number): boolean =>
  Math.abs(x) < greatest && Math.abs(y) < greatest && isBetween(Math.abs(product));

export function multiplyRounded(x: number, y: number, direction: Direction): number {
  const product = x * y;
  return isProduct(x, y, product) ? directed(product, productError(x, y, product), direction) : Number.NaN;
}

/**
 * Returns `x * y + z`, rounded once, by Boldo and Melquiond, "Emulation of FMA and correctly
 * rounded sums" (2008). The exact sum has three parts. The sum of the two smaller parts is rounded
 * to odd. An odd number of 53 bits is strictly between the results that are possible near `upper`,
 * and between their midpoints. For every direction, the final rounding thus has the same result as
 * for the exact sum.
 */
export function fmaRounded(x: number, y: number, z: number, direction: Direction): number {
  const product = x * y;
  if (!isProduct(x, y, product) || !(Math.abs(z) < greatest)) return Number.NaN;
  const small = productError(x, y, product);
  const addend = z + small;
  const upper = product + addend;
  const rest = roundedToOdd(sumError(product, addend, upper), sumError(z, small, addend));
  const sum = upper + rest;
  return directed(sum, sumError(upper, rest, sum), direction);
}

/**
 * Returns `x + y`, rounded to odd. If the sum is inexact, this is the one of the two adjacent
 * numbers whose last bit is set.
 */
function roundedToOdd(x: number, y: number): number {
  const sum = x + y;
  const error = sumError(x, y, sum);
  if (error === 0) return sum;
  number[0] = sum;
  return (words[0] ?? 0) & 1 ? sum : neighbour(sum, error > 0 === sum > 0);
}

/**
 * Returns `x / y`, rounded in a direction. The remainder of the nearest quotient is an f64. The two
 * differences that compute the remainder are exact too, because the product and the dividend are
 * equal or neighbors.
 */
export function divideRounded(x: number, y: number, direction: Direction): number {
  const quotient = x / y;
  if (!isBetween(Math.abs(x)) || !isBetween(Math.abs(y)) || !isBetween(Math.abs(quotient))) return Number.NaN;
  const product = quotient * y;
  const remainder = x - product - productError(quotient, y, product);
  return directed(quotient, y < 0 ? -remainder : remainder, direction);
}

/**
 * Returns the square root of `x`, rounded in a direction. As in a division, the difference of `x`
 * and the square of the nearest root is an f64.
 */
export function sqrtRounded(x: number, direction: Direction): number {
  if (!isBetween(x)) return Number.NaN;
  const root = Math.sqrt(x);
  const square = root * root;
  return directed(root, x - square - productError(root, root, square), direction);
}
