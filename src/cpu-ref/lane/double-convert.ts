// Conversions from and to f64.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
import type { Mods } from '../../isa/index.ts';
import type { Bits, LaneFunction } from '../types.ts';
import { saturatedDouble } from './double.ts';
import { bitsOfDouble, doubleOf, isNaNDouble, quieted } from './double-bits.ts';
import { directed } from './double-rounded.ts';
import { floatResult, floatSource, roundingOf } from './float.ts';
import { canonicalNaN, isNaNBits } from './float-bits.ts';
import { floatOf, integerRoundings, roundToFloat } from './float-exact.ts';
import {
  clampedBits,
  integerBits,
  integerType,
  narrowValue,
  sourceAt,
  typeIn,
  wideSource,
  wideValue,
} from './values.ts';

type Integral = (value: number) => number;
const toIntegral: Readonly<Record<string, Integral>> = integerRoundings;

/** Converts an f32 NaN to f64. The result has the same sign and payload, and is quiet. */
const doubleNaNOf = (bits: number): bigint => {
  const sign = BigInt(bits >>> 31) << 63n;
  return quieted(sign | 0x7ff0_0000_0000_0000n | (BigInt(bits & 0x7f_ffff) << 29n));
};

const floatNaNOf = (bits: bigint): number =>
  (Number(bits >> 63n) * 0x8000_0000 + 0x7fc0_0000 + Number((bits >> 29n) & 0x3f_ffffn)) >>> 0;

/** Converts f32 to f64. With `.ftz`, a NaN becomes the canonical f32 NaN, as on an H200. */
function fromFloat(mods: Mods, sources: readonly Bits[]): bigint {
  const a = floatSource(mods, sources, 0);
  if (isNaNBits(a)) return doubleNaNOf(mods.ftz === undefined ? a : canonicalNaN);
  return bitsOfDouble(floatOf(a));
}

/** Rounds an f64 to an integral f64. A zero result has the sign of the source. */
function fromDouble(mods: Mods, a: bigint): bigint {
  const round = toIntegral[mods.rnd ?? ''];
  if (round === undefined) return a;
  return isNaNDouble(a) ? quieted(a) : bitsOfDouble(round(doubleOf(a)));
}

function fromInteger(mods: Mods, a: Bits): bigint {
  const type = integerType(mods.atype);
  // Every integer of up to 32 bits can be represented exactly as f64.
  if (type.width !== 64) return bitsOfDouble(narrowValue(a, type));
  const value = wideValue(a, type);
  // `Number` rounds to nearest even. The rounding error has few bits, so it can be represented
  // exactly.
  const nearest = Number(value);
  const error = Number(value - BigInt(nearest));
  return bitsOfDouble(error === 0 ? nearest : directed(nearest, error, roundingOf(mods).direction));
}

const toDouble: LaneFunction = (mods, sources) => {
  const converted =
    mods.atype === 'f32'
      ? fromFloat(mods, sources)
      : mods.atype === 'f64'
        ? fromDouble(mods, wideSource(sources, 0))
        : fromInteger(mods, sourceAt(sources, 0));
  return [mods.sat === undefined ? converted : saturatedDouble(converted)];
};

/**
 * Converts an f64 to an integer. "In float-to-integer conversions, NaN input results in: […] 1 <<
 * (BitWidth(dst) - 1)" for f64 sources; on an H200, this applies to every width. Other results are
 * clamped to the destination's range.
 */
function toInteger(mods: Mods, a: bigint): Bits {
  const dtype = typeIn(mods, 'dtype');
  const value = doubleOf(a);
  if (Number.isNaN(value)) return integerBits(1n << BigInt(dtype.width - 1), dtype);
  // Replace an infinity by a number that is also out of range of every integer type.
  const finite = Math.max(-(2 ** 128), Math.min(value, 2 ** 128));
  return clampedBits((toIntegral[mods.rnd ?? ''] ?? Math.trunc)(finite), dtype);
}

const fromDoubleTo: LaneFunction = (mods, sources) => {
  const a = wideSource(sources, 0);
  if (mods.dtype !== 'f32') return [toInteger(mods, a)];
  return floatResult(mods, isNaNDouble(a) ? floatNaNOf(a) : roundToFloat(doubleOf(a), roundingOf(mods)));
};

export const doubleConversions = { 'cvt.f64': toDouble, 'cvt.from.f64': fromDoubleTo } satisfies Record<
  string,
  LaneFunction
>;
