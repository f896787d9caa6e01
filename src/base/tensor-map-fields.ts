// The places of the fields in a tensor map of sm_90, as recorded from the CUDA driver.

import { at } from './invariants.ts';

/** Bits of a map: the number of the first bit from the start of the map, and the number of bits. */
export interface BitField {
  readonly bit: number;
  readonly bits: number;
}

const inWord = (word: number, shift: number, bits: number): BitField => ({ bit: 32 * word + shift, bits });
/** The dimensions of a tensor, the innermost first. */
export const dimensions = [0, 1, 2, 3, 4] as const;

/** The size of a tensor map and its alignment, in bytes. */
export const tensorMapBytes = 128;
export const tensorMapAlign = 64;

/** The unit of strides in bytes. */
export const strideUnit = 16;

/**
 * The fields. Sizes, boxes, element strides and the rank are stored minus 1, and strides in units.
 * The high bits of a stride are in a field of their own. TF32 is a flag of f32 and f32.ftz.
 */
export const mapFields = {
  address: inWord(0, 0, 64),
  mode: inWord(2, 0, 1),
  rank: inWord(2, 4, 3),
  type: inWord(2, 7, 4),
  interleave: inWord(2, 11, 2),
  swizzle: inWord(2, 13, 2),
  fill: inWord(2, 15, 1),
  tf32: inWord(2, 16, 1),
  promotion: inWord(2, 17, 2),
  strides: dimensions.slice(1).map((d) => inWord(2 + d, 0, 32)),
  highStrides: dimensions.slice(1).map((d) => inWord(7, 4 * (d - 1), 4)),
  sizes: dimensions.map((d) => inWord(8 + d, 0, 32)),
  steps: dimensions.map((d) => inWord(13, 3 * d, 3)),
  box: dimensions.map((d) => (d === 0 ? inWord(13, 24, 8) : inWord(14, 8 * (d - 1), 8))),
  // In im2col mode, the first size of the box is the number of channels of a pixel.
  pixels: inWord(15, 0, 10),
  // The instructions do not use these two numbers of the driver: the bytes of a box, and the alignment
  // of boxes in shared memory.
  boxBytes: inWord(16, 0, 32),
  boxAlign: inWord(18, 0, 32),
} as const;

/** The modes by their numbers in maps. */
export const mapModes = ['tile', 'im2col'] as const;
export type MapMode = (typeof mapModes)[number];

/** The word that contains the corners of the box of pixels in im2col mode, instead of sizes. */
const cornerWord = 14;
/** The number of dimensions that are not spatial: channels and images. */
export const otherDimensions = 2;
/** The bits of a coordinate of a corner, which is signed, for 1, 2 and 3 spatial dimensions. */
export const cornerBits = [16, 8, 5] as const;

/** Returns the fields of the corners of the box of pixels, for a number of spatial dimensions. */
export function cornerFields(count: number): Readonly<Record<'lower' | 'upper', readonly BitField[]>> {
  const bits = at(cornerBits, count - 1, 'a number of spatial dimensions');
  const fields = (from: number) => dimensions.slice(0, count).map((d) => inWord(cornerWord, from + bits * d, bits));
  return { lower: fields(0), upper: fields(16) };
}

/** The bytes of a slice of channels, by the layout of the channels in memory. */
export const sliceBytes = { '16B': 16, '32B': 32 } as const;

/** The numbers of types in maps. Those with TF32 also have the flag. */
export const typeNumbers = {
  u8: 0, u16: 1, u32: 2, s32: 3, u64: 4, s64: 5, f16: 6, f32: 7, 'f32.ftz': 8, f64: 9, bf16: 10, tf32: 7, 'tf32.ftz': 8,
} as const; // biome-ignore format: one record

/** The numbers of the types with TF32 in `tensormap.replace`, which sets the flag for them. */
export const replacedTf32 = new Map([
  [11, typeNumbers.tf32],
  [12, typeNumbers['tf32.ftz']],
]);

/** The size of an element in bytes, by type. */
export const elementBytes = {
  u8: 1, u16: 2, u32: 4, s32: 4, u64: 8, s64: 8, f16: 2, f32: 4, 'f32.ftz': 4, f64: 8, bf16: 2, tf32: 4, 'tf32.ftz': 4,
} as const; // biome-ignore format: one record

/** Reads a field of bits. */
export function readField(map: Uint8Array, { bit, bits }: BitField): bigint {
  let value = 0n;
  for (let index = 0; index < bits; index++) {
    const place = bit + index;
    const byte = at(map, Math.floor(place / 8), 'a byte of a tensor map');
    value |= BigInt((byte >> (place % 8)) & 1) << BigInt(index);
  }
  return value;
}

/** Writes the low bits of a value to a field. */
export function writeField(map: Uint8Array, { bit, bits }: BitField, value: bigint): void {
  for (let index = 0; index < bits; index++) {
    const place = bit + index;
    const byte = Math.floor(place / 8);
    const one = Number((value >> BigInt(index)) & 1n);
    map[byte] = (at(map, byte, 'a byte of a tensor map') & ~(1 << (place % 8))) | (one << (place % 8));
  }
}
