// Code in PTX that reads the fields of a tensor map.

import { at } from '../../base/invariants.ts';
import type { TensorType } from '../../base/tensor-map.ts';
import {
  type BitField,
  elementBytes,
  mapFields,
  sliceBytes,
  tensorMapBytes,
  typeNumbers,
} from '../../base/tensor-map-fields.ts';

/** Returns the dimensions from `first` on, below a rank. */
export const axesFrom = (first: number, rank: number): readonly number[] =>
  Array.from({ length: rank - first }, (_, index) => first + index);

/** The bits of a word that hold the logarithm of a type. */
const logBits = 2;
/** For each type, the base-2 logarithm of an element's size in bytes. */
const logs = Object.entries(elementBytes).reduce(
  (word, [type, bytes]) => word | (Math.log2(bytes) << (logBits * typeNumbers[type as TensorType])),
  0,
);

export const fieldRegisters = `.reg .pred %is, %tf32, %sliced; .reg .b64 %base, %high; .reg .b64 %stride<5>;
.reg .b32 %m<32>, %last<5>, %box<5>, %step<5>, %type, %log, %swizzle, %fill, %slice, %rowbytes, %pitch;`;

/** The ranks of tensors that may have interleaved channels. */
export const mayBeSliced = (rank: number): boolean => rank >= 3;

/**
 * Code that reads the bytes of a slice: `%sliced` says whether channels are interleaved. A row of a
 * box is then a slice, and neighbors in dimension 0 are slices.
 */
const sliceText = `${extract('%slice', mapFields.interleave)} setp.ne.u32 %sliced, %slice, 0;
mul.lo.u32 %slice, %slice, ${sliceBytes['16B']}; cvt.u64.u32 %stride0, %slice;`;

/** Returns code that extracts a field within a word, as an unsigned or a signed number. */
export function extract(register: string, { bit, bits }: BitField, type: 'u32' | 's32' = 'u32'): string {
  const word = `%m${Math.floor(bit / 32)}`;
  return bits === 32 ? `mov.b32 ${register}, ${word};` : `bfe.${type} ${register}, ${word}, ${bit % 32}, ${bits};`;
}

const usedWords = new Set(
  [
    mapFields.type,
    mapFields.fill,
    mapFields.swizzle,
    ...mapFields.strides,
    ...mapFields.highStrides,
    ...mapFields.sizes,
    ...mapFields.box,
    ...mapFields.steps,
    mapFields.pixels,
  ].map(({ bit }) => Math.floor(bit / 128)),
);

/** Code that loads the words of the map that contain fields. */
const loadText = Array.from({ length: tensorMapBytes / 16 }, (_, part) => part)
  .filter((part) => part === 0 || usedWords.has(part))
  .map((part) => `ld.v4.b32 {${[0, 1, 2, 3].map((word) => `%m${4 * part + word}`).join(', ')}}, [%map + ${16 * part}];`)
  .join('\n');

/** Returns code that reads the fields of the dimensions of a copy. */
export function fieldsText(rank: number): string {
  const { type, swizzle, fill, strides, highStrides, sizes, box, steps } = mapFields;
  const each = (first: number, text: (d: number) => string): readonly string[] => axesFrom(first, rank).map(text);
  const place = (fields: readonly BitField[], d: number): BitField => at(fields, d, 'a dimension of a tensor map');
  return [
    loadText,
    'mov.b64 %base, {%m0, %m1};',
    extract('%type', type),
    extract('%swizzle', swizzle),
    extract('%fill', fill),
    `${extract('%x', mapFields.tf32)} setp.ne.u32 %tf32, %x, 0;`,
    ...each(
      0,
      (d) => `${extract(`%last${d}`, place(sizes, d))}
${extract(`%box${d}`, place(box, d))} add.u32 %box${d}, %box${d}, 1;
${extract(`%step${d}`, place(steps, d))} add.u32 %step${d}, %step${d}, 1;`,
    ),
    ...each(
      1,
      (d) => `${extract('%x', place(highStrides, d - 1))}
mov.b64 %stride${d}, {${`%m${Math.floor(place(strides, d - 1).bit / 32)}`}, %x}; shl.b64 %stride${d}, %stride${d}, 4;`,
    ),
    `mul.lo.u32 %x, %type, ${logBits}; mov.b32 %log, ${logs >>> 0}; shr.u32 %log, %log, %x; and.b32 %log, %log, ${2 ** logBits - 1};`,
    'shl.b32 %rowbytes, %box0, %log;',
    // A row of a box has at least as many bytes as those that swizzling exchanges.
    'setp.ne.u32 %is, %swizzle, 0; mov.b32 %x, 16; shl.b32 %x, %x, %swizzle; selp.b32 %x, %x, 0, %is; max.u32 %pitch, %rowbytes, %x;',
    ...(mayBeSliced(rank)
      ? [sliceText, 'selp.b32 %rowbytes, %slice, %rowbytes, %sliced; selp.b32 %pitch, %slice, %pitch, %sliced;']
      : []),
    'mov.b32 %x, 1; shl.b32 %x, %x, %swizzle; sub.u32 %swizzle, %x, 1;',
    fillText,
  ].join('\n');
}

/** Code that replaces the mode of the fill by its words, which are equal for all types. */
const fillText = 'setp.ne.u32 %is, %fill, 0; selp.b32 %fill, 0x7ff77ff7, 0, %is;';
