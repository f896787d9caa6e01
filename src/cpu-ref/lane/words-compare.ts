// Fast `set` and `setp` on operands in words of memory, for validation, which executes tens of
// millions of such instructions. This file only determines the order of two operands.
// `laneFunctions` remains the definition: it fills a table of the results for each order, and a
// test compares the two.

import { getOrInsert } from '../../base/maps.ts';
import type { LaneRowName, Mods } from '../../isa/index.ts';
import type { Bits, LaneFunction } from '../types.ts';
import { compareFunctions, isUnsignedComparison } from './compare.ts';
import { halfCompareFunctions } from './half-compare.ts';
import { bf16, type Format, f16, flushedIn, valueIn } from './half-format.ts';
import { integerType } from './values.ts';

/**
 * Reads a lane's operands from `words`, starting at index `at`, and writes its results to
 * `results`. The low word of a value is first.
 */
export type WordsFunction = (words: Uint32Array, at: number, results: Uint32Array) => void;

/** Returns the order of the operands at two indices, as an element of `orders`. */
type OrderAt = (words: Uint32Array, a: number, b: number) => number;

const orders = { less: 0, equal: 1, greater: 2, unordered: 3 } as const;
const { less, equal, greater, unordered } = orders;
const orderCount = 4;

const orderOf = (a: number, b: number): number => (a < b ? less : a > b ? greater : a === b ? equal : unordered);

const double = new Float64Array(2);
const doubleWords = new Uint32Array(double.buffer);

const orderOfDoubles: OrderAt = (words, a, b) => {
  doubleWords[0] = words[a] ?? 0;
  doubleWords[1] = words[a + 1] ?? 0;
  doubleWords[2] = words[b] ?? 0;
  doubleWords[3] = words[b + 1] ?? 0;
  return orderOf(double[0] ?? 0, double[1] ?? 0);
};

const single = new Float32Array(2);
const singleWords = new Uint32Array(single.buffer);

/** Flushes a subnormal f32 to zero. */
const flushedWord = (word: number): number => ((word & 0x7f80_0000) === 0 ? 0 : word);

const orderOfFloats =
  (flush: boolean): OrderAt =>
  (words, a, b) => {
    const [x, y] = [words[a] ?? 0, words[b] ?? 0];
    singleWords[0] = flush ? flushedWord(x) : x;
    singleWords[1] = flush ? flushedWord(y) : y;
    return orderOf(single[0] ?? 0, single[1] ?? 0);
  };

const valueTables = new Map<string, Float64Array>();

/** Returns a table of the values of all 16-bit patterns. */
function halfValues(format: Format, flush: boolean): Float64Array {
  const key = `${format.fraction} ${flush}`;
  return getOrInsert(valueTables, key, () =>
    Float64Array.from({ length: 2 ** 16 }, (_, bits) => valueIn(format, flush ? flushedIn(format, bits) : bits)),
  );
}

const orderOfHalves =
  (values: Float64Array, shift: 0 | 16): OrderAt =>
  (words, a, b) =>
    orderOf(values[((words[a] ?? 0) >>> shift) & 0xffff] ?? 0, values[((words[b] ?? 0) >>> shift) & 0xffff] ?? 0);

function orderOfIntegers(type: string | undefined, cmp: string | undefined): OrderAt {
  const { width, signed } = integerType(type);
  const flip = signed && !isUnsignedComparison(cmp) ? 0x8000_0000 : 0;
  // With an inverted sign bit, signed values can be compared as unsigned values.
  if (width === 64) {
    return (words, a, b) => {
      const order = orderOf(((words[a + 1] ?? 0) ^ flip) >>> 0, ((words[b + 1] ?? 0) ^ flip) >>> 0);
      return order === equal ? orderOf(words[a] ?? 0, words[b] ?? 0) : order;
    };
  }
  const unused = 32 - width;
  return (words, a, b) =>
    orderOf((((words[a] ?? 0) << unused) ^ flip) >>> 0, (((words[b] ?? 0) << unused) ^ flip) >>> 0);
}

/**
 * Returns the order function of a type. For a pair, returns two functions, of which the first is
 * for the low half.
 */
function ordersIn(type: string | undefined, { ftz, cmp }: Mods): readonly OrderAt[] {
  const flush = ftz !== undefined;
  if (type === 'f64') return [orderOfDoubles];
  if (type === 'f32') return [orderOfFloats(flush)];
  if (!/^b?f16/.test(type ?? '')) return [orderOfIntegers(type, cmp)];
  const values = halfValues(type?.startsWith('b') ? bf16 : f16, flush);
  const low = orderOfHalves(values, 0);
  return type?.endsWith('x2') ? [low, orderOfHalves(values, 16)] : [low];
}

/** Returns zero, one and a NaN of a type. For integer types, returns zero instead of a NaN. */
function samplesOf(type: string | undefined): readonly [zero: Bits, one: Bits, nan: Bits] {
  const [name] = (type ?? '').split('x');
  if (name === 'f64') return [0n, 0x3ff0_0000_0000_0000n, 0x7ff8_0000_0000_0000n];
  if (name === 'f32') return [0, 0x3f80_0000, 0x7fc0_0000];
  if (name === 'f16') return [0, 0x3c00, 0x7e00];
  if (name === 'bf16') return [0, 0x3f80, 0x7fc0];
  return integerType(type).width === 64 ? [0n, 1n, 0n] : [0, 1, 0];
}

/** Returns a pair of operands for each possible order. */
function pairsOf(type: string | undefined): readonly (readonly [Bits, Bits])[] {
  const [zero, one, nan] = samplesOf(type);
  return [
    [zero, one],
    [zero, zero],
    [one, zero],
    [nan, zero],
  ];
}

const joined = (low: Bits, high: Bits | undefined): Bits =>
  high === undefined ? low : ((Number(high) << 16) | Number(low)) >>> 0;

const functions: Readonly<Record<string, LaneFunction>> = { ...compareFunctions, ...halfCompareFunctions };

/**
 * Returns a fast function for `set` or `setp`, or undefined for other instructions. `stride`: the
 * number of words of each operand and result.
 */
export function compareWords(row: LaneRowName, mods: Mods, stride: number, results: number): WordsFunction | undefined {
  const compute = /^setp?(?:\.|$)/.test(row) ? functions[row] : undefined;
  if (compute === undefined) return undefined;
  const type = /\.(f32|f64)$/.exec(row)?.[1] ?? mods.type;
  const [low, high] = ordersIn(type, mods);
  if (low === undefined) return undefined;
  const pairs = pairsOf(type);
  const highs = high === undefined ? [undefined] : pairs;
  const thirds = mods.bool === undefined ? [[]] : [[0], [1]];
  // The index in the table consists of the order of the low halves, the order of the high halves,
  // and the third operand.
  const table = Uint32Array.from(
    thirds.flatMap((third) =>
      highs.flatMap((upper) =>
        pairs.flatMap(([a, b]) => {
          const given = compute(mods, [joined(a, upper?.[0]), joined(b, upper?.[1]), ...third]);
          return Array.from({ length: results }, (_, index) => Number(given[index] ?? 0));
        }),
      ),
    ),
  );
  const combines = mods.bool !== undefined;
  const halves = high === undefined ? 1 : orderCount;
  return (words, at, out) => {
    let place = low(words, at, at + stride);
    if (high !== undefined) place += orderCount * high(words, at, at + stride);
    if (combines && (words[at + 2 * stride] ?? 0) !== 0) place += orderCount * halves;
    for (let index = 0; index < results; index++) {
      out[index * stride] = table[place * results + index] ?? 0;
      if (stride === 2) out[index * stride + 1] = 0;
    }
  };
}
