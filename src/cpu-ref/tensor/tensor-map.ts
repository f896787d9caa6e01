// Reads the fields of a tensor map.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#tensor-tensormap
import { at } from '../../base/invariants.ts';
import { type TensorType, tensorFills, tensorInterleaves, tensorSwizzles, tensorTypes } from '../../base/tensor-map.ts';
import {
  type BitField,
  cornerFields,
  elementBytes,
  mapFields,
  mapModes,
  readField,
  sliceBytes,
  strideUnit,
  typeNumbers,
} from '../../base/tensor-map-fields.ts';
import type { PtxType } from '../../isa/index.ts';

/** The elements that a copy transfers, before element strides. */
export interface TileShape {
  readonly mode: 'tile';
  readonly box: readonly number[];
}

/** The pixels that a copy transfers, and the corners of their bounding box, relative to the tensor. */
export interface PixelShape {
  readonly mode: 'im2col';
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly channels: number;
  readonly pixels: number;
}

export interface TensorMapFields {
  readonly type: TensorType;
  readonly address: number;
  readonly sizes: readonly number[];
  /** The strides in bytes of all dimensions but the first. */
  readonly strides: readonly number[];
  readonly shape: TileShape | PixelShape;
  readonly elementStrides: readonly number[];
  readonly interleave: (typeof tensorInterleaves)[number];
  readonly swizzle: (typeof tensorSwizzles)[number];
  readonly fill: (typeof tensorFills)[number];
}

/** The type of an element in memory. */
const elementTypes: Readonly<Record<TensorType, PtxType>> = {
  u8: 'u8', u16: 'u16', u32: 'u32', s32: 's32', u64: 'u64', s64: 's64', f16: 'f16', f32: 'f32', f64: 'f64', bf16: 'bf16',
  'f32.ftz': 'f32', tf32: 'f32', 'tf32.ftz': 'f32',
}; // biome-ignore format: one record

export const elementType = (type: TensorType): PtxType => elementTypes[type];

/** Returns the fields of a map, or the reason why it is invalid. */
export function tensorMapFields(map: Uint8Array): TensorMapFields | string {
  const number = (field: BitField): number => Number(readField(map, field));
  const rank = number(mapFields.rank) + 1;
  const stored = number(mapFields.type);
  const isTf32 = number(mapFields.tf32) === 1;
  const type = tensorTypes.find((name) => typeNumbers[name] === stored && name.startsWith('tf32') === isTf32);
  if (type === undefined) return `unknown element type ${stored}`;
  if (rank > mapFields.sizes.length) return `a tensor of ${rank} dimensions`;
  const interleave = tensorInterleaves[number(mapFields.interleave)];
  const swizzle = tensorSwizzles[number(mapFields.swizzle)];
  const fill = tensorFills[number(mapFields.fill)];
  if (interleave === undefined || swizzle === undefined || fill === undefined) return 'unknown layout';
  const mode = mapModes[number(mapFields.mode)];
  if (mode === undefined) return 'unknown mode';
  const address = number(mapFields.address);
  const unit = interleave === 'none' ? strideUnit : sliceBytes[interleave];
  if (address % unit !== 0) return `address ${address}: expected a multiple of ${unit}`;
  const plusOne = (fields: readonly BitField[]) => fields.slice(0, rank).map((field) => number(field) + 1);
  const strides = mapFields.strides.slice(0, rank - 1).map((low, index) => {
    const high = at(mapFields.highStrides, index, 'the high bits of a stride');
    return strideUnit * (number(low) + number(high) * 2 ** 32);
  });
  const odd = strides.find((stride) => stride % unit !== 0);
  if (odd !== undefined) return `a stride of ${odd} bytes: expected a multiple of ${unit}`;
  const least = mode === 'im2col' || interleave !== 'none' ? 3 : 1;
  if (rank < least) return `a tensor of ${rank} dimensions`;
  const box = plusOne(mapFields.box);
  const rowBytes = at(box, 0, 'the first size of a box') * elementBytes[type];
  const limit = swizzle === 'none' || interleave !== 'none' ? Number.POSITIVE_INFINITY : Number.parseInt(swizzle, 10);
  if (interleave === 'none' && (rowBytes % strideUnit !== 0 || rowBytes > limit)) return `rows of ${rowBytes} bytes`;
  return {
    type,
    address,
    sizes: plusOne(mapFields.sizes),
    strides,
    shape: mode === 'tile' ? { mode, box } : pixelShape(map, rank, at(box, 0, 'the number of channels')),
    elementStrides: plusOne(mapFields.steps),
    interleave,
    swizzle,
    fill,
  };
}

function pixelShape(map: Uint8Array, rank: number, channels: number): PixelShape {
  const corners = cornerFields(rank - 2);
  const signed = (fields: readonly BitField[]) =>
    fields.map((field) => Number(BigInt.asIntN(field.bits, readField(map, field))));
  const pixels = Number(readField(map, mapFields.pixels)) + 1;
  return { mode: 'im2col', lower: signed(corners.lower), upper: signed(corners.upper), channels, pixels };
}
