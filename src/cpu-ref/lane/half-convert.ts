// Conversions to and from f16, bf16 and tf32.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
import type { Mods } from '../../isa/index.ts';
import type { Bits, LaneFunction } from '../types.ts';
import { doubleOf as doubleOfInteger, integralIn } from './convert.ts';
import { saturatedDouble } from './double.ts';
import {
  bitsOfDouble,
  doubleInfinity,
  doubleOf,
  doubleSign,
  isNaNDouble,
  isNegativeDouble,
  quieted,
} from './double-bits.ts';
import { floatFunctions } from './float.ts';
import { integerRoundings } from './float-exact.ts';
import { finiteIn, packed, rectifiedIn, saturatedIn } from './half.ts';
import {
  bf16,
  canonicalOf,
  type Format,
  f16,
  f32,
  flushedIn,
  formatWith,
  type HalfRounding,
  infinityOf,
  isNaNIn,
  isNegativeIn,
  roundTo,
  signOf,
  valueIn,
} from './half-format.ts';
import { sourceAt, typeIn, wideSource, wideValue, wordAt } from './values.ts';

const formats: Readonly<Record<string, Format>> = { f16, bf16, f32, f16x2: f16, bf16x2: bf16 };
const roundings: Readonly<Record<string, HalfRounding>> = { rn: 'rn', rna: 'rna', rz: 'rz', rm: 'rm', rp: 'rp' };
const toIntegral: Readonly<Record<string, (value: number) => number>> = integerRoundings;

/** Returns the instruction's rounding. The default is to nearest even. */
function roundingOf({ rnd = 'rn' }: Mods): HalfRounding {
  const rounding = roundings[rnd];
  if (rounding === undefined) throw new Error(`'.${rnd}' is not a rounding to 16 bits.`);
  return rounding;
}

/**
 * Returns the bits of a source. With `.ftz`, a subnormal f32 becomes zero. On an H200, `.ftz` does
 * not flush a source that is converted to f16, as the results of rounding away from zero show.
 */
const flushedF32 = (mods: Mods, format: Format, bits: number): number =>
  mods.ftz !== undefined && format === f32 ? flushedIn(f32, bits) : bits;

/**
 * Converts a floating-point value. Only the conversion from bf16 to f32, which appends zeros,
 * preserves the payload of a NaN.
 */
function floatToFloat(mods: Mods, to: Format, from: Format, bits: number): number {
  const round = toIntegral[mods.rnd ?? ''];
  if (round !== undefined) return roundTo(to, round(valueIn(from, bits)), 'rn');
  if (isNaNIn(from, bits) && from === bf16 && to === f32 && mods.ftz === undefined) return bits * 2 ** 16;
  return flushedF32(mods, to, roundTo(to, valueIn(from, bits), roundingOf(mods)));
}

/** Returns as many low bits of the i-th source as the format has. */
const wordIn = ({ sign }: Format, sources: readonly Bits[], i: number): number =>
  (wordAt(sources, i) & (2 * sign - 1)) >>> 0;

const cvt: LaneFunction = (mods, sources) => {
  const [to, from] = [formats[mods.dtype ?? ''], formats[mods.atype ?? '']];
  if (from !== undefined && to === undefined) {
    const bits = wordIn(from, sources, 0);
    return [integralIn(mods, isNaNIn(from, bits) ? undefined : valueIn(from, bits), typeIn(mods, 'dtype'))];
  }
  if (to === undefined) throw new Error('Neither type is f16 or bf16.');
  const converted =
    from === undefined
      ? roundTo(to, doubleOfInteger(wideValue(sourceAt(sources, 0), typeIn(mods, 'atype'))), roundingOf(mods))
      : floatToFloat(mods, to, from, wordIn(from, sources, 0));
  return [mods.sat === undefined ? converted : saturatedIn(to, converted)];
};

/**
 * Converts an f32. `.satfinite` is applied before `.relu`, so minus infinity becomes 0 if both are
 * set.
 */
function fromF32(mods: Mods, source: number): number {
  const to = formats[mods.dtype ?? ''] ?? f16;
  const bits = to === f16 ? source : flushedF32(mods, f32, source);
  const rounded = roundTo(to, valueIn(f32, bits), roundingOf(mods));
  if (mods.sat !== undefined) return saturatedIn(to, rounded);
  const finite = mods.satfinite === undefined ? rounded : finiteIn(to, rounded);
  return mods.relu === undefined ? finite : rectifiedIn(to, finite);
}

const narrow: LaneFunction = (mods, sources) => [fromF32(mods, wordAt(sources, 0))];

/**
 * Converts two values to a pair. "For .f16x2 and .bf16x2 destinations, a is in the upper half, b in
 * the lower."
 */
const cvtHalves: LaneFunction = (mods, sources) => [
  packed(fromF32(mods, wordAt(sources, 1)), fromF32(mods, wordAt(sources, 0))),
];

/** Converts a value to f64. A NaN keeps its sign and payload, and becomes quiet. */
const toDouble: LaneFunction = (mods, sources) => {
  const from = formats[mods.atype ?? ''] ?? f16;
  const bits = wordIn(from, sources, 0);
  const sign = isNegativeIn(from, bits) ? doubleSign : 0n;
  const fraction = BigInt(bits & (2 ** from.fraction - 1)) << BigInt(52 - from.fraction);
  const widened = isNaNIn(from, bits) ? quieted(sign | doubleInfinity | fraction) : bitsOfDouble(valueIn(from, bits));
  return [mods.sat === undefined ? widened : saturatedDouble(widened)];
};

const fromDouble: LaneFunction = (mods, sources) => {
  const to = formats[mods.dtype ?? ''] ?? f16;
  const bits = wideSource(sources, 0);
  if (!isNaNDouble(bits)) {
    const rounded = roundTo(to, doubleOf(bits), roundingOf(mods));
    return [mods.sat === undefined ? rounded : saturatedIn(to, rounded)];
  }
  if (mods.sat !== undefined) return [0];
  const payload = Number((quieted(bits) >> BigInt(52 - to.fraction)) % BigInt(2 ** to.fraction));
  return [(isNegativeDouble(bits) ? signOf(to) : 0) + infinityOf(to) + payload];
};

/** The unit of the last place of tf32 in the bits of an f32. tf32 does not have the lower bits. */
const unused = 2 ** 13;
const tf32 = formatWith(10, 19, -126, 127);

/**
 * Converts a NaN to tf32. PTX does not specify its bits. On an H200, `.rna` truncates the bits of
 * the NaN, so the result may be an infinity. `.satfinite` then subtracts one unit from any result
 * with an infinity's exponent.
 */
function tensorNaN(mods: Mods, bits: number): number {
  if (mods.rnd !== 'rna') return canonicalOf(tf32);
  const cut = Math.floor(bits / unused);
  return mods.satfinite === undefined ? cut : cut - 1;
}

const cvtTensor: LaneFunction = (mods, sources) => {
  const bits = wordAt(sources, 0);
  if (isNaNIn(f32, bits)) return [tensorNaN(mods, bits) * unused];
  const rounded = roundTo(tf32, valueIn(f32, bits), roundingOf(mods));
  const finite = mods.satfinite === undefined ? rounded : finiteIn(tf32, rounded);
  return [(mods.relu === undefined ? finite : rectifiedIn(tf32, finite)) * unused];
};

/** Converts the 16-bit sources to f32, exactly, and applies the f32 instruction. */
const mixed =
  (compute: LaneFunction): LaneFunction =>
  (mods, sources) => {
    const from = formats[mods.atype ?? mods.abtype ?? ''] ?? f16;
    const wide = (_: unknown, i: number): number => roundTo(f32, valueIn(from, wordIn(from, sources, i)), 'rn');
    const last = sources.length - 1;
    return compute(mods, [...sources.slice(0, last).map(wide), sourceAt(sources, last)]);
  };

export const mixedFunctions = {
  'add.f32.half': mixed(floatFunctions['add.f32']),
  'sub.f32.half': mixed(floatFunctions['sub.f32']),
  'fma.f32.half': mixed(floatFunctions['fma.f32']),
} satisfies Record<string, LaneFunction>;

export const halfConvertFunctions = {
  'cvt.to.f16': cvt,
  'cvt.from.f16': cvt,
  'cvt.f16.f32': narrow,
  'cvt.bf16.f32': narrow,
  'cvt.f32.bf16': cvt,
  'cvt.to.bf16': cvt,
  'cvt.from.bf16': cvt,
  'cvt.f64.f16': toDouble,
  'cvt.f64.bf16': toDouble,
  'cvt.f16.f64': fromDouble,
  'cvt.bf16.f64': fromDouble,
  'cvt.halves.f32': cvtHalves,
  'cvt.tf32.f32': cvtTensor,
} satisfies Record<string, LaneFunction>;
