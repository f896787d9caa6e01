// Conversions between f64 and integers or f32, and within f64.
import type { HelperName } from '../../../wgsl/helpers.ts';
import { constant, type Value } from '../../ir/nodes.ts';
import type { Rounding } from '../../ir/operations.ts';
import { type Type, widthOf } from '../../ir/types.ts';
import { doubles, pairs } from '../calls.ts';
import { canonical, flushed, one } from '../floats/float-values.ts';
import type { Pair } from '../integers/wide-parts.ts';
import { pairOf } from '../integers/wide-parts.ts';
import type { Family, Lowering } from '../lowering.ts';

const roundings: Readonly<Record<Rounding, number>> = { rn: 0, rz: 1, rm: 2, rp: 3 };
const FLUSH = 4;

const fromWide: Readonly<Record<Rounding, HelperName>> = {
  rn: 'f64_from_u64',
  rz: 'f64_from_u64_rz',
  rm: 'f64_from_u64_rm',
  rp: 'f64_from_u64_rp',
};

/** Rounds an f64 to an integral value. */
function integral(lowering: Lowering, value: Pair, rounding: Rounding): readonly Value[] {
  return lowering.call(pairs.shift('f64_integral'), ...value, lowering.builder.i32(roundings[rounding]));
}

/** Converts an f64 to an integer of at most 32 bits. */
function toWord(lowering: Lowering, value: readonly Value[], to: Type, signed: boolean): Value {
  const { builder } = lowering;
  const width = widthOf(to);
  const word = one(lowering.call(pairs.toWord(signed ? 'f64_to_s32' : 'f64_to_u32'), ...value));
  if (width === 32) return word;
  const most = 2 ** (signed ? width - 1 : width) - 1;
  if (signed) return builder.resize(builder.smax(builder.smin(word, builder.i32(most)), builder.i32(-most - 1)), to);
  // A NaN becomes a number with only the top bit set. Clamping would return all ones.
  const isNotNumber = one(lowering.call(pairs.test('f64_is_nan'), ...value));
  const clamped = builder.umin(word, builder.i32(most));
  return builder.resize(builder.select(isNotNumber, builder.i32(2 ** (width - 1)), clamped), to);
}

export const doubleConversions: Pick<Family['rules'], 'fintegral' | 'ftoi' | 'itof' | 'ftof'> = {
  fintegral: (lowering, inst) => integral(lowering, pairOf(lowering, inst, 0), inst.attrs.rounding),

  ftoi: (lowering, inst) => {
    const { to, signed, rounding } = inst.attrs;
    const source = pairOf(lowering, inst, 0);
    // The prelude's conversions truncate, so other roundings happen before them.
    const value = rounding === 'rz' ? source : integral(lowering, source, rounding);
    if (widthOf(to) < 64) return [toWord(lowering, value, to, signed)];
    const [low, high] = lowering.call(pairs.one(signed ? 'f64_to_s64' : 'f64_to_u64'), ...value);
    return low && high && [lowering.builder.join(low, high)];
  },

  itof: (lowering, inst) => {
    const { builder } = lowering;
    const { signed, rounding } = inst.attrs;
    const number = lowering.arg(inst, 0);
    if (widthOf(number.type) < 64) {
      const word = builder.resize(number, 'i32', signed);
      return lowering.result(doubles.fromWord(signed ? 'f64_from_s32' : 'f64_from_u32'), word);
    }
    const [low, high] = builder.split(number);
    const call = doubles.fromParts(fromWide[rounding]);
    if (!signed) return lowering.result(call, builder.i32(0), low, high);
    const sign = builder.and(high, builder.i32(0x8000_0000));
    return lowering.result(call, sign, ...lowering.call(pairs.one('abs_s64'), low, high));
  },

  /** NVIDIA hardware keeps a NaN's payload, except if the source is an f32 and `.ftz` is set. */
  ftof: (lowering, inst) => {
    const { builder } = lowering;
    const { to, rounding, ftz } = inst.attrs;
    if (to === 'f64') {
      const source = lowering.arg(inst, 0);
      if (source.type !== 'f32') return undefined;
      const value = ftz ? canonical(lowering, flushed(lowering, source)) : source;
      return lowering.result(doubles.fromWord('f64_from_f32'), builder.bitcast(value, 'i32'));
    }
    if (to !== 'f32') return undefined;
    const value = pairOf(lowering, inst, 0);
    const bits =
      rounding === 'rn' && !ftz
        ? lowering.call(pairs.toWord('f32_from_f64'), ...value)
        : lowering.call(
            pairs.toWordBy('f32_from_f64_rounded'),
            ...value,
            constant('i32', roundings[rounding] + (ftz ? FLUSH : 0)),
          );
    return [builder.bitcast(one(bits), 'f32')];
  },
};
