// Element types of matrices.
import { InternalError } from '../base/invariants.ts';

export type ElementType =
  | 'f16' | 'bf16' | 'tf32' | 'f32' | 'f64' | 'e4m3' | 'e5m2'
  | 's8' | 'u8' | 's4' | 'u4' | 'b1' | 's32'; // biome-ignore format: one line per family

export const elementBits: Readonly<Record<ElementType, number>> = {
  f16: 16, bf16: 16, tf32: 32, f32: 32, f64: 64, e4m3: 8, e5m2: 8, s8: 8, u8: 8, s4: 4, u4: 4, b1: 1, s32: 32,
}; // biome-ignore format: one line

const isElementType = (text: string): text is ElementType => Object.hasOwn(elementBits, text);

/** Returns the element type with this name. Throws an error for any other text. */
export function elementType(text: string | undefined): ElementType {
  if (text === undefined || !isElementType(text)) throw new InternalError(`no matrix has elements of type ${text}`);
  return text;
}
