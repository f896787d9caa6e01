// f64 arithmetic in any direction, on JavaScript's numbers: the nearest result, and the sign of what it is off by. That error is an f64 itself, which
// additions and products by halves give exactly (Dekker 1971, Knuth's two-sum), as long as nothing overflows or is subnormal. All functions give NaN where
// they cannot tell: for operands and results out of range, and for results that are zero, whose sign has rules of its own.

import type { Direction } from './float-exact.ts';

/** Products of numbers below have halves that do not overflow. */
const greatest = 2 ** 900;
/** Products above have an error that is a normal number. */
const least = 2 ** -900;

const isBetween = (magnitude: number): boolean => magnitude > least && magnitude < greatest;

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/** The next number away from zero, or towards it, of one that is neither zero nor at the end of the range. */
function neighbour(value: number, isAway: boolean): number {
  number[0] = value;
  const low = words[0] ?? 0;
  words[0] = isAway ? low + 1 : low - 1;
  if (isAway && low === 0xffff_ffff) words[1] = (words[1] ?? 0) + 1;
  if (!isAway && low === 0) words[1] = (words[1] ?? 0) - 1;
  return number[0] ?? 0;
}

/** The result in that direction, where the exact one is `nearest` and something with the sign of `error`, less than the distance to the next number. */
export function directed(nearest: number, error: number, direction: Direction): number {
  if (nearest === 0) return Number.NaN;
  if (direction === 'rn' || error === 0) return nearest;
  const isUp = direction === 'rp' || (direction === 'rz' && nearest < 0);
  // The nearest number is on that side already.
  if (isUp !== error > 0) return nearest;
  return neighbour(nearest, isUp === nearest > 0);
}

/** What is lost by rounding `x + y` to `sum`. */
function sumError(x: number, y: number, sum: number): number {
  const part = sum - x;
  return x - (sum - part) + (y - part);
}

/** 26 bits of a number, so that products of two such parts are exact. */
function upperPart(x: number): number {
  const wide = x * (2 ** 27 + 1);
  return wide - (wide - x);
}

/** What is lost by rounding `x * y` to `product`. */
function productError(x: number, y: number, product: number): number {
  const [xUpper, yUpper] = [upperPart(x), upperPart(y)];
  const [xLower, yLower] = [x - xUpper, y - yUpper];
  return xUpper * yUpper - product + xUpper * yLower + xLower * yUpper + xLower * yLower;
}

export function addRounded(x: number, y: number, direction: Direction): number {
  const sum = x + y;
  // A sum has no underflow: what is subnormal is exact.
  return Math.abs(x) < greatest && Math.abs(y) < greatest ? directed(sum, sumError(x, y, sum), direction) : Number.NaN;
}

/** Whether the product and its error are as they would be without limits to exponents. */
const isProduct = (x: number, y: number, product: number): boolean =>
  Math.abs(x) < greatest && Math.abs(y) < greatest && isBetween(Math.abs(product));

export function multiplyRounded(x: number, y: number, direction: Direction): number {
  const product = x * y;
  return isProduct(x, y, product) ? directed(product, productError(x, y, product), direction) : Number.NaN;
}

/**
 * `x * y + z`, rounded once: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums" (2008), which adds the three parts of the exact sum, the
 * smaller two rounded to odd. A number of 53 bits that is odd lies strictly between those that a result of 53 bits at `upper` may be, and between the
 * middles of them, so that it is on the side of the exact sum in every direction.
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

/** `x + y`: of the two numbers about an inexact sum the one whose last bit is set. */
function roundedToOdd(x: number, y: number): number {
  const sum = x + y;
  const error = sumError(x, y, sum);
  if (error === 0) return sum;
  number[0] = sum;
  return (words[0] ?? 0) & 1 ? sum : neighbour(sum, error > 0 === sum > 0);
}

/** The remainder of a quotient rounded to nearest is an f64, and so are the two differences that give it: product and dividend are neighbours at most. */
export function divideRounded(x: number, y: number, direction: Direction): number {
  const quotient = x / y;
  if (!isBetween(Math.abs(x)) || !isBetween(Math.abs(y)) || !isBetween(Math.abs(quotient))) return Number.NaN;
  const product = quotient * y;
  const remainder = x - product - productError(quotient, y, product);
  return directed(quotient, y < 0 ? -remainder : remainder, direction);
}

/** As in a division, what the square of the root leaves of the number is an f64. */
export function sqrtRounded(x: number, direction: Direction): number {
  if (!isBetween(x)) return Number.NaN;
  const root = Math.sqrt(x);
  const square = root * root;
  return directed(root, x - square - productError(root, root, square), direction);
}
