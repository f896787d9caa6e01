// The widths of PTX types, and the rules for registers as operands.
import type { OperandType, PtxType } from '../isa/index.ts';

const widths: Readonly<Record<PtxType, number>> = {
  pred: 1,
  b8: 8,
  b16: 16,
  b32: 32,
  b64: 64,
  b128: 128,
  u8: 8,
  u16: 16,
  u32: 32,
  u64: 64,
  s8: 8,
  s16: 16,
  s32: 32,
  s64: 64,
  f16: 16,
  f16x2: 32,
  bf16: 16,
  bf16x2: 32,
  f32: 32,
  f64: 64,
};

/** Returns the width in bits; 1 for a predicate. */
export function widthOf(type: PtxType): number {
  return widths[type];
}

/** Returns the size of a value in memory, in bytes. */
export function bytesOf(type: PtxType): number {
  return Math.ceil(widths[type] / 8);
}

export function isFloat(type: PtxType): boolean {
  return type.startsWith('f') || type.startsWith('bf');
}

const untyped: ReadonlySet<PtxType> = new Set(['b8', 'b16', 'b32', 'b64', 'b128']);

export function isUntyped(type: PtxType): boolean {
  return untyped.has(type);
}

export function isInteger(type: PtxType): boolean {
  return type.startsWith('u') || type.startsWith('s');
}

export function isSigned(type: PtxType): boolean {
  return type.startsWith('s');
}

/**
 * How closely a register must match the type in an instruction. `wider` is the manual's relaxed
 * rule for loads, stores and `cvt`.
 */
export type Fit = 'exact' | 'wider';

/**
 * Whether a register of type `register` is valid as an operand of type `wanted`, by the manual's
 * Operand Type Checking Rules. Untyped bits match any type of their size, and signed types match
 * unsigned types. A floating-point type only matches itself and untyped bits.
 */
export function fits(register: PtxType, wanted: PtxType, fit: Fit): boolean {
  if (register === 'pred' || wanted === 'pred') return register === wanted;
  const sameWidth = widths[register] === widths[wanted];
  if (!sameWidth && !(fit === 'wider' && widths[register] > widths[wanted])) return false;
  if (isUntyped(register) || isUntyped(wanted)) return true;
  return isFloat(register) === isFloat(wanted) && (sameWidth || !isFloat(register));
}

export type ImageSlot = 'texture' | 'surface' | 'gradient' | 'offset';

export const isImageSlot = (type: OperandType | undefined): type is ImageSlot =>
  type === 'texture' || type === 'surface' || type === 'gradient' || type === 'offset';
