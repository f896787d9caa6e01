// Conversions of integers and f32.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
import type { Mods } from '../../isa/index.ts';
import type { Bits, LaneFunction } from '../types.ts';
import { floatResult, floatSource, roundingOf } from './float.ts';
import { canonicalNaN, isNaNBits } from './float-bits.ts';
import { floatOf, integerRoundings, roundToFloat, toNearest } from './float-exact.ts';
import { clamped, clampedBits, type IntegerType, integerBits, sourceAt, typeIn, wideValue } from './values.ts';

const toIntegral: Readonly<Record<string, (value: number) => number>> = integerRoundings;

/**
 * Returns a double that compares like `value` with every f32 and with every midpoint between two
 * f32 values. The double is the top 53 bits of `value`; its last bit is also set if any lower bit
 * of `value` is set.
 */
export function doubleOf(value: bigint): number {
  if (BigInt.asIntN(54, value) === value) return Number(value);
  const size = value < 0n ? -value : value;
  const excess = BigInt(Math.max(size.toString(2).length - 53, 0));
  const kept = size >> excess;
  const lost = kept << excess !== size;
  const double = Number(lost ? kept | 1n : kept) * 2 ** Number(excess);
  return value < 0n ? -double : double;
}

/** Truncates or extends an integer. `.sat` clamps the value to the destination's range. */
function integerToInteger(mods: Mods, a: Bits): Bits {
  const dtype = typeIn(mods, 'dtype');
  const value = wideValue(a, typeIn(mods, 'atype'));
  return integerBits(mods.sat === undefined ? value : clamped(value, dtype), dtype);
}

function integerToFloat(mods: Mods, a: Bits): Bits {
  const [bits] = floatResult(mods, roundToFloat(doubleOf(wideValue(a, typeIn(mods, 'atype'))), roundingOf(mods)));
  return bits;
}

/**
 * Converts an f32 to an integer. "In float-to-integer conversions, NaN input results in: zero if
 * the source is not .f64 and the destination is not .s64 or .u64; otherwise 1 << (BitWidth(dst) -
 * 1)". Other results are clamped to the destination's range.
 */
function floatToInteger(mods: Mods, a: number, dtype: IntegerType): Bits {
  return integralIn(mods, isNaNBits(a) ? undefined : floatOf(a), dtype);
}

/** Rounds a value to an integer. `value` is undefined for a NaN. */
export function integralIn(mods: Mods, value: number | undefined, dtype: IntegerType): Bits {
  if (value === undefined) return dtype.width === 64 ? 1n << 63n : 0;
  const integral = (toIntegral[mods.rnd ?? 'rzi'] ?? Math.trunc)(value);
  // Replace an infinity by a number that is also out of range of every integer type.
  const finite = Math.max(-(2 ** 128), Math.min(integral, 2 ** 128));
  return clampedBits(finite, dtype);
}

/**
 * Converts an f32 to an f32. Only rounding to an integer changes a value. A negative value that is
 * rounded to zero becomes -0. A NaN keeps its payload in a plain copy; otherwise it becomes the
 * canonical NaN, as on an H200.
 */
function floatToFloat(mods: Mods, a: number): Bits {
  const round = toIntegral[mods.rnd ?? ''];
  const copied = isNaNBits(a) && mods.ftz !== undefined ? canonicalNaN : a;
  const [result] = floatResult(mods, round === undefined ? copied : roundToFloat(round(floatOf(a)), toNearest));
  return result;
}

const cvt: LaneFunction = (mods, sources) => {
  const toFloat = mods.dtype === 'f32';
  if (mods.atype !== 'f32') {
    const a = sourceAt(sources, 0);
    return [toFloat ? integerToFloat(mods, a) : integerToInteger(mods, a)];
  }
  const a = floatSource(mods, sources, 0);
  return [toFloat ? floatToFloat(mods, a) : floatToInteger(mods, a, typeIn(mods, 'dtype'))];
};

/**
 * Saturates `a` into the upper half of the result and `b` into the lower half.
 * https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt-pack
 */
const cvtPack: LaneFunction = (mods, sources) => {
  const dtype = typeIn(mods, 'dtype');
  const s32: IntegerType = { width: 32, signed: true };
  const half = (i: number) => Number(integerBits(clamped(wideValue(sourceAt(sources, i), s32), dtype), dtype));
  return [((half(0) << 16) | half(1)) >>> 0];
};

/**
 * Packs `a`, `b` and `c` (`cvt.pack` to narrower types). `b` becomes the lowest bits, followed by
 * `a` and the low bits of `c`.
 */
const cvtPackOnto: LaneFunction = ({ dtype = '' }, sources) => {
  const width = Number(dtype.slice(1));
  const signed = dtype.startsWith('s');
  const [least, most] = signed ? [-(2 ** (width - 1)), 2 ** (width - 1) - 1] : [0, 2 ** width - 1];
  const piece = (i: number) => Math.min(Math.max(Number(sourceAt(sources, i)) | 0, least), most) & (2 ** width - 1);
  const pair = piece(0) * 2 ** width + piece(1);
  return [((Number(sourceAt(sources, 2)) << (2 * width)) | pair) >>> 0];
};

export const convertFunctions = { cvt, 'cvt.pack': cvtPack, 'cvt.pack.b32': cvtPackOnto } satisfies Record<
  string,
  LaneFunction
>;
