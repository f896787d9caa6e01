// The profiles of a correct, a fusing, a flushing and a misreporting adapter, derived from results
// computed by hand.

import { expect, test } from 'vitest';
import { shortFloatBits } from '../../../src/base/short-floats.ts';
import { bitsOfF32 } from '../../../src/runtime/preflight/exact-f32.ts';
import { judge } from '../../../src/runtime/preflight/floats.ts';

const ULP = 2 ** -23;
const TINY = 2 ** -149;

interface Row {
  readonly xyz: readonly [number, number, number];
  /**
   * The adapter's add, mul, fma, mulAdd, div and sqrt. Its max, min, exp2 and
   * conversions to f16 are correct; select returns x.
   */
  readonly results: readonly [number, number, number, number, number, number];
}

const packed = (x: number, y: number): number => (shortFloatBits('f16', x) | (shortFloatBits('f16', y) << 16)) >>> 0;

function verdict(rows: readonly Row[]): ReturnType<typeof judge> {
  const triples = rows.flatMap(({ xyz }) => xyz.map(bitsOfF32));
  const results = rows.flatMap(({ xyz, results: got }) => [
    ...[...got, Math.max(xyz[0], xyz[1]), Math.min(xyz[0], xyz[1]), 2 ** xyz[0]].map(bitsOfF32),
    bitsOfF32(xyz[0]),
    packed(xyz[0], xyz[1]),
  ]);
  return judge(Uint32Array.from(triples), Uint32Array.from(results));
}

// (1+u)^2 - (1+2u): u^2 when fused, 0 when rounded twice.
const NEAR_ONE: Row['xyz'] = [1 + ULP, 1 + ULP, -(1 + 2 * ULP)];
const near = (fma: number, mulAdd: number): Row => ({
  xyz: NEAR_ONE,
  // sqrt(1+u) = 1 + u/2 - u^2/8 is below the tie, so it rounds to 1.
  results: [2 + 2 * ULP, 1 + 2 * ULP, fma, mulAdd, 1, 1],
});
const small = (sum: number): Row => ({ xyz: [TINY, TINY, 0], results: [sum, 0, 0, 0, 1, 0] });

test.each([
  [
    'fused',
    near(ULP ** 2, 0),
    { fma: 'fused', contracts: false, add: 'exact', mul: 'exact', div: 'exact', sqrt: 'exact' },
  ],
  ['unfused', near(0, 0), { fma: 'unfused', contracts: false }],
  ['wrong fma', near(1, 0), { fma: 'approx', contracts: false }],
  ['contracting', near(ULP ** 2, ULP ** 2), { fma: 'fused', contracts: true }],
  ['keeping denormals', small(2 * TINY), { denormals: 'kept' }],
  ['flushing denormals', small(0), { denormals: 'flushed' }],
  [
    'dividing badly',
    { xyz: [1, 3, 0], results: [4, 3, 3, 3, Math.fround(1 / 3) + 2 ** -25, 1] } satisfies Row,
    { div: 'approx', sqrt: 'exact' },
  ],
] as const)('an adapter that is %s', (_, row, expected) => {
  expect(verdict([row])).toMatchObject(expected);
});

test('an adapter that flushes a product which rounds up to the smallest normal is flushing, not wrong', () => {
  const x = (2 ** 24 - 1) * 2 ** -149;
  // x / 2 is half a step below 2^-126: a tie that rounds up to 2^-126.
  const results: Row['results'] = [Math.fround(x + 0.5), 0, 0, 0, 2 * x, Math.fround(Math.sqrt(x))];
  expect(verdict([{ xyz: [x, 0.5, 0], results }])).toMatchObject({ denormals: 'flushed', mul: 'exact' });
});

test('a NaN that loses its payload is detected', () => {
  const nan = [0x7fc12345, 0x3f800000, 0x3f800000];
  const results = Array.from({ length: 9 }, () => 0x7fc00000);
  expect(judge(Uint32Array.from(nan), Uint32Array.from([...results, 0x7fc12345, 0])).nanPayload).toBe(true);
  expect(judge(Uint32Array.from(nan), Uint32Array.from([...results, 0x7fc00000, 0])).nanPayload).toBe(false);
});

test.each([
  ['as PTX has them', [2, 1, 0.5], [2, 1, 4], { extremes: 'exact', exp2: 'close', nans: 'canonical' }],
  ['a NaN instead of a number', [Number.NaN, 1, 0], ['nan', 1, 'nan'], { extremes: 'approx', nans: 'canonical' }],
  ['another NaN', [Number.NaN, 1, 0], [1, 1, 'other'], { extremes: 'exact', nans: 'any' }],
  ['+0 treated as less than -0', [-0, 0, 0], [-0, -0, 1], { extremes: 'approx' }],
  ['a maximum that flushes', [TINY, 0, 0], [0, 0, 1], { extremes: 'exact' }],
  ['an inaccurate power', [2, 1, 0], [2, 1, 4 + 3 * 2 ** -21], { exp2: 'approx' }],
  ['an accurate power', [2, 1, 0], [2, 1, 4 + 2 ** -20], { exp2: 'close' }],
  ['a power too small to matter', [-140, 1, 0], [1, -140, 0], { exp2: 'close' }],
] as const)('maxima, minima and powers: %s', (_, [x, y, z], results, expected) => {
  const bits = (value: number | 'nan' | 'other'): number =>
    value === 'nan' ? 0x7fffffff : value === 'other' ? 0x7fc00000 : bitsOfF32(value);
  const [max, min, exp2] = results;
  const sum = (value: number) => bits(Number.isNaN(value) ? 'nan' : value);
  const row = [sum(x + y), sum(x * y), sum(x * y + z), sum(x * y + z), sum(x / y), sum(Math.sqrt(x))];
  const got = Uint32Array.from([...row, bits(max), bits(min), bits(exp2), bitsOfF32(x), packed(x, y)]);
  expect(judge(Uint32Array.from([x, y, z].map(bitsOfF32)), got)).toMatchObject(expected);
});

test.each([
  ['a tie to even', 1 + 2 ** -11, 0x3c00, 'exact'],
  ['a tie away from even', 1 + 2 ** -11, 0x3c01, 'approx'],
  ['a value above a tie', 1 + 2 ** -11 + ULP, 0x3c01, 'exact'],
  ['a value cut toward zero', 1 + 2 ** -11 + ULP, 0x3c00, 'approx'],
  ['a subnormal f16', -(2 ** -24), 0x8001, 'exact'],
  ['a subnormal f16 that is flushed', -(2 ** -24), 0x8000, 'approx'],
  ['a tie below every f16', 2 ** -25, 0, 'exact'],
  ['a value below every f16', -TINY, 0x8000, 'exact'],
  ['a zero that loses its sign', -0, 0, 'approx'],
  ['the largest f16', 65519.99609375, 0x7bff, 'exact'],
  ['the least value that becomes an infinity', 65520, 0x7c00, 'exact'],
  ['a large value that is clamped', 65520, 0x7bff, 'approx'],
  ['an infinity', Number.NEGATIVE_INFINITY, 0xfc00, 'exact'],
  ['a NaN', Number.NaN, 0x7fff, 'exact'],
  ['another NaN', Number.NaN, 0x7e00, 'approx'],
  ['a NaN that becomes an infinity', Number.NaN, 0x7c00, 'approx'],
] as const)('conversions to f16: %s', (_, x, half, packHalf) => {
  const others = Array.from({ length: 10 }, () => 0);
  const judged = (first: number, second: number, got: number) =>
    judge(Uint32Array.from([first, second, 0]), Uint32Array.from([...others, got])).packHalf;
  expect(judged(bitsOfF32(x), 0, half)).toBe(packHalf);
  expect(judged(0, bitsOfF32(x), half * 2 ** 16)).toBe(packHalf);
});
