// Fast forms of the most frequent instructions on f64 values, and of 64-bit comparisons.
// `laneFunctions` remains the definition, and a test compares the two. Keys are those of
// `fast-lane.ts`.
import { fmaRounded } from '../../lane/double-rounded.ts';

/** The comparisons of floating-point numbers. */
export const floatTests: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a < b || a > b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  equ: (a, b) => !(a < b || a > b),
  neu: (a, b) => a !== b,
  ltu: (a, b) => !(a >= b),
  leu: (a, b) => !(a > b),
  gtu: (a, b) => !(a <= b),
  geu: (a, b) => !(a < b),
  num: (a, b) => !Number.isNaN(a) && !Number.isNaN(b),
  nan: (a, b) => Number.isNaN(a) || Number.isNaN(b),
};

/** An instruction on f64 values. Returns NaN if the fast form does not apply. */
export type DoubleFunction = (a: number, b: number, c: number) => number;

const fma: DoubleFunction = (a, b, c) => fmaRounded(a, b, c, 'rn');

export const doubleFunctions: Readonly<Record<string, DoubleFunction>> = {
  'add.f64': (a, b) => a + b,
  'add.f64 rn': (a, b) => a + b,
  'sub.f64': (a, b) => a - b,
  'sub.f64 rn': (a, b) => a - b,
  'mul.f64': (a, b) => a * b,
  'mul.f64 rn': (a, b) => a * b,
  'div.f64 rn': (a, b) => a / b,
  'sqrt.f64 rn': (a) => Math.sqrt(a),
  'fma.f64 rn': fma,
  'neg.f64': (a) => -a,
  'abs.f64': (a) => Math.abs(a),
};

/** A comparison of 64-bit operands. The arguments are the indices of the low words in a file. */
export type WideTest = (file: Uint32Array, a: number, b: number) => boolean;

const doubleBits = new Float64Array(2);
const doubleWords = new Uint32Array(doubleBits.buffer);

const ofDoubles =
  (test: (a: number, b: number) => boolean): WideTest =>
  (file, a, b) => {
    doubleWords[0] = file[a] ?? 0;
    doubleWords[1] = file[a + 1] ?? 0;
    doubleWords[2] = file[b] ?? 0;
    doubleWords[3] = file[b + 1] ?? 0;
    return test(doubleBits[0] ?? 0, doubleBits[1] ?? 0);
  };

/** Returns a comparison by the sign of a difference. `flip` makes signed high words unsigned. */
const ofIntegers =
  (flip: number, test: (difference: number) => boolean): WideTest =>
  (file, a, b) => {
    const high = (((file[a + 1] ?? 0) ^ flip) >>> 0) - (((file[b + 1] ?? 0) ^ flip) >>> 0);
    return test(high === 0 ? (file[a] ?? 0) - (file[b] ?? 0) : high);
  };

const orders: Readonly<Record<string, (difference: number) => boolean>> = {
  eq: (difference) => difference === 0,
  ne: (difference) => difference !== 0,
  lt: (difference) => difference < 0,
  le: (difference) => difference <= 0,
  gt: (difference) => difference > 0,
  ge: (difference) => difference >= 0,
};

export const wideTests: Readonly<Record<string, WideTest>> = Object.fromEntries([
  ...Object.entries(floatTests).map(([cmp, test]) => [`setp.f64 ${cmp}`, ofDoubles(test)]),
  ['setp b64 eq', ofIntegers(0, (difference) => difference === 0)],
  ['setp b64 ne', ofIntegers(0, (difference) => difference !== 0)],
  ...Object.entries(orders).flatMap(([cmp, test]) => [
    [`setp ${cmp} s64`, ofIntegers(0x8000_0000, test)],
    [`setp ${cmp} u64`, ofIntegers(0, test)],
  ]),
]);
