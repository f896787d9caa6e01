// Fast forms of the most frequent lane instructions on 32-bit words. `laneFunctions` remains the
// definition, and a test compares the two. A key consists of the row's name and its modifiers in
// alphabetical order.
import type { Mods } from '../../../isa/index.ts';
import { fmaFloat } from '../../lane/float-exact.ts';
import { floatTests } from './fast-double.ts';

/**
 * A lane instruction on words. The sources and the result are zero-extended words; predicates are 0
 * or 1. The caller truncates the result to 32 bits.
 */
export type WordFunction = (a: number, b: number, c: number) => number;

const floatBits = new Float32Array(1);
const wordBits = new Uint32Array(floatBits.buffer);

function asFloat(word: number): number {
  wordBits[0] = word;
  return floatBits[0] ?? 0;
}

/**
 * Rounds a double to f32. For one sum or product of two f32 values, the rounding to double before
 * it does not change the result. The NaN is 0x7fffffff, as on NVIDIA's GPUs.
 */
function fromFloat(value: number): number {
  if (Number.isNaN(value)) return 0x7fff_ffff;
  floatBits[0] = value;
  return wordBits[0] ?? 0;
}

const add: WordFunction = (a, b) => a + b;
const sub: WordFunction = (a, b) => a - b;
const mulLo: WordFunction = (a, b) => Math.imul(a, b);
const madLo: WordFunction = (a, b, c) => Math.imul(a, b) + c;
const and: WordFunction = (a, b) => a & b;
const or: WordFunction = (a, b) => a | b;
const xor: WordFunction = (a, b) => a ^ b;
const not: WordFunction = (a) => ~a;
const shl: WordFunction = (a, b) => (b > 31 ? 0 : a << b);
const shrUnsigned: WordFunction = (a, b) => (b > 31 ? 0 : a >>> b);
const shrSigned: WordFunction = (a, b) => (a | 0) >> Math.min(b, 31);
const select: WordFunction = (a, b, c) => (c !== 0 ? a : b);
const addFloat: WordFunction = (a, b) => fromFloat(asFloat(a) + asFloat(b));
const subFloat: WordFunction = (a, b) => fromFloat(asFloat(a) - asFloat(b));
const mulFloat: WordFunction = (a, b) => fromFloat(asFloat(a) * asFloat(b));

/** The least normal f32. */
const leastNormal = 2 ** -126;
const sumBits = new Float64Array(1);
const sumWords = new Uint32Array(sumBits.buffer);

/**
 * Returns `a * b + c`, rounded once. The product is exact in f64. The rounding of the sum to f64
 * matters only if it yields the midpoint of two f32 values, or if the result is subnormal.
 */
const fma: WordFunction = (a, b, c) => {
  const sum = asFloat(a) * asFloat(b) + asFloat(c);
  sumBits[0] = sum;
  const isMidpoint = ((sumWords[0] ?? 0) & 0x1fff_ffff) === 0x1000_0000;
  if (!isMidpoint && (Math.abs(sum) >= leastNormal || sum === 0)) return fromFloat(sum);
  return fmaFloat(a, b, c, { direction: 'rn', flush: false });
};
/** Rounding the quotient to f64 first does not change the result, and likewise for the root. */
const divideFloat: WordFunction = (a, b) => fromFloat(asFloat(a) / asFloat(b));
const rootFloat: WordFunction = (a) => fromFloat(Math.sqrt(asFloat(a)));
/** Returns a function of the bits of an f32. The result is the canonical NaN for a NaN. */
const withSign =
  (change: (bits: number) => number): WordFunction =>
  (a) =>
    (a & 0x7fff_ffff) > 0x7f80_0000 ? 0x7fff_ffff : change(a);

const flag = (condition: boolean): number => (condition ? 1 : 0);
const equal: WordFunction = (a, b) => flag(a === b);
const unequal: WordFunction = (a, b) => flag(a !== b);

export const wordFunctions: Readonly<Record<string, WordFunction>> = {
  'add u32': add,
  'add s32': add,
  'sub u32': sub,
  'sub s32': sub,
  'mul lo u32': mulLo,
  'mul lo s32': mulLo,
  'mad lo u32': madLo,
  'mad lo s32': madLo,
  'and b32': and,
  'or b32': or,
  'xor b32': xor,
  'not b32': not,
  'shl b32': shl,
  'shr b32': shrUnsigned,
  'shr u32': shrUnsigned,
  'shr s32': shrSigned,
  'min u32': (a, b) => Math.min(a, b),
  'max u32': (a, b) => Math.max(a, b),
  'min s32': (a, b) => Math.min(a | 0, b | 0),
  'max s32': (a, b) => Math.max(a | 0, b | 0),
  'selp b32': select,
  'selp u32': select,
  'selp s32': select,
  'selp f32': select,
  'setp b32 eq': equal,
  'setp b32 ne': unequal,
  'setp eq u32': equal,
  'setp ne u32': unequal,
  'setp lt u32': (a, b) => flag(a < b),
  'setp le u32': (a, b) => flag(a <= b),
  'setp gt u32': (a, b) => flag(a > b),
  'setp ge u32': (a, b) => flag(a >= b),
  'setp eq s32': equal,
  'setp ne s32': unequal,
  'setp lt s32': (a, b) => flag((a | 0) < (b | 0)),
  'setp le s32': (a, b) => flag((a | 0) <= (b | 0)),
  'setp gt s32': (a, b) => flag((a | 0) > (b | 0)),
  'setp ge s32': (a, b) => flag((a | 0) >= (b | 0)),
  'add.f32': addFloat,
  'add.f32 rn': addFloat,
  'sub.f32': subFloat,
  'sub.f32 rn': subFloat,
  'mul.f32': mulFloat,
  'mul.f32 rn': mulFloat,
  'fma.f32 rn': fma,
  'div.f32 rn': divideFloat,
  'sqrt.f32 rn': rootFloat,
  'neg.f32': withSign((bits) => bits ^ 0x8000_0000),
  'abs.f32': withSign((bits) => bits & 0x7fff_ffff),
  ...Object.fromEntries(
    Object.entries(floatTests).map(([cmp, test]): [string, WordFunction] => [
      `setp.f32 ${cmp}`,
      (a, b) => flag(test(asFloat(a), asFloat(b))),
    ]),
  ),
};

/** An instruction on predicates, which are lane masks. */
export type MaskFunction = (a: number, b: number) => number;

export const maskFunctions: Readonly<Record<string, MaskFunction>> = {
  'and pred': (a, b) => a & b,
  'or pred': (a, b) => a | b,
  'xor pred': (a, b) => a ^ b,
  'not pred': (a) => ~a,
};

/**
 * A lane instruction on 64-bit operands. The arguments are the indices of the operands' low words
 * in a frame's file. The high word of an operand follows its low word. `c` is the value of a
 * predicate.
 */
export type PairFunction = (file: Uint32Array, d: number, a: number, b: number, c: number) => void;

const bitwise =
  (compute: (a: number, b: number) => number): PairFunction =>
  (file, d, a, b) => {
    const high = compute(file[a + 1] ?? 0, file[b + 1] ?? 0);
    file[d] = compute(file[a] ?? 0, file[b] ?? 0);
    file[d + 1] = high;
  };

const selectPair: PairFunction = (file, d, a, b, c) => {
  const from = c !== 0 ? a : b;
  file[d] = file[from] ?? 0;
  file[d + 1] = file[from + 1] ?? 0;
};

const add64: PairFunction = (file, d, a, b) => {
  const low = (file[a] ?? 0) + (file[b] ?? 0);
  const high = (file[a + 1] ?? 0) + (file[b + 1] ?? 0) + (low > 0xffff_ffff ? 1 : 0);
  file[d] = low;
  file[d + 1] = high;
};

const sub64: PairFunction = (file, d, a, b) => {
  const low = (file[a] ?? 0) - (file[b] ?? 0);
  const high = (file[a + 1] ?? 0) - (file[b + 1] ?? 0) - (low < 0 ? 1 : 0);
  file[d] = low;
  file[d + 1] = high;
};

/** Returns the high word of the product of two unsigned words, computed from 16-bit halves. */
function mulHigh(a: number, b: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  return a1 * b1 + Math.floor(middle / 65536) + Math.floor(((middle % 65536) + a0 * b1) / 65536);
}

const mulWideUnsigned: PairFunction = (file, d, a, b) => {
  const x = file[a] ?? 0;
  const y = file[b] ?? 0;
  file[d] = Math.imul(x, y);
  file[d + 1] = mulHigh(x, y);
};

const mulWideSigned: PairFunction = (file, d, a, b) => {
  const x = file[a] ?? 0;
  const y = file[b] ?? 0;
  file[d] = Math.imul(x, y);
  file[d + 1] = mulHigh(x, y) - (x > 0x7fff_ffff ? y : 0) - (y > 0x7fff_ffff ? x : 0);
};

const shl64: PairFunction = (file, d, a, b) => {
  const low = file[a] ?? 0;
  const high = file[a + 1] ?? 0;
  const by = file[b] ?? 0;
  file[d] = by > 31 ? 0 : low << by;
  file[d + 1] = by === 0 ? high : by > 63 ? 0 : by > 31 ? low << (by - 32) : (high << by) | (low >>> (32 - by));
};

const shr64 =
  (signOf: (high: number) => number): PairFunction =>
  (file, d, a, b) => {
    const low = file[a] ?? 0;
    const high = file[a + 1] ?? 0;
    const by = file[b] ?? 0;
    const sign = signOf(high);
    file[d] = by > 63 ? sign : by > 31 ? shifted(high, sign, by - 32) : shifted(low, high, by);
    file[d + 1] = by > 31 ? sign : shifted(high, sign, by);
  };

/** Returns the low word of the pair of `low` and `high`, shifted right by at most 31 bits. */
const shifted = (low: number, high: number, by: number): number =>
  by === 0 ? low : (low >>> by) | (high << (32 - by));

const widenUnsigned: PairFunction = (file, d, a) => {
  const word = file[a] ?? 0;
  file[d] = word;
  file[d + 1] = 0;
};

const widenSigned: PairFunction = (file, d, a) => {
  const word = file[a] ?? 0;
  file[d] = word;
  file[d + 1] = word > 0x7fff_ffff ? 0xffff_ffff : 0;
};

const narrow: PairFunction = (file, d, a) => {
  file[d] = file[a] ?? 0;
};

export const pairFunctions: Readonly<Record<string, PairFunction>> = {
  'add u64': add64,
  'add s64': add64,
  'sub u64': sub64,
  'sub s64': sub64,
  'mul.wide u32': mulWideUnsigned,
  'mul.wide s32': mulWideSigned,
  'shl b64': shl64,
  'shr b64': shr64(() => 0),
  'shr u64': shr64(() => 0),
  'shr s64': shr64((high) => high >> 31),
  'and b64': bitwise((a, b) => a & b),
  'or b64': bitwise((a, b) => a | b),
  'xor b64': bitwise((a, b) => a ^ b),
  'selp b64': selectPair,
  'selp u64': selectPair,
  'selp s64': selectPair,
  'selp f64': selectPair,
};

/**
 * Conversions that only widen or narrow, by destination and source type. Each operand must be a
 * register of exactly that width.
 */
export const convertFunctions: Readonly<Record<string, PairFunction>> = {
  'u64 u32': widenUnsigned,
  's64 u32': widenUnsigned,
  's64 s32': widenSigned,
  'u64 s32': widenSigned,
  'u32 u64': narrow,
  'u32 s64': narrow,
  's32 u64': narrow,
  's32 s64': narrow,
};

/** Returns the key of an instruction in the tables above. */
export function fastKey(row: string, mods: Mods): string {
  return [row, ...Object.values(mods).sort()].join(' ');
}
