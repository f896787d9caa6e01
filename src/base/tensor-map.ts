// Descriptions of a tensor in global memory and of the boxes that copies transfer.

import { elementBytes, sliceBytes } from './tensor-map-fields.ts';

/** The types of elements, ordered as `CUtensorMapDataType`. */
export const tensorTypes = [
  'u8', 'u16', 'u32', 's32', 'u64', 's64', 'f16', 'f32', 'f64', 'bf16', 'f32.ftz', 'tf32', 'tf32.ftz',
] as const; // biome-ignore format: one list
/** The type of a tensor's elements. */
export type TensorType = (typeof tensorTypes)[number];

/** The layouts of channels in memory, ordered as `CUtensorMapInterleave`. */
export const tensorInterleaves = ['none', '16B', '32B'] as const;
/** The orders of bytes in shared memory, ordered as `CUtensorMapSwizzle`. */
export const tensorSwizzles = ['none', '32B', '64B', '128B'] as const;
/** The granularities of prefetches, ordered as `CUtensorMapL2promotion`. */
export const tensorPromotions = ['none', '64B', '128B', '256B'] as const;
/** The values outside of the tensor, ordered as `CUtensorMapFloatOOBfill`. */
export const tensorFills = ['zeros', 'nan'] as const;

/** A tensor in global memory, and its layout in shared memory. The innermost dimension is the first. */
export interface TensorLayout {
  /** The type of the elements. */
  readonly type: TensorType;
  /**
   * The number of elements of each dimension. With interleaved channels, the innermost dimension is
   * the width, and the one before the outermost contains the slices of channels.
   */
  readonly sizes: readonly number[];
  /** The distance in bytes between neighbors, for each dimension except the innermost. By default the tensor is packed. */
  readonly strides?: readonly number[];
  /** In each dimension, the distance in elements between the elements that a copy transfers. The default is 1. */
  readonly elementStrides?: readonly number[];
  /** The layout of the channels in memory: slices of 16 or 32 bytes, or not interleaved. The default is `none`. */
  readonly interleave?: (typeof tensorInterleaves)[number];
  /** The order of bytes in shared memory. The default is `none`. */
  readonly swizzle?: (typeof tensorSwizzles)[number];
  /** The granularity of prefetches, which has no effect here. The default is `none`. */
  readonly l2Promotion?: (typeof tensorPromotions)[number];
  /** The values outside of the tensor. The default is `zeros`. */
  readonly fill?: (typeof tensorFills)[number];
}

/** The parameters of `cuTensorMapEncodeTiled`, except the address. */
export interface TiledTensorMap extends TensorLayout {
  /** The number of elements of a box in each dimension, before element strides. */
  readonly box: readonly number[];
}

/** The pixels that copies in im2col mode transfer. The spatial dimensions are those except channels and images. */
export interface PixelBox {
  /** For each spatial dimension, the first coordinate of the bounding box, from the start of the tensor. */
  readonly lower: readonly number[];
  /** For each spatial dimension, the last coordinate of the bounding box, from the end of the tensor. */
  readonly upper: readonly number[];
  /** The number of channels that a copy transfers for each pixel. */
  readonly channels: number;
  /** The number of pixels that a copy transfers. */
  readonly pixels: number;
}

/** The parameters of `cuTensorMapEncodeIm2col`, except the address. */
export interface Im2colTensorMap extends TensorLayout {
  /** The pixels that copies transfer. */
  readonly im2col: PixelBox;
}

/** The description of a tensor and of the boxes that copies transfer. */
export type TensorMap = TiledTensorMap | Im2colTensorMap;

type Complete<Map extends TensorMap> = Map & Required<TensorLayout>;
/** A map with all its members. */
export type CompleteTensorMap = Complete<TiledTensorMap> | Complete<Im2colTensorMap>;

/** Returns the map with all its members. */
export function withDefaults(map: TensorMap): CompleteTensorMap {
  const { type, sizes, interleave = 'none' } = map;
  const packed: number[] = [];
  let bytes: number = interleave === 'none' ? elementBytes[type] : sliceBytes[interleave];
  for (const size of sizes.slice(0, -1)) {
    bytes *= size;
    packed.push(bytes);
  }
  return {
    strides: packed,
    elementStrides: sizes.map(() => 1),
    interleave: 'none',
    swizzle: 'none',
    l2Promotion: 'none',
    fill: 'zeros',
    ...map,
  };
}
