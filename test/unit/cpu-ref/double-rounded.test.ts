// f64 results that the reference computes with JavaScript's numbers, checked with integers of
// thousands of bits. Each result must satisfy the rounding direction, and must be the nearest such
// number to the exact result.
import { expect, test } from 'vitest';
import { fmaDouble } from '../../../src/cpu-ref/lane/double-exact.ts';
import {
  addRounded,
  divideRounded,
  fmaRounded,
  multiplyRounded,
  sqrtRounded,
} from '../../../src/cpu-ref/lane/double-rounded.ts';
import type { Direction } from '../../../src/cpu-ref/lane/float-exact.ts';
import { type Random, random } from '../../../src/harness/suites/random.ts';
import { drawDouble } from '../../../src/harness/suites/rows/double-values.ts';
import { effort } from '../../effort.ts';
import { seed } from '../../seed.ts';

const words = new Uint32Array(6);
const numbers = new Float64Array(words.buffer);
const bits = new BigUint64Array(words.buffer);

/** Returns a number in units of 2^-1074. */
function scaled(value: number): bigint {
  numbers[0] = value;
  const all = bits[0] ?? 0n;
  const exponent = (all >> 52n) & 0x7ffn;
  const fraction = all & ((1n << 52n) - 1n);
  const magnitude = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -magnitude : magnitude;
}

/** Returns the next larger number. */
function above(value: number): number {
  numbers[0] = value;
  bits[0] = (bits[0] ?? 0n) + (value > 0 ? 1n : -1n);
  return numbers[0] ?? 0;
}

function below(value: number): number {
  return -above(-value);
}

/**
 * Whether `result` is the correctly rounded exact result. `compare(x)` is negative if the exact
 * result is below x, and positive if it is above x.
 */
function isRight(result: number, direction: Direction, compare: (x: bigint) => number): boolean {
  const side = compare(scaled(result));
  if (side === 0) return true;
  const other = side > 0 ? above(result) : below(result);
  const beyond = compare(scaled(other));
  if (beyond === 0 || beyond > 0 === side > 0) return false;
  if (direction === 'rp') return side < 0;
  if (direction === 'rm') return side > 0;
  if (direction === 'rz') return side > 0 === result > 0;
  // The exact result must not be past the midpoint of `result` and `other`, which is half their
  // sum.
  const middle = compareHalf(compare, scaled(result) + scaled(other));
  numbers[0] = result;
  return middle === 0 ? ((bits[0] ?? 0n) & 1n) === 0n : middle > 0 !== side > 0;
}

/**
 * Compares the exact result with `sum / 2`. `compare` accepts only whole units of 2^-1074. The sums
 * here are even, because the numbers are even or far above 2^-1074.
 */
const compareHalf = (compare: (x: bigint) => number, sum: bigint): number => compare(sum / 2n);

const signOf = (value: bigint): number => (value > 0n ? 1 : value < 0n ? -1 : 0);
const directions = ['rn', 'rz', 'rm', 'rp'] as const;
const unit = 1074n;

/**
 * Draws operands of a multiply-add whose exact result is close to an f64, or to the midpoint of
 * two. The distance is less than the last bit of a rounded product.
 */
function nearMiddle(rng: Random): readonly number[] {
  const little = 2 ** (-28 - rng.below(12)) * (rng.chance(0.5) ? 1 : -1);
  const sign = rng.chance(0.5) ? 1 : -1;
  return [1 + little, (1 - little) * sign * 2 ** (-51 - rng.below(4)), 1 + rng.below(4) * 2 ** -52];
}

/**
 * Draws a third operand close to the negative product of the others, or with a different magnitude.
 */
function cancelling(rng: Random): readonly number[] {
  const [x = 0, y = 0] = numbers;
  return [x, y, -(x * y) * (1 + rng.below(9) * 2 ** -52) * 2 ** (rng.chance(0.5) ? 0 : rng.below(120) - 60)];
}

test(`results are correctly rounded in every direction (seed ${seed})`, () => {
  const rng = random(seed, 'double-rounded');
  const wrong: string[] = [];
  const known = { add: 0, multiply: 0, fma: 0, divide: 0, sqrt: 0 };
  const check = (name: keyof typeof known, result: number, direction: Direction, exact: (x: bigint) => bigint) => {
    if (Number.isNaN(result)) return;
    known[name]++;
    if (!isRight(result, direction, (x) => signOf(exact(x))))
      wrong.push(`${name}.${direction} of ${operands}: ${result}`);
  };
  let operands = '';
  const count = effort(2000, 40_000);
  for (let at = 0; at < count; at++) {
    drawDouble(rng, words, 0, undefined);
    drawDouble(rng, words, 2, 0);
    drawDouble(rng, words, 4, 2);
    const [x = 0, y = 0, z = 0] = at % 4 === 0 ? nearMiddle(rng) : at % 4 === 1 ? cancelling(rng) : [...numbers];
    if (!Number.isFinite(x) || !Number.isFinite(y) || !Number.isFinite(z)) continue;
    operands = `${x}, ${y}, ${z}`;
    const [a, b, c] = [scaled(x), scaled(y), scaled(z)];
    for (const direction of directions) {
      check('add', addRounded(x, y, direction), direction, (r) => a + b - r);
      check('multiply', multiplyRounded(x, y, direction), direction, (r) => a * b - (r << unit));
      check('fma', fmaRounded(x, y, z, direction), direction, (r) => a * b + (c << unit) - (r << unit));
      check('divide', divideRounded(x, y, direction), direction, (r) => ((a << unit) - r * b) * (y < 0 ? -1n : 1n));
      check('sqrt', sqrtRounded(x, direction), direction, (r) => (a << unit) - r * r);
    }
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  for (const [name, results] of Object.entries(known)) expect(results, name).toBeGreaterThan(count / 2);
});

test('results that a double cannot determine are NaN', () => {
  expect(addRounded(1, -1, 'rm')).toBeNaN();
  expect(multiplyRounded(2 ** -600, 2 ** -600, 'rn')).toBeNaN();
  expect(divideRounded(1, 0, 'rp')).toBeNaN();
  expect(sqrtRounded(-1, 'rn')).toBeNaN();
  expect(fmaRounded(1, 1, -1, 'rm')).toBeNaN();
  // Rounded down, a zero sum is -0.
  expect(fmaDouble(0x3ff0_0000_0000_0000n, 0x3ff0_0000_0000_0000n, 0xbff0_0000_0000_0000n, 'rm')).toBe(1n << 63n);
});
