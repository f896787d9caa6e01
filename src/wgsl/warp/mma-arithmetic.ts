// Multiplication and addition of matrix elements in WGSL, by element type.
//
// Products of two elements of up to 16 bits, or of tf32, are exact in f32 unless they overflow or
// underflow. The sum is therefore the same whether or not an adapter fuses the multiplication with
// the addition. `mma-subnormals.ts` contains guards for adapters that flush subnormal numbers.
import { at, missing } from '../../base/invariants.ts';
import type { ElementType, MatrixForm } from '../../isa/fragments.ts';
import type { Mods } from '../../isa/index.ts';
import * as w from '../tree/build.ts';
import type { Expr, WgslType } from '../tree/nodes.ts';
import { leastE4m3 } from './mma-tensor-core-forms.ts';

const isSigned = (type: ElementType): boolean => type.startsWith('s');
const floats: readonly ElementType[] = ['f16', 'bf16', 'tf32', 'e4m3', 'e5m2'];

type Define = (value: Expr) => Expr;

/** Options for the conversion of f32 sums to results. */
export interface SumOptions {
  /** Whether the adapter's own NaNs may be results. */
  readonly anyNaN: boolean;
  /** Whether -0 must become +0. */
  readonly mapsZeros: boolean;
  /** Whether the adapter rounds pairs of f32 to the nearest f16 values. */
  readonly packsHalf: boolean;
}

export interface Arithmetic {
  /** The type of an accumulator. */
  readonly sum: WgslType;
  /**
   * Returns the parts of a register (for f64, of its two words) as expressions of the words.
   * `define` names subexpressions that are used several times.
   */
  readonly factors: (operand: 'a' | 'b', words: readonly Expr[], define: Define) => readonly Expr[];
  /** Whether a multiply-add is so long that the code should contain few of them. */
  readonly isLong?: true;
  /** Whether sums and parts may be vectors. */
  readonly takesVectors?: true;
  /** Adds the products of the parts of two registers. Returns the successive values of the sum. */
  readonly add: (sum: Expr, x: readonly Expr[], y: readonly Expr[]) => readonly Expr[];
  /** Returns the initial accumulators, from the words of C: an expression for each element. */
  readonly start: (words: readonly Expr[]) => readonly Expr[];
  /** Returns the words of D, from the accumulators and the words of C. */
  readonly finish: (sums: readonly Expr[], words: readonly Expr[]) => readonly Expr[];
}

const pairwise = (x: readonly Expr[], y: readonly Expr[], join: (a: Expr, b: Expr) => Expr): readonly Expr[] =>
  x.flatMap((a, index) => {
    const b = y[index];
    return b === undefined ? [] : [join(a, b)];
  });

/** Joins each value at an even index with the next one. */
export const pairsOf = (values: readonly Expr[], join: (low: Expr, high: Expr) => Expr): readonly Expr[] =>
  values.flatMap((low, index) =>
    index % 2 === 0 ? [join(low, at(values, index + 1, 'the other half of a word'))] : [],
  );

/** Joins 16-bit values to words. */
export const joinHalves = (values: readonly Expr[]): readonly Expr[] =>
  pairsOf(values, (low, high) => w.or(low, w.shl(high, w.u32(16))));

const pairType = w.vector('f32', 2);
const halves = (word: Expr, define: Define): readonly Expr[] => {
  const pair = define(w.builtin('unpack2x16float', pairType, word));
  return [w.swizzle(pair, 'x'), w.swizzle(pair, 'y')];
};
const asIs: Define = (value) => value;
const float = (word: Expr): Expr => w.bitcast('f32', word);

/** Returns the elements of a register of e5m2, as two pairs of f16. */
const e5m2Pairs = (word: Expr): readonly Expr[] => [
  w.or(w.shl(w.and(word, w.u32(0xff)), w.u32(8)), w.shl(w.and(word, w.u32(0xff00)), w.u32(16))),
  w.or(w.and(w.shr(word, w.u32(8)), w.u32(0xff00)), w.and(word, w.u32(0xff00_0000))),
];

/** By type, the functions that return the f32 values of a register's elements. */
const floatFactors: Readonly<Partial<Record<ElementType, (word: Expr, define: Define) => readonly Expr[]>>> = {
  f16: halves,
  bf16: (word) => [float(w.shl(word, w.u32(16))), float(w.and(word, w.u32(0xffff_0000)))],
  tf32: (word) => [float(w.and(word, w.u32(0xffff_e000)))],
  e5m2: (word, define) => e5m2Pairs(word).flatMap((pair) => halves(pair, define)),
  e4m3: (word) =>
    [0, 8, 16, 24].map((shift) => w.helper('e4m3_element', 'f32', shift === 0 ? word : w.shr(word, w.u32(shift)))),
};

/**
 * Returns a power of two for each element of a register: the power of its nominal exponent on
 * tensor cores, or zero for zero. The elements must be finite. Elements of bf16 and tf32 must not
 * be subnormal.
 * `least` is the exponent of the least normal number of the type.
 */
export function nominalPowers(type: ElementType, least: number, word: Expr, define: Define): readonly Expr[] {
  const powerOf = (value: Expr) => float(w.and(w.bitcast('u32', value), w.u32(0x7f80_0000)));
  const half = (value: Expr) => halves(w.helper('f16_powers', 'u32', value), define);
  if (type === 'f16') return half(word);
  if (type === 'e5m2') return e5m2Pairs(word).flatMap(half);
  const factors = floatFactors[type] ?? missing('the elements of a type', type);
  const own = factors(word, define);
  return least === leastE4m3 ? own.map((value) => w.helper('e4m3_power', 'f32', value)) : own.map(powerOf);
}

/**
 * Returns the arithmetic for f32 factors. On an H200, a sum that is zero is +0, except for `m8n8k4`
 * with sums in f16. `mapsZeros`: whether the adapter's f32 sum may be -0 and must then become +0.
 */
function floatArithmetic({ types, products }: MatrixForm, { anyNaN, mapsZeros, packsHalf }: SumOptions): Arithmetic {
  const isHalf = types.d === 'f16';
  const keepsSignOfZero = products === 4 && types.c === 'f16' && isHalf;
  return {
    sum: 'f32',
    takesVectors: true,
    factors: (operand, [word = missing('a word of a register')], define) => {
      const factors = floatFactors[types[operand]] ?? missing('the elements of a type', types[operand]);
      return factors(word, define);
    },
    add: (sum, x, y) => pairwise(x, y, (a, b) => w.builtin('fma', sum.type, a, b, sum)),
    start: (words) => (types.c === 'f16' ? words.flatMap((word) => halves(word, asIs)) : words.map(float)),
    finish: (sums) => {
      if (!isHalf) {
        const canonical = sums.map((sum) => (anyNaN ? sum : w.helper('f32_canonical', 'f32', sum)));
        return canonical.map((sum) => (mapsZeros ? w.helper('f32_sum_bits', 'u32', sum) : w.bitcast('u32', sum)));
      }
      if (packsHalf)
        return pairsOf(sums, (...pair) => w.helper(keepsSignOfZero ? 'f16_pack' : 'f16_sum_pack', 'u32', ...pair));
      return joinHalves(sums.map((sum) => w.helper(keepsSignOfZero ? 'f16_from_f32' : 'f16_sum_bits', 'u32', sum)));
    },
  };
}

const doubleSuffixes: Readonly<Record<string, 'f64_fma' | 'f64_fma_rz' | 'f64_fma_rm' | 'f64_fma_rp'>> = {
  rn: 'f64_fma',
  rz: 'f64_fma_rz',
  rm: 'f64_fma_rm',
  rp: 'f64_fma_rp',
};

function doubleArithmetic({ rnd = 'rn' }: Mods): Arithmetic {
  const fma = doubleSuffixes[rnd] ?? missing('a rounding', rnd);
  const pairs = (words: readonly Expr[]): readonly Expr[] =>
    words.flatMap((low, index) => {
      const high = words[index + 1];
      return index % 2 === 0 && high !== undefined ? [w.construct(w.vec2u, low, high)] : [];
    });
  return {
    sum: w.vec2u,
    isLong: true,
    factors: (_, words) => pairs(words),
    add: (sum, x, y) => pairwise(x, y, (a, b) => w.helper(fma, w.vec2u, a, b, sum)),
    start: pairs,
    finish: (sums) => sums.flatMap((sum) => [w.swizzle(sum, 'x'), w.swizzle(sum, 'y')]),
  };
}

/** Returns the sum of four products of signed or unsigned bytes. */
const dot = (fn: 'dot4I8Packed' | 'dot4U8Packed', x: Expr, y: Expr): Expr =>
  fn === 'dot4U8Packed' ? w.builtin(fn, 'u32', x, y) : w.bitcast('u32', w.builtin(fn, 'i32', x, y));

/**
 * The arithmetic for integer factors: returns the parts of a word, and the product of two lists of
 * parts.
 */
interface Integers {
  readonly parts: (word: Expr) => readonly Expr[];
  readonly products: (x: readonly Expr[], y: readonly Expr[]) => Expr;
}

const sumOf = ([first = missing('a term of a sum'), ...others]: readonly Expr[]): Expr =>
  others.reduce((sum, value) => w.add(sum, value), first);

const bits = (op: string | undefined): Integers => ({
  parts: (word) => [word],
  products: ([x = missing('a part of a word')], [y = missing('a part of a word')]) =>
    w.builtin('countOneBits', 'u32', op === 'and' ? w.and(x, y) : w.xor(x, y)),
});

const bytes = (fn: 'dot4I8Packed' | 'dot4U8Packed'): Integers => ({
  parts: (word) => [word],
  products: ([x = missing('a part of a word')], [y = missing('a part of a word')]) => dot(fn, x, y),
});

/**
 * Products of signed and unsigned bytes. An unsigned byte is 128 more than the signed byte with its
 * top bit flipped, so 128 times the sum of the other operand's bytes is added.
 */
const mixedBytes = (signed: boolean): Integers => ({
  parts: (word) =>
    signed ? [word, w.shl(dot('dot4I8Packed', word, w.u32(0x0101_0101)), w.u32(7))] : [w.xor(word, w.u32(0x8080_8080))],
  products: ([x = missing('a part of a word'), more], [y = missing('a part of a word'), other]) =>
    w.add(dot('dot4I8Packed', x, y), more ?? other ?? missing('the sum of the signed bytes')),
});

/**
 * Returns the arithmetic for half bytes. Signed half bytes are moved to the upper halves of bytes,
 * with a weight of 16; unsigned half bytes are moved to the lower halves. `signs` is the number of
 * signed operands.
 */
const nibbles = (signed: boolean, signs: number): Integers => ({
  parts: (word) =>
    signed
      ? [w.and(w.shl(word, w.u32(4)), w.u32(0xf0f0_f0f0)), w.and(word, w.u32(0xf0f0_f0f0))]
      : [w.and(word, w.u32(0x0f0f_0f0f)), w.and(w.shr(word, w.u32(4)), w.u32(0x0f0f_0f0f))],
  products: (x, y) => {
    const total = sumOf(pairwise(x, y, (a, b) => dot(signs === 0 ? 'dot4U8Packed' : 'dot4I8Packed', a, b)));
    return signs === 0 ? total : w.bitcast('u32', w.shr(w.bitcast('i32', total), w.u32(4 * signs)));
  },
});

function integersOf({ types }: MatrixForm, operand: 'a' | 'b', op: string | undefined): Integers {
  const own = isSigned(types[operand]);
  const signs = Number(isSigned(types.a)) + Number(isSigned(types.b));
  if (types.a === 'b1') return bits(op);
  if (types.a === 's4' || types.a === 'u4') return nibbles(own, signs);
  return signs === 1 ? mixedBytes(own) : bytes(signs === 2 ? 'dot4I8Packed' : 'dot4U8Packed');
}

function integerArithmetic(form: MatrixForm, { satfinite, op }: Mods): Arithmetic {
  const saturates = satfinite !== undefined;
  return {
    sum: 'u32',
    factors: (operand, [word = missing('a word of a register')]) => integersOf(form, operand, op).parts(word),
    add: (sum, x, y) => [w.add(sum, integersOf(form, 'a', op).products(x, y))],
    // The sum of the products of one instruction cannot exceed the range of s32; only the sum with
    // C can.
    start: (words) => (saturates ? words.map(() => w.u32(0)) : words),
    finish: (sums, words) =>
      saturates ? sums.map((sum, index) => w.helper('add_sat_s32', 'u32', at(words, index, 'a word of C'), sum)) : sums,
  };
}

export function arithmeticOf(form: MatrixForm, mods: Mods, options: SumOptions): Arithmetic {
  if (form.types.d === 'f64') return doubleArithmetic(mods);
  return floats.includes(form.types.a) ? floatArithmetic(form, options) : integerArithmetic(form, mods);
}
