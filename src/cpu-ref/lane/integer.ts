// Integer arithmetic.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#integer-arithmetic-instructions
import type { Mods } from '../../isa/index.ts';
import type { LaneFunction } from '../types.ts';
import {
  clamped,
  greater,
  type IntegerType,
  integerBits,
  isWide,
  lesser,
  narrowBits,
  narrowValue,
  sourceAt,
  typeIn,
  wideValue,
} from './values.ts';

/**
 * An operation on exact integers: `narrow` for types of up to 32 bits, `wide` for 64 bits. The
 * result is reduced modulo 2^width.
 */
interface Operation {
  readonly narrow: (a: number, b: number, c: number) => number;
  readonly wide: (a: bigint, b: bigint, c: bigint) => bigint;
}

/**
 * Returns an instruction whose operands all have the same type. Operands that the instruction does
 * not have read as 0.
 */
function ofType({ narrow, wide }: Operation): LaneFunction {
  return (mods, sources) => {
    const type = typeIn(mods);
    const [a, b = 0, c = 0] = [sourceAt(sources, 0), sources[1], sources[2]];
    return isWide(type)
      ? [integerBits(wide(wideValue(a, type), wideValue(b, type), wideValue(c, type)), type)]
      : [narrowBits(narrow(narrowValue(a, type), narrowValue(b, type), narrowValue(c, type)), type)];
  };
}

/**
 * Returns an instruction with saturation: `.sat` clamps the exact result to MININT..MAXINT instead
 * of wrapping it.
 */
function saturating(plain: LaneFunction, exact: (a: bigint, b: bigint) => bigint): LaneFunction {
  return (mods, sources) => {
    if (mods.sat === undefined) return plain(mods, sources);
    const type = typeIn(mods);
    const [a, b] = [wideValue(sourceAt(sources, 0), type), wideValue(sourceAt(sources, 1), type)];
    return [integerBits(clamped(exact(a, b), type), type)];
  };
}

/** Returns the `.lo` or `.hi` half of a product. */
export function productHalf(mods: Mods, product: bigint, { width }: IntegerType): bigint {
  return mods.half === 'hi' ? product >> BigInt(width) : product;
}

/** Returns the exact product of the first two sources. */
export function productOf(type: IntegerType, sources: Parameters<LaneFunction>[1]): bigint {
  return wideValue(sourceAt(sources, 0), type) * wideValue(sourceAt(sources, 1), type);
}

const mul: LaneFunction = (mods, sources) => {
  const type = typeIn(mods);
  if (!isWide(type) && mods.half === 'lo') {
    const product = Math.imul(narrowValue(sourceAt(sources, 0), type), narrowValue(sourceAt(sources, 1), type));
    return [narrowBits(product, type)];
  }
  return [integerBits(productHalf(mods, productOf(type, sources), type), type)];
};

/** Multiplies and adds. `.sat` can be combined only with `.hi.s32`. */
const mad: LaneFunction = (mods, sources) => {
  const type = typeIn(mods);
  if (!isWide(type) && mods.half === 'lo') {
    const product = Math.imul(narrowValue(sourceAt(sources, 0), type), narrowValue(sourceAt(sources, 1), type));
    return [narrowBits(product + narrowValue(sourceAt(sources, 2), type), type)];
  }
  const half = wideValue(integerBits(productHalf(mods, productOf(type, sources), type), type), type);
  const sum = half + wideValue(sourceAt(sources, 2), type);
  return [integerBits(mods.sat === undefined ? sum : clamped(sum, type), type)];
};

/** Returns the type of the same signedness and twice the width. */
function twice({ width, signed }: IntegerType): IntegerType {
  return { width: width === 16 ? 32 : 64, signed };
}

const mulWide: LaneFunction = (mods, sources) => {
  const type = typeIn(mods);
  return [integerBits(productOf(type, sources), twice(type))];
};

const madWide: LaneFunction = (mods, sources) => {
  const type = typeIn(mods);
  return [integerBits(productOf(type, sources) + wideValue(sourceAt(sources, 2), twice(type)), twice(type))];
};

/**
 * Multiplies the low 24 bits of two operands and returns 32 of the 48 bits: bits 31..0 for `.lo`,
 * bits 47..16 for `.hi`.
 */
function product24(mods: Mods, sources: Parameters<LaneFunction>[1]): bigint {
  const { signed } = typeIn(mods);
  const low24 = (i: number) => {
    const value = BigInt(sourceAt(sources, i));
    return signed ? BigInt.asIntN(24, value) : BigInt.asUintN(24, value);
  };
  const product = low24(0) * low24(1);
  return mods.half === 'hi' ? product >> 16n : product;
}

const mul24: LaneFunction = (mods, sources) => [integerBits(product24(mods, sources), typeIn(mods))];

const mad24: LaneFunction = (mods, sources) => {
  const type = typeIn(mods);
  const product = wideValue(integerBits(product24(mods, sources), type), type);
  const sum = product + wideValue(sourceAt(sources, 2), type);
  return [integerBits(mods.sat === undefined ? sum : clamped(sum, type), type)];
};

/**
 * Division. Division by zero "yields an unspecified, machine-specific value": all ones for the
 * quotient and the remainder, as on an H200. MININT / -1 wraps to MININT.
 */
const div = ofType({
  narrow: (a, b) => (b === 0 ? -1 : Math.trunc(a / b)),
  wide: (a, b) => (b === 0n ? -1n : a / b),
});

const rem = ofType({
  narrow: (a, b) => (b === 0 ? -1 : a % b),
  wide: (a, b) => (b === 0n ? -1n : a % b),
});

/** Returns an instruction with `.relu`, which replaces a negative result by 0. */
function withRelu(plain: LaneFunction): LaneFunction {
  return (mods, sources) => {
    const results = plain(mods, sources);
    if (mods.relu === undefined) return results;
    const type = typeIn(mods);
    const value = wideValue(sourceAt(results, 0), type);
    return [integerBits(value < 0n ? 0n : value, type)];
  };
}

export const integerFunctions = {
  add: saturating(ofType({ narrow: (a, b) => a + b, wide: (a, b) => a + b }), (a, b) => a + b),
  sub: saturating(ofType({ narrow: (a, b) => a - b, wide: (a, b) => a - b }), (a, b) => a - b),
  mul,
  'mul.wide': mulWide,
  mad,
  'mad.wide': madWide,
  mul24,
  mad24,
  sad: ofType({
    narrow: (a, b, c) => c + (a < b ? b - a : a - b),
    wide: (a, b, c) => c + (a < b ? b - a : a - b),
  }),
  div,
  rem,
  abs: ofType({ narrow: (a) => Math.abs(a), wide: (a) => (a < 0n ? -a : a) }),
  neg: ofType({ narrow: (a) => -a, wide: (a) => -a }),
  min: withRelu(ofType({ narrow: (a, b) => Math.min(a, b), wide: (a, b) => lesser(a, b) })),
  max: withRelu(ofType({ narrow: (a, b) => Math.max(a, b), wide: (a, b) => greater(a, b) })),
} satisfies Record<string, LaneFunction>;
