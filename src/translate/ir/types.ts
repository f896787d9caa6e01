// Types of IR values. Integer types have no sign; operations do.
import { InternalError } from '../../base/invariants.ts';

export const integerTypes = ['i1', 'i8', 'i16', 'i32', 'i64', 'i128'] as const;
export const floatTypes = ['f16', 'bf16', 'f32', 'f64'] as const;

export type IntegerType = (typeof integerTypes)[number];
export type FloatType = (typeof floatTypes)[number];
export type Type = IntegerType | FloatType;

const widths: Readonly<Record<Type, number>> = {
  i1: 1,
  i8: 8,
  i16: 16,
  i32: 32,
  i64: 64,
  i128: 128,
  f16: 16,
  bf16: 16,
  f32: 32,
  f64: 64,
};

/** The width of a type in bits. */
export const widthOf = (type: Type): number => widths[type];

const byWidth: ReadonlyMap<number, IntegerType> = new Map(integerTypes.map((type) => [widths[type], type]));

/** The integer type with a width. Throws if there is none. */
export function integerOf(bits: number): IntegerType {
  const type = byWidth.get(bits);
  if (type === undefined) throw new InternalError(`no integer type has ${bits} bits`);
  return type;
}

const floats: ReadonlySet<Type> = new Set(floatTypes);

export const isFloat = (type: Type): type is FloatType => floats.has(type);
export const isType = (text: string): text is Type => Object.hasOwn(widths, text);

/** All ones in the width of a type. */
export const onesOf = (type: Type): bigint => (1n << BigInt(widths[type])) - 1n;
