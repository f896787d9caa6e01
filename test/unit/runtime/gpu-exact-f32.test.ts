import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bitsOfF32, exactF32, f32FromBits } from '../../../src/runtime/preflight/exact-f32.ts';

const ULP = 2 ** -23;
const TINY = 2 ** -149;
const MAX = f32FromBits(0x7f7fffff);

// [x, y, z, x*y+z rounded once], computed by hand.
const FMA: readonly (readonly [number, number, number, number])[] = [
  // (1+u)^2 - (1+2u) = u^2, which is lost if the product is rounded.
  [1 + ULP, 1 + ULP, -(1 + 2 * ULP), ULP * ULP],
  // A tie that the product's last bit breaks upward: 1 + 2^-24 + 2^-48.
  [2 ** -24, 1 + 2 ** -23, 1, 1 + ULP],
  // An exact tie rounds to even: 1 + 2^-24 to 1, and 1 + 3 * 2^-24 to 1 + 2u.
  [2 ** -12, 2 ** -12, 1, 1],
  [3 * 2 ** -12, 2 ** -12, 1, 1 + 2 * ULP],
  // Subnormal results: 2^-150 is a tie between 0 and the smallest subnormal; 3 * 2^-150 is a tie
  // between the two smallest subnormals.
  [2 ** -75, 2 ** -75, 0, 0],
  [3 * 2 ** -75, 2 ** -75, 0, 2 * TINY],
  [2 ** -75, 2 ** -75, TINY, 2 * TINY],
  // Rounds up to the smallest normal.
  [f32FromBits(0x00ffffff), 0.5, 0, 2 ** -126],
  // Overflow, and a product out of range that the addend brings back into it.
  [MAX, 2, 0, Infinity],
  [MAX, 2, -MAX, MAX],
  [2 ** 64, 2 ** 64, -Infinity, -Infinity],
  // Zeros: cancellation returns +0, and equal signs keep the sign.
  [1, 1, -1, 0],
  [-0, 1, -0, -0],
  [0, 1, -0, 0],
];

test.each(FMA)('fma(%d, %d, %d)', (x, y, z, expected) => {
  expect(exactF32.fma(x, y, z)).toBe(expected);
});

test('NaN and infinite operands follow IEEE 754', () => {
  expect(exactF32.fma(Infinity, 0, 1)).toBeNaN();
  expect(exactF32.fma(Infinity, 1, -Infinity)).toBeNaN();
  expect(exactF32.fma(Number.NaN, 1, 1)).toBeNaN();
});

test('fma of integers is integer arithmetic', () => {
  const small = fc.integer({ min: -2000, max: 2000 });
  fc.assert(
    fc.property(small, small, small, (x, y, z) => {
      // Sums below 2^24 are exact f32 values.
      expect(exactF32.fma(x, y, z) + 0).toBe(x * y + z + 0);
    }),
  );
});

test('fma with 1 or with +0 is addition or multiplication', () => {
  const f32 = fc.float({ noNaN: true });
  fc.assert(
    fc.property(f32, f32, (x, y) => {
      expect(exactF32.fma(x, 1, y)).toEqual(exactF32.add(x, y));
      // A product of exactly -0 plus +0 is +0. A product that only rounds to zero keeps its sign.
      const product = exactF32.mul(x, y);
      expect(exactF32.fma(x, y, 0)).toEqual(x === 0 || y === 0 ? product + 0 : product);
    }),
  );
});

test('bits survive the round trip', () => {
  for (const bits of [0, 0x80000000, 1, 0x7f800000, 0x3f800000]) expect(bitsOfF32(f32FromBits(bits))).toBe(bits);
});
