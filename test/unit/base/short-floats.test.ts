import { expect, test } from 'vitest';
import { shortFloat, shortFloatBits } from '../../../src/base/short-floats.ts';

test.each(['f16', 'bf16'] as const)('every %s that is a number survives the conversion to f32 and back', (type) => {
  const lost: number[] = [];
  for (let bits = 0; bits < 0x10000; bits++) {
    const value = shortFloat(type, bits);
    if (!Number.isNaN(value) && shortFloatBits(type, value) !== bits) lost.push(bits);
  }
  expect(lost).toEqual([]);
});

const rows: readonly (readonly ['f16' | 'bf16', number, number])[] = [
  ['f16', 1, 0x3c00],
  ['f16', 1 + 2 ** -11, 0x3c00],
  ['f16', 1 + 3 * 2 ** -11, 0x3c02],
  ['f16', 1 + 2 ** -11 + 2 ** -40, 0x3c01],
  ['f16', 65504, 0x7bff],
  ['f16', 65519.99, 0x7bff],
  ['f16', 65520, 0x7c00],
  ['f16', -1e300, 0xfc00],
  ['f16', 2 ** -25, 0x0000],
  ['f16', -(2 ** -25) * 1.5, 0x8001],
  ['f16', 2 ** -14 - 2 ** -26, 0x0400],
  ['f16', Number.NaN, 0x7e00],
  ['f16', 5e-324, 0],
  ['bf16', 3.140625, 0x4049],
  ['bf16', 1 + 2 ** -8, 0x3f80],
  ['bf16', 1 + 3 * 2 ** -8, 0x3f82],
  ['bf16', 2 ** -133, 0x0001],
  ['bf16', 3.4e38, 0x7f80],
  ['bf16', -0, 0x8000],
  ['bf16', Number.NaN, 0x7fc0],
];

test.each(rows)('%s of %d', (type, value, bits) => {
  expect(shortFloatBits(type, value)).toBe(bits);
});
