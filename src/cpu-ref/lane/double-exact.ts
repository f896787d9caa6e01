// f64 arithmetic with one rounding. Most results come from JavaScript numbers
// (`double-rounded.ts`). Zeros and results near the ends of the range are computed exactly as
// integers times powers of two.
import {
  bitsOfDouble,
  doubleInfinity,
  doubleMagnitude,
  doubleOf,
  doubleSign,
  exponentOfDouble,
  invalidDouble,
  isInfiniteDouble,
  isNegativeDouble,
  isSpecialDouble,
} from './double-bits.ts';
import { addRounded, divideRounded, fmaRounded, multiplyRounded, sqrtRounded } from './double-rounded.ts';
import type { Direction } from './float-exact.ts';

/** The number `± significand * 2^exponent`. The sign is separate because zeros also have a sign. */
interface Exact {
  readonly negative: boolean;
  readonly significand: bigint;
  readonly exponent: number;
}

/** The exponent of the lowest bit of subnormal numbers. */
const leastExponent = -1074;

/** Returns the exact value of finite f64 bits. */
function exactOf(bits: bigint): Exact {
  const field = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  return {
    negative: isNegativeDouble(bits),
    significand: field === 0 ? fraction : fraction | (1n << 52n),
    exponent: Math.max(field, 1) + leastExponent - 1,
  };
}

/** Returns the number of significant bits of a magnitude. */
function lengthOf(value: bigint): number {
  const shift = value < largeMagnitude ? 0 : value.toString(16).length * 4 - 1000;
  // Rounding to f64 may yield the next power of two.
  const near = Number(value >> BigInt(shift));
  const length = near === 0 ? 0 : exponentOfDouble(near) + 1;
  return length + shift - (length > 0 && value >> BigInt(length + shift - 1) === 0n ? 1 : 0);
}

const largeMagnitude = 1n << 1000n;

/**
 * Whether a magnitude is rounded up, away from zero. The magnitude is `rest / unit` above a number
 * whose last bit is odd if `isOdd`.
 */
function goesUp(direction: Direction, negative: boolean, isOdd: boolean, rest: bigint, unit: bigint): boolean {
  if (rest === 0n || direction === 'rz') return false;
  if (direction === 'rn') return 2n * rest > unit || (2n * rest === unit && isOdd);
  return (direction === 'rm') === negative;
}

/**
 * Rounds a value to f64 bits. A caller that truncates a longer value sets the last bit of the
 * significand; this bit must be far below the 53 bits of the result.
 */
function roundToDouble({ negative, significand, exponent }: Exact, direction: Direction): bigint {
  const sign = negative ? doubleSign : 0n;
  if (significand === 0n) return sign;
  const last = Math.max(exponent + lengthOf(significand) - 53, leastExponent);
  const shift = BigInt(Math.max(last - exponent, 0));
  const kept = last < exponent ? significand << BigInt(exponent - last) : significand >> shift;
  const unit = 1n << shift;
  const rest = last < exponent ? 0n : significand - (kept << shift);
  const rounded = kept + (goesUp(direction, negative, (kept & 1n) === 1n, rest, unit) ? 1n : 0n);
  // The leading one adds 1 to the exponent field. So does a carry from the fraction.
  const bits = (BigInt(last - leastExponent) << 52n) + rounded;
  if (bits < doubleInfinity) return sign | bits;
  const isTowardsZero = direction === 'rz' || direction === (negative ? 'rp' : 'rm');
  return sign | (isTowardsZero ? doubleInfinity - 1n : doubleInfinity);
}

function sumOf(x: Exact, y: Exact, direction: Direction): bigint {
  const exponent = Math.min(x.exponent, y.exponent);
  const signed = ({ negative, significand, exponent: own }: Exact) =>
    (negative ? -significand : significand) << BigInt(own - exponent);
  const sum = signed(x) + signed(y);
  // An exact sum of zero is +0, or -0 when rounding down. The sum of two zeros of the same sign has
  // that sign.
  const zeroSign = x.negative === y.negative ? x.negative : direction === 'rm';
  const negative = sum === 0n ? zeroSign : sum < 0n;
  return roundToDouble({ negative, significand: sum < 0n ? -sum : sum, exponent }, direction);
}

function productOf(x: Exact, y: Exact): Exact {
  return {
    negative: x.negative !== y.negative,
    significand: x.significand * y.significand,
    exponent: x.exponent + y.exponent,
  };
}

/** Returns the bits of a number, or the NaN of an invalid operation. */
const resultOf = (value: number): bigint => (Number.isNaN(value) ? invalidDouble : bitsOfDouble(value));

/** The following functions must not be called with NaNs. */

export function addDouble(a: bigint, b: bigint, direction: Direction): bigint {
  if (direction === 'rn' || isSpecialDouble(a) || isSpecialDouble(b)) return resultOf(doubleOf(a) + doubleOf(b));
  const known = addRounded(doubleOf(a), doubleOf(b), direction);
  if (!Number.isNaN(known)) return bitsOfDouble(known);
  return sumOf(exactOf(a), exactOf(b), direction);
}

export function multiplyDouble(a: bigint, b: bigint, direction: Direction): bigint {
  if (direction === 'rn' || isSpecialDouble(a) || isSpecialDouble(b)) return resultOf(doubleOf(a) * doubleOf(b));
  const known = multiplyRounded(doubleOf(a), doubleOf(b), direction);
  if (!Number.isNaN(known)) return bitsOfDouble(known);
  return roundToDouble(productOf(exactOf(a), exactOf(b)), direction);
}

/** Returns `a * b + c`, rounded once. */
export function fmaDouble(a: bigint, b: bigint, c: bigint, direction: Direction): bigint {
  const known = fmaRounded(doubleOf(a), doubleOf(b), doubleOf(c), direction);
  if (!Number.isNaN(known)) return bitsOfDouble(known);
  if (isInfiniteDouble(a) || isInfiniteDouble(b)) return resultOf(doubleOf(a) * doubleOf(b) + doubleOf(c));
  if (isInfiniteDouble(c)) return c;
  return sumOf(productOf(exactOf(a), exactOf(b)), exactOf(c), direction);
}

export function divideDouble(a: bigint, b: bigint, direction: Direction): bigint {
  const isByZero = doubleMagnitude(b) === 0n;
  if (direction === 'rn' || isSpecialDouble(a) || isSpecialDouble(b) || isByZero)
    return resultOf(doubleOf(a) / doubleOf(b));
  const known = divideRounded(doubleOf(a), doubleOf(b), direction);
  if (!Number.isNaN(known)) return bitsOfDouble(known);
  const [x, y] = [exactOf(a), exactOf(b)];
  // Compute about 120 bits of the quotient. The last bit is set if there is a remainder.
  const dividend = x.significand << 120n;
  const quotient = dividend / y.significand;
  const isExact = quotient * y.significand === dividend;
  const significand = isExact ? quotient : quotient | 1n;
  return roundToDouble(
    { negative: x.negative !== y.negative, significand, exponent: x.exponent - y.exponent - 120 },
    direction,
  );
}

export function sqrtDouble(a: bigint, direction: Direction): bigint {
  const value = doubleOf(a);
  if (direction === 'rn' || isSpecialDouble(a) || !(value > 0)) return resultOf(Math.sqrt(value));
  const known = sqrtRounded(value, direction);
  if (!Number.isNaN(known)) return bitsOfDouble(known);
  const { significand, exponent } = exactOf(a);
  const isOdd = exponent % 2 !== 0;
  const radicand = significand << (isOdd ? 121n : 120n);
  const root = integerRoot(radicand);
  const isExact = root * root === radicand;
  return roundToDouble(
    {
      negative: false,
      significand: isExact ? root : root | 1n,
      exponent: (exponent - (isOdd ? 121 : 120)) / 2,
    },
    direction,
  );
}

/** Returns the square root, rounded down, by Newton's iteration from above. */
function integerRoot(value: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(lengthOf(value) / 2));
  for (let next = (root + value / root) >> 1n; next < root; next = (root + value / root) >> 1n) root = next;
  return root;
}
