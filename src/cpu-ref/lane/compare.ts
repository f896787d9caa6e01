// Comparison and selection.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#comparison-and-selection-instructions
import type { Mods } from '../../isa/index.ts';
import type { Bits, LaneFunction } from '../types.ts';
import { doubleOf } from './double-bits.ts';
import { floatSource } from './float.ts';
import { isNaNBits, isNegative, magnitude, one } from './float-bits.ts';
import { floatOf } from './float-exact.ts';
import { isWide, narrowValue, sourceAt, typeIn, wideSource, wideValue, wordAt } from './values.ts';

/** The possible orderings of two operands, one bit for each. */
const orderings = { less: 1, equal: 2, greater: 4, unordered: 8 } as const;
const { less, equal, greater } = orderings;
export const { unordered } = orderings;
export type Ordering = (typeof orderings)[keyof typeof orderings];

/**
 * The orderings of a and b for which each comparison is true. `lo ls hi hs` compare as unsigned;
 * `equ neu ltu leu gtu geu` are also true if either operand is NaN.
 */
const comparisons: Readonly<Record<string, number>> = {
  eq: equal,
  ne: less | greater,
  lt: less,
  le: less | equal,
  gt: greater,
  ge: greater | equal,
  lo: less,
  ls: less | equal,
  hi: greater,
  hs: greater | equal,
  equ: equal | unordered,
  neu: less | greater | unordered,
  ltu: less | unordered,
  leu: less | equal | unordered,
  gtu: greater | unordered,
  geu: greater | equal | unordered,
  num: less | equal | greater,
  nan: unordered,
};

const unsignedComparisons: ReadonlySet<string> = new Set(['lo', 'ls', 'hi', 'hs']);

/** Whether a comparison treats the operands as unsigned even if their type is signed. */
export const isUnsignedComparison = (cmp = ''): boolean => unsignedComparisons.has(cmp);

export function orderOf<T extends number | bigint>(a: T, b: T): Ordering {
  if (a < b) return less;
  return a > b ? greater : equal;
}

export type Compare = (mods: Mods, sources: readonly Bits[]) => Ordering;

export const compareIntegers: Compare = (mods, sources) => {
  const type = typeIn(mods);
  const compared = type.signed && isUnsignedComparison(mods.cmp) ? { ...type, signed: false } : type;
  const [a, b] = [sourceAt(sources, 0), sourceAt(sources, 1)];
  return isWide(type)
    ? orderOf(wideValue(a, compared), wideValue(b, compared))
    : orderOf(narrowValue(a, compared), narrowValue(b, compared));
};

export const compareFloats: Compare = (mods, sources) => {
  const [a, b] = [floatSource(mods, sources, 0), floatSource(mods, sources, 1)];
  return isNaNBits(a) || isNaNBits(b) ? unordered : orderOf(floatOf(a), floatOf(b));
};

export const compareDoubles: Compare = (_, sources) => {
  const [a, b] = [doubleOf(wideSource(sources, 0)), doubleOf(wideSource(sources, 1))];
  return Number.isNaN(a) || Number.isNaN(b) ? unordered : orderOf(a, b);
};

export function isTrue(mods: Mods, ordering: Ordering): boolean {
  const wanted = comparisons[mods.cmp ?? ''];
  if (wanted === undefined) throw new Error(`'.${mods.cmp}' is not a comparison.`);
  return (wanted & ordering) !== 0;
}

const boolOps: Readonly<Record<string, (t: boolean, c: boolean) => boolean>> = {
  and: (t, c) => t && c,
  or: (t, c) => t || c,
  xor: (t, c) => t !== c,
};

/** Returns `t BoolOp c`, or `t` if the instruction does not have a BoolOp. */
export function combined(mods: Mods, t: boolean, sources: readonly Bits[]): boolean {
  if (mods.bool === undefined) return t;
  const combine = boolOps[mods.bool];
  if (combine === undefined) throw new Error(`'.${mods.bool}' is not a Boolean operator.`);
  return combine(t, wordAt(sources, 2) !== 0);
}

/** Computes `t = a CmpOp b; p = t BoolOp c; q = !t BoolOp c`. */
const setp =
  (compare: Compare): LaneFunction =>
  (mods, sources) => {
    const t = isTrue(mods, compare(mods, sources));
    return [combined(mods, t, sources) ? 1 : 0, combined(mods, !t, sources) ? 1 : 0];
  };

/**
 * Compares operands. The result for true is 1.0 for `.f32` destinations, and all ones for integers.
 */
const set =
  (compare: Compare): LaneFunction =>
  (mods, sources) => {
    const t = combined(mods, isTrue(mods, compare(mods, sources)), sources);
    if (!t) return [0];
    return [mods.dtype === 'f32' ? one : 0xffffffff];
  };

const selp: LaneFunction = (_, sources) => [sourceAt(sources, wordAt(sources, 2) !== 0 ? 0 : 1)];

const slct: LaneFunction = (_, sources) => [sourceAt(sources, isNegative(wordAt(sources, 2)) ? 1 : 0)];

/**
 * Selects `a` if `c` is at least 0, and otherwise `b`. -0 counts as at least 0. "if operand c is
 * NaN, the comparison is unordered and operand b is selected".
 */
const slctFloat: LaneFunction = (mods, sources) => {
  const c = floatSource(mods, sources, 2);
  const isAtLeastZero = !isNaNBits(c) && (!isNegative(c) || magnitude(c) === 0);
  return [sourceAt(sources, isAtLeastZero ? 0 : 1)];
};

export const compareFunctions = {
  setp: setp(compareIntegers),
  'setp.bool': setp(compareIntegers),
  'setp.f32': setp(compareFloats),
  'setp.bool.f32': setp(compareFloats),
  set: set(compareIntegers),
  'set.bool': set(compareIntegers),
  'set.f32': set(compareFloats),
  'set.bool.f32': set(compareFloats),
  'setp.f64': setp(compareDoubles),
  'setp.bool.f64': setp(compareDoubles),
  'set.f64': set(compareDoubles),
  'set.bool.f64': set(compareDoubles),
  selp,
  slct,
  'slct.f32': slctFloat,
  /** The caller of `mov` packs and unpacks vectors. */
  mov: (_, sources) => [sourceAt(sources, 0)],
} satisfies Record<string, LaneFunction>;
