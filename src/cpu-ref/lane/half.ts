// f16 and bf16 arithmetic.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#half-precision-floating-point-instructions
import type { Mods } from '../../isa/index.ts';
import type { Bits, LaneFunction } from '../types.ts';
import { oddSum } from './float-exact.ts';
import {
  bf16,
  canonicalOf,
  type Format,
  f16,
  flushedIn,
  infinityOf,
  isNaNIn,
  isNegativeIn,
  roundTo,
  signOf,
  sizeOf,
  valueIn,
} from './half-format.ts';
import { wordAt } from './values.ts';

/** Returns the format of a type's elements. */
export const formatOf = (type: string | undefined): Format => (type?.startsWith('b') ? bf16 : f16);

export const isPacked = (type: string | undefined): boolean => type?.endsWith('x2') ?? false;

/** Returns the low (0) or the high (1) half of the i-th source. */
export const halfAt = (sources: readonly Bits[], i: number, index: 0 | 1): number =>
  (wordAt(sources, i) >>> (16 * index)) & 0xffff;

export const packed = (low: number, high: number): number => ((high << 16) | low) >>> 0;

type Operation = (mods: Mods, format: Format, operands: readonly number[]) => number;

/** Applies an operation to a 16-bit value, or to each half of a word. */
function elementwise(compute: Operation): LaneFunction {
  return (mods, sources) => {
    const format = formatOf(mods.type);
    const element = (index: 0 | 1): number => {
      const operands = sources.map((_, i) => halfAt(sources, i, index));
      return compute(mods, format, mods.ftz === undefined ? operands : operands.map((bits) => flushedIn(format, bits)));
    };
    return [isPacked(mods.type) ? packed(element(0), element(1)) : element(0)];
  };
}

/** Clamps a value to [0.0, 1.0], for `.sat`. A NaN becomes +0.0. */
export function saturatedIn(format: Format, bits: number): number {
  if (isNaNIn(format, bits) || isNegativeIn(format, bits)) return 0;
  return Math.min(bits, roundTo(format, 1, 'rn'));
}

/** Replaces negative values by 0, and NaNs by the canonical NaN, for `.relu`. */
export function rectifiedIn(format: Format, bits: number): number {
  if (isNaNIn(format, bits)) return canonicalOf(format);
  return isNegativeIn(format, bits) ? 0 : bits;
}

function limited(mods: Mods, format: Format, bits: number): number {
  if (mods.sat !== undefined) return saturatedIn(format, bits);
  return mods.relu === undefined ? bits : rectifiedIn(format, bits);
}

/**
 * Returns an operation that rounds once. `exact` returns the exact result, or the result rounded to
 * odd.
 */
const rounded = (exact: (a: number, b: number, c: number) => number): LaneFunction =>
  elementwise((mods, format, [a = 0, b = 0, c = 0]) => {
    const value = exact(valueIn(format, a), valueIn(format, b), valueIn(format, c));
    return limited(mods, format, roundTo(format, value, 'rn', mods.ftz !== undefined));
  });

const add = rounded(oddSum);
const sub = rounded((a, b) => oddSum(a, -b));
// The product of two 16-bit values can be represented exactly as a double.
const mul = rounded((a, b) => a * b);
const fma = rounded((a, b, c) => oddSum(a * b, c));

const withSign = (change: (format: Format, bits: number) => number): LaneFunction =>
  elementwise((_, format, [a = 0]) => (isNaNIn(format, a) ? canonicalOf(format) : change(format, a)));

const abs = withSign(sizeOf);
const neg = withSign((format, bits) => bits ^ signOf(format));

/**
 * Returns a number whose order is that of `min` and `max` for values other than NaN: -0 is less
 * than +0.
 */
const orderIn = (format: Format, bits: number): number =>
  isNegativeIn(format, bits) ? -sizeOf(format, bits) - 1 : bits;

/**
 * Returns `min` or `max`. If one operand is a NaN, the result is the other operand, or with `.NaN`
 * the canonical NaN. `.abs` compares magnitudes. With `.xorsign`, the sign of the result is the
 * exclusive or of the inputs' signs.
 */
const extreme = (isFirst: (a: number, b: number) => boolean): LaneFunction =>
  elementwise((mods, format, operands) => {
    const compared = mods.abs === undefined ? operands : operands.map((bits) => sizeOf(format, bits));
    const numbers = compared.filter((bits) => !isNaNIn(format, bits));
    const [first, second = first] = numbers;
    if (first === undefined || second === undefined) return canonicalOf(format);
    if (mods.NaN !== undefined && numbers.length < compared.length) return canonicalOf(format);
    const result = isFirst(orderIn(format, first), orderIn(format, second)) ? first : second;
    if (mods.xorsign === undefined) return result;
    const isNegative = operands.filter((bits) => isNegativeIn(format, bits)).length % 2 === 1;
    return sizeOf(format, result) + (isNegative ? signOf(format) : 0);
  });

const min = extreme((a, b) => a < b);
const max = extreme((a, b) => a > b);

export const halfFunctions = {
  'add.f16': add,
  'sub.f16': sub,
  'mul.f16': mul,
  'fma.f16': fma,
  'add.bf16': add,
  'sub.bf16': sub,
  'mul.bf16': mul,
  'fma.bf16': fma,
  'neg.f16': neg,
  'abs.f16': abs,
  'neg.bf16': neg,
  'abs.bf16': abs,
  'min.f16': min,
  'max.f16': max,
  'min.bf16': min,
  'max.bf16': max,
} satisfies Record<string, LaneFunction>;

/** Replaces an infinity by the largest finite value, for `.satfinite`. */
export function finiteIn(format: Format, bits: number): number {
  return sizeOf(format, bits) === infinityOf(format) ? bits - 1 : bits;
}
