// The IR types of PTX types.
import { InternalError } from '../../base/invariants.ts';
import type { PtxType } from '../../isa/index.ts';
import type { Type } from '../ir/types.ts';

interface Meaning {
  readonly type: Type;
  /** Whether a value is sign-extended when it is written to a wider register. */
  readonly signed: boolean;
}

const bits = (type: Type): Meaning => ({ type, signed: false });
const signed = (type: Type): Meaning => ({ type, signed: true });

const meanings: Readonly<Record<PtxType, Meaning>> = {
  pred: bits('i1'),
  b8: bits('i8'),
  b16: bits('i16'),
  b32: bits('i32'),
  b64: bits('i64'),
  b128: bits('i128'),
  u8: bits('i8'),
  u16: bits('i16'),
  u32: bits('i32'),
  u64: bits('i64'),
  s8: signed('i8'),
  s16: signed('i16'),
  s32: signed('i32'),
  s64: signed('i64'),
  f16: bits('f16'),
  f16x2: bits('i32'),
  bf16: bits('bf16'),
  bf16x2: bits('i32'),
  f32: bits('f32'),
  f64: bits('f64'),
};

const isPtxType = (name: string): name is PtxType => Object.hasOwn(meanings, name);

/** Returns the IR type of a PTX type. */
export const typeOf = (type: PtxType): Type => meanings[type].type;

export const isSigned = (type: PtxType): boolean => meanings[type].signed;

/** Returns the PTX type that a modifier names. Throws for any other modifier. */
export function ptxType(name: string | undefined): PtxType {
  if (name === undefined || !isPtxType(name)) throw new InternalError(`no type: ${name}`);
  return name;
}
