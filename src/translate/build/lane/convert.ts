// cvt between integer types, between f32 and integers, and within f32.
import type { Mods, SelectRowName } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Value } from '../../ir/nodes.ts';
import type { Rounding } from '../../ir/operations.ts';
import { isFloat, type Type, widthOf } from '../../ir/types.ts';
import { roundingOf } from './float.ts';
import { choice, type LaneBuild, type LaneRow, type NumberType, numberType, unary } from './row.ts';

type Row = Extract<SelectRowName, 'cvt'>;

/** The roundings to an integral value. */
export const integralRoundings: Readonly<Record<string, Rounding>> = { rni: 'rn', rzi: 'rz', rmi: 'rm', rpi: 'rp' };

/** Returns the minimum and the maximum of a type. */
function rangeOf({ type, signed }: NumberType): readonly [bigint, bigint] {
  const width = BigInt(widthOf(type));
  return signed ? [-(1n << (width - 1n)), (1n << (width - 1n)) - 1n] : [0n, (1n << width) - 1n];
}

/** Clamps a number of one type to the range of another. */
function clampTo(to: NumberType, from: NumberType): (b: Builder, x: Value) => Value {
  const [least, most] = rangeOf(to);
  const [smallest, greatest] = rangeOf(from);
  const { signed, type } = from;
  return (b, x) => {
    let result = x;
    if (smallest < least) result = signed ? b.smax(result, b.int(type, least)) : b.umax(result, b.int(type, least));
    if (greatest > most) result = signed ? b.smin(result, b.int(type, most)) : b.umin(result, b.int(type, most));
    return result;
  };
}

function integerToInteger(to: NumberType, from: NumberType, saturates: boolean): LaneBuild {
  const clamp = saturates ? clampTo(to, from) : undefined;
  return unary((b, x) => b.resize(clamp ? clamp(b, x) : x, to.type, from.signed));
}

/** Builds a conversion that clamps. For a type of 8 or 16 bits, the result is clamped again. */
function floatToInteger(mods: Mods, to: NumberType): LaneBuild {
  // Absent: the default is to round toward zero.
  const rounding = choice(integralRoundings, mods.rnd ?? 'rzi');
  const narrow = widthOf(to.type) < 32;
  const type: Type = narrow ? 'i32' : to.type;
  const attrs = { to: type, signed: to.signed, rounding, ftz: mods.ftz !== undefined };
  const clamp = clampTo(to, { type, signed: to.signed });
  return unary((b, x) => {
    const number = b.value('ftoi', attrs, [x]);
    return narrow ? b.resize(clamp(b, number), to.type) : number;
  });
}

export function integerToFloat(mods: Mods, to: Type, { type, signed }: NumberType): LaneBuild {
  const attrs = { to, signed, rounding: roundingOf(mods) };
  const wide: Type = widthOf(type) < 32 ? 'i32' : type;
  return unary((b, x) => {
    const value = b.value('itof', attrs, [b.resize(x, wide, signed)]);
    return mods.sat === undefined ? value : b.value('fsaturate', {}, [value]);
  });
}

export function floatToFloat(mods: Mods, to: Type, from: Type): LaneBuild {
  const ftz = mods.ftz !== undefined;
  const rounding = mods.rnd !== undefined ? integralRoundings[mods.rnd] : undefined;
  return unary((b, x) => {
    let value = x;
    if (from !== to) value = b.value('ftof', { to, rounding: roundingOf(mods), ftz }, [x]);
    else if (rounding !== undefined) value = b.value('fintegral', { rounding, ftz }, [x]);
    // On NVIDIA hardware, a plain copy keeps a NaN's payload, but a flushing copy or one of 16 bits
    // does not.
    else if (widthOf(to) === 16) value = b.value('fcanonical', {}, [x]);
    else if (ftz) value = b.value('fcanonical', {}, [b.value('fflush', {}, [x])]);
    return mods.sat === undefined ? value : b.value('fsaturate', {}, [value]);
  });
}

/** Converts between the two types that the modifiers name. */
export const conversion: LaneRow = (mods) => {
  const [to, from] = [numberType(mods.dtype), numberType(mods.atype)];
  if (isFloat(from.type)) {
    return isFloat(to.type) ? floatToFloat(mods, to.type, from.type) : floatToInteger(mods, to);
  }
  if (isFloat(to.type)) return integerToFloat(mods, to.type, from);
  return integerToInteger(to, from, mods.sat !== undefined);
};

export const convertRows: Readonly<Record<Row, LaneRow>> = { cvt: conversion };
