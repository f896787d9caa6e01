// Conversions to and from floating-point types of 8, 6 and 4 bits, and arithmetic on pairs of f32.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
// https://docs.nvidia.com/cuda/parallel-thread-execution/#alternate-floating-point-data-formats
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions
import type { Mods } from '../../isa/index.ts';
import type { Bits, LaneFunction } from '../types.ts';
import { floatFunctions } from './float.ts';
import { halfAt, packed } from './half.ts';
import {
  bf16,
  canonicalOf,
  type Format,
  f16,
  f32,
  formatWith,
  infinityOf,
  isNaNIn,
  isNegativeIn,
  roundTo,
  signOf,
  sizeOf,
  valueIn,
} from './half-format.ts';
import { wideSource, wordAt } from './values.ts';

/** A narrow format. Only e5m2 has infinities, but `most` also bounds its results. */
interface Small {
  readonly format: Format;
  /** The distance between the values of a pair, in bits. */
  readonly step: 4 | 8;
  /**
   * The bits of the greatest number, and the bits of the NaN; undefined if the format does not have
   * a NaN.
   */
  readonly most: number;
  readonly nan: number | undefined;
}

const small: Readonly<Record<string, Small>> = {
  e4m3x2: { format: formatWith(3, 8, -6, 8), step: 8, most: 0x7e, nan: 0x7f },
  e5m2x2: { format: formatWith(2, 8, -14, 15), step: 8, most: 0x7b, nan: 0x7f },
  e2m3x2: { format: formatWith(3, 6, 0, 2), step: 8, most: 0x1f, nan: undefined },
  e3m2x2: { format: formatWith(2, 6, -2, 4), step: 8, most: 0x1f, nan: undefined },
  e2m1x2: { format: formatWith(1, 4, 0, 2), step: 4, most: 0x7, nan: undefined },
};

function smallOf(name: string | undefined): Small {
  const found = small[name ?? ''];
  if (found === undefined) throw new Error(`'.${name}' is not a small floating-point type.`);
  return found;
}

/**
 * Converts a value to a narrow format. `.satfinite` replaces greater values by the greatest number.
 * If the format does not have a NaN, NaNs are also replaced by that number.
 */
function narrowed(mods: Mods, { format, most, nan }: Small, from: Format, bits: number): number {
  if (isNaNIn(from, bits)) return nan ?? most;
  const isNegative = isNegativeIn(from, bits);
  if (isNegative && mods.relu !== undefined) return 0;
  // A value greater than the greatest number may round to bits outside of the format.
  const size = roundTo(format, Math.abs(valueIn(from, bits)), 'rn');
  return Math.min(size, most) + (isNegative ? signOf(format) : 0);
}

/**
 * Returns the two values to convert: two f32 sources, of which the first is the high element, or
 * the halves of a word.
 */
function operands(from: Format, sources: readonly Bits[]): { readonly low: number; readonly high: number } {
  if (from === f32) return { low: wordAt(sources, 1), high: wordAt(sources, 0) };
  return { low: halfAt(sources, 0, 0), high: halfAt(sources, 0, 1) };
}

const toSmall =
  (from: Format): LaneFunction =>
  (mods, sources) => {
    const to = smallOf(mods.dtype);
    const { low, high } = operands(from, sources);
    return [narrowed(mods, to, from, low) + narrowed(mods, to, from, high) * 2 ** to.step];
  };

function widened(mods: Mods, { format, nan }: Small, bits: number): number {
  const size = sizeOf(format, bits);
  const isNone = nan !== undefined && (size === nan || isNaNIn(format, bits));
  if (isNone) return canonicalOf(f16);
  if (mods.relu !== undefined && isNegativeIn(format, bits)) return 0;
  return roundTo(f16, valueIn(format, bits), 'rn');
}

const fromSmall: LaneFunction = (mods, sources) => {
  const from = smallOf(mods.atype);
  const pair = wordAt(sources, 0);
  const element = (index: number): number =>
    widened(mods, from, (pair >>> (index * from.step)) & (2 ** from.format.bits - 1));
  return [packed(element(0), element(1))];
};

/**
 * Returns the exponent field of a value of the exponent format, which does not have a sign. Field 0
 * means 2^-127, and 255 means NaN.
 */
function exponentOf({ rnd, satfinite }: Mods, from: Format, bits: number): number {
  const size = sizeOf(from, bits);
  if (isNaNIn(from, bits)) return 0xff;
  const exponent = Math.floor(size / 2 ** from.fraction);
  // 2^-127 is half of the least normal number.
  const isAbove = exponent === 0 ? size > 2 ** (from.fraction - 1) : size % 2 ** from.fraction > 0;
  const rounded = rnd === 'rp' && isAbove && size < infinityOf(from) ? exponent + 1 : exponent;
  return satfinite === undefined ? rounded : Math.min(rounded, 0xfe);
}

const toExponent =
  (from: Format): LaneFunction =>
  (mods, sources) => {
    const { low, high } = operands(from, sources);
    return [exponentOf(mods, from, low) + exponentOf(mods, from, high) * 2 ** 8];
  };

const fromExponent: LaneFunction = (_, sources) => {
  const pair = wordAt(sources, 0);
  const element = (exponent: number): number =>
    exponent === 0xff ? canonicalOf(bf16) : roundTo(bf16, 2 ** (exponent - 127), 'rn');
  return [packed(element(pair & 0xff), element((pair >>> 8) & 0xff))];
};

export const smallFloatFunctions = {
  'cvt.f8x2.f32': toSmall(f32),
  'cvt.f8x2.f16x2': toSmall(f16),
  'cvt.f16x2.f8x2': fromSmall,
  'cvt.f6x2.f32': toSmall(f32),
  'cvt.f16x2.f6x2': fromSmall,
  'cvt.f4x2.f32': toSmall(f32),
  'cvt.f4x2.f16x2': toSmall(f16),
  'cvt.f16x2.f4x2': fromSmall,
  'cvt.ue8m0x2.f32': toExponent(f32),
  'cvt.ue8m0x2.bf16x2': toExponent(bf16),
  'cvt.bf16x2.ue8m0x2': fromExponent,
} satisfies Record<string, LaneFunction>;

/** Applies an f32 instruction to both elements of a pair. */
const pairwise =
  (compute: LaneFunction): LaneFunction =>
  (mods, sources) => {
    const half = (shift: bigint): bigint => {
      const words = sources.map((_, i) => Number((wideSource(sources, i) >> shift) & 0xffff_ffffn));
      return BigInt(compute(mods, words)[0] ?? 0) << shift;
    };
    return [half(0n) | half(32n)];
  };

export const floatPairFunctions = {
  'add.f32x2': pairwise(floatFunctions['add.f32']),
  'sub.f32x2': pairwise(floatFunctions['sub.f32']),
  'mul.f32x2': pairwise(floatFunctions['mul.f32']),
  'fma.f32x2': pairwise(floatFunctions['fma.f32']),
} satisfies Record<string, LaneFunction>;
