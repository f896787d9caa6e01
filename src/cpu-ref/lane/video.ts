// Scalar video instructions.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#scalar-video-instructions
import type { Mods } from '../../isa/index.ts';
import type { Bits, LaneFunction } from '../types.ts';
import { clamped, greater, type IntegerType, integerType, lesser, sourceAt, typeIn, wideValue } from './values.ts';

/**
 * Returns the first bit and the width of the byte or half that a selector specifies, or those of
 * the whole word if there is no selector.
 */
function partOf(selector: string | undefined): { readonly first: bigint; readonly width: 8 | 16 | 32 } {
  if (selector === undefined) return { first: 0n, width: 32 };
  const width = selector.startsWith('b') ? 8 : 16;
  return { first: BigInt(width) * BigInt(selector.slice(1)), width };
}

/** Implements `partSelectSignExtend` of the manual's pseudocode. */
function selected(bits: Bits, { signed }: IntegerType, selector: string | undefined): bigint {
  const { first, width } = partOf(selector);
  return wideValue(BigInt(bits) >> first, { width, signed });
}

/**
 * Implements `optSaturate` of the manual's pseudocode: saturates the value to the destination's
 * range, or to the range of the part that `.dsel` specifies.
 */
function saturated(mods: Mods, signed: boolean, value: bigint): bigint {
  return mods.sat === undefined ? value : clamped(value, { width: partOf(mods.dsel).width, signed });
}

/** Implements `optSecondaryOp` and then `optMerge` of the manual's pseudocode. */
function combined(mods: Mods, type: IntegerType, value: bigint, c: Bits | undefined): Bits {
  const third = wideValue(c ?? 0, type);
  switch (mods.op2) {
    case 'add':
      return wordOf(value + third);
    case 'min':
      return wordOf(lesser(value, third));
    case 'max':
      return wordOf(greater(value, third));
  }
  const { first, width } = partOf(mods.dsel);
  const mask = ((1n << BigInt(width)) - 1n) << first;
  return wordOf(((value << first) & mask) | (third & ~mask));
}

const wordOf = (value: bigint): number => Number(BigInt.asUintN(32, value));

type Operation = (mods: Mods, a: bigint, b: bigint) => bigint;

const word = integerType('u32');

/**
 * Returns a scalar video instruction. `vset` does not have a `.dtype`, so all values except `a` and
 * `b` are unsigned. Shift amounts do not have a `.btype`.
 */
function scalar(compute: Operation): LaneFunction {
  return (mods, sources) => {
    const btype = mods.btype === undefined ? word : typeIn(mods, 'btype');
    const dtype = mods.dtype === undefined ? word : typeIn(mods, 'dtype');
    const a = selected(sourceAt(sources, 0), typeIn(mods, 'atype'), mods.asel);
    const b = selected(sourceAt(sources, 1), btype, mods.bsel);
    return [combined(mods, dtype, saturated(mods, dtype.signed, compute(mods, a, b)), sources[2])];
  };
}

function amountOf({ mode }: Mods, b: bigint): bigint {
  if (mode === 'wrap') return b % 32n;
  return b > 32n ? 32n : b;
}

const relations: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

/** Whether the relation that `.cmp` specifies is true. */
export function holds({ cmp }: Mods, a: bigint, b: bigint): boolean {
  const relation = relations[cmp ?? ''];
  if (relation === undefined) throw new Error(`'.${cmp}' is not a comparison.`);
  return relation(a, b);
}

/**
 * Multiplies and adds. Modifiers may negate the product or `c`. The sum is signed if any operand is
 * signed or negated.
 */
const vmad: LaneFunction = (mods, sources) => {
  const [atype, btype] = [typeIn(mods, 'atype'), typeIn(mods, 'btype')];
  const product = selected(sourceAt(sources, 0), atype, mods.asel) * selected(sourceAt(sources, 1), btype, mods.bsel);
  const negatesProduct = (mods.aneg === undefined) !== (mods.bneg === undefined);
  const signed = atype.signed || btype.signed || negatesProduct || mods.cneg !== undefined;
  const c = wideValue(sourceAt(sources, 2), { width: 32, signed });
  const sum = (negatesProduct ? -product : product) + (mods.cneg === undefined ? c : -c);
  const scaled = (mods.po === undefined ? sum : sum + 1n) >> BigInt(mods.scale?.slice(3) ?? 0);
  return [wordOf(mods.sat === undefined ? scaled : clamped(scaled, { width: 32, signed }))];
};

export const scalarVideoFunctions = {
  vadd: scalar((_, a, b) => a + b),
  vsub: scalar((_, a, b) => a - b),
  vabsdiff: scalar((_, a, b) => (a < b ? b - a : a - b)),
  vmin: scalar((_, a, b) => lesser(a, b)),
  vmax: scalar((_, a, b) => greater(a, b)),
  vshl: scalar((mods, a, b) => a << amountOf(mods, b)),
  vshr: scalar((mods, a, b) => a >> amountOf(mods, b)),
  vset: scalar((mods, a, b) => (holds(mods, a, b) ? 1n : 0n)),
  vmad,
} satisfies Record<string, LaneFunction>;
