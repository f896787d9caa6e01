// Tensor maps: the 128 bytes that describe a tensor in global memory and the boxes that copies
// transfer. `cuTensorMapEncodeTiled` of the CUDA driver encodes the same bytes.

import { at } from './invariants.ts';
import {
  type BitField,
  dimensions,
  elementBytes,
  mapFields,
  strideUnit,
  tensorMapBytes,
  typeNumbers,
  writeField,
} from './tensor-map-fields.ts';

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

/** The parameters of `cuTensorMapEncodeTiled`, except the address. The innermost dimension is the first. */
export interface TensorMap {
  /** The type of the elements. */
  readonly type: TensorType;
  /** The number of elements of each dimension. */
  readonly sizes: readonly number[];
  /** The distance in bytes between neighbors, for each dimension except the innermost. By default the tensor is packed. */
  readonly strides?: readonly number[];
  /** The number of elements of a box in each dimension, before element strides. */
  readonly box: readonly number[];
  /** In each dimension, the distance in elements between the elements that a copy transfers. The default is 1. */
  readonly elementStrides?: readonly number[];
  /** The layout of the channels in memory. The default is `none`. */
  readonly interleave?: (typeof tensorInterleaves)[number];
  /** The order of bytes in shared memory. The default is `none`. */
  readonly swizzle?: (typeof tensorSwizzles)[number];
  /** The granularity of prefetches, which has no effect here. The default is `none`. */
  readonly l2Promotion?: (typeof tensorPromotions)[number];
  /** The values outside of the tensor. The default is `zeros`. */
  readonly fill?: (typeof tensorFills)[number];
}

type Complete = Required<TensorMap>;

/** Returns the map with all its members. */
export function withDefaults(map: TensorMap): Complete {
  const { type, sizes } = map;
  const packed: number[] = [];
  let bytes = elementBytes[type];
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

/** The error for a tensor map that the driver rejects. */
export class TensorMapError extends RangeError {
  /** The invalid member, such as `box[0]`; empty for the whole map. */
  readonly path: string;
  /** The problem of the member. */
  readonly problem: string;

  /** Creates an error for a member of a tensor map. */
  constructor(path: string, problem: string) {
    super(`invalid tensor map: ${path === '' ? '' : `${path} `}${problem}`);
    this.name = 'TensorMapError';
    this.path = path;
    this.problem = problem;
  }
}

/** The alignment of boxes in shared memory, in bytes. */
const boxAligns = { none: 16, '32B': 256, '64B': 512, '128B': 1024 } as const;

/** Returns the bytes of a box as the driver counts them: it rounds numbers of elements down. */
const boxBytes = ({ type, box, elementStrides }: Complete): number =>
  box.reduce(
    (bytes, size, d) => bytes * Math.floor(size / at(elementStrides, d, 'an element stride')),
    elementBytes[type],
  );

const maxBoxBytes = 232_448;
/** The span of swizzling in bytes, which is the maximum size of a row of a box. */
const spans = { none: Number.POSITIVE_INFINITY, '32B': 32, '64B': 64, '128B': 128 } as const;

/**
 * Throws for a list without exactly `count` elements, or for an element that is not an integer
 * within the limits.
 */
function checkList(name: string, values: readonly number[], count: number, least: number, most: number): void {
  if (values.length !== count) throw new TensorMapError(name, `has ${values.length} elements: expected ${count}`);
  for (const [index, value] of values.entries()) {
    if (Number.isSafeInteger(value) && value >= least && value <= most) continue;
    throw new TensorMapError(`${name}[${index}]`, `is ${value}: expected an integer from ${least} to ${most}`);
  }
}

/** Throws TensorMapError for a map that the driver rejects, or with interleaved channels. */
function check(map: Complete, address: bigint): void {
  const { type, sizes, strides, box, elementStrides, interleave, swizzle, fill } = map;
  const rank = sizes.length;
  if (rank < 1 || rank > dimensions.length)
    throw new TensorMapError('sizes', `has ${rank} elements: expected 1 to ${dimensions.length}`);
  if (interleave !== 'none') throw new TensorMapError('interleave', `is ${interleave}, which is not supported`);
  checkList('sizes', sizes, rank, 1, 2 ** 32);
  checkList('strides', strides, rank - 1, 0, 2 ** 40 - 1);
  checkList('box', box, rank, 1, 256);
  checkList('elementStrides', elementStrides, rank, 1, 8);
  const odd = strides.findIndex((stride) => stride % strideUnit !== 0);
  if (odd >= 0) throw new TensorMapError(`strides[${odd}]`, `is ${strides[odd]}: expected a multiple of ${strideUnit}`);
  if (address % BigInt(strideUnit) !== 0n || address >= 2n ** 57n)
    throw new TensorMapError('', `is of a tensor at address ${address}: expected a multiple of ${strideUnit}`);
  const rowBytes = at(box, 0, 'the first size of a box') * elementBytes[type];
  if (rowBytes % strideUnit !== 0 || rowBytes > spans[swizzle]) {
    const limit = swizzle === 'none' ? '' : `, at most ${spans[swizzle]}`;
    throw new TensorMapError('box[0]', `makes rows of ${rowBytes} bytes: expected a multiple of ${strideUnit}${limit}`);
  }
  const bytes = boxBytes(map);
  if (bytes > maxBoxBytes) throw new TensorMapError('box', `has ${bytes} bytes: expected at most ${maxBoxBytes}`);
  if (fill === 'nan' && /^[us]/.test(type)) throw new TensorMapError('fill', `is nan: expected zeros for ${type}`);
}

/** Returns the bytes of a tensor map of the tensor at `address`. Throws TensorMapError for a map that the driver rejects. */
export function encodeTensorMap(given: TensorMap, address: bigint): Uint8Array {
  const map = withDefaults(given);
  check(map, address);
  const bytes = new Uint8Array(tensorMapBytes);
  const write = (field: BitField, value: number | bigint) => writeField(bytes, field, BigInt(value));
  const each = (fields: readonly BitField[], values: readonly number[], storedOf: (value: number) => number) => {
    for (const [index, field] of fields.entries()) {
      const value = values[index];
      if (value !== undefined) write(field, storedOf(value));
    }
  };
  write(mapFields.address, address);
  write(mapFields.type, typeNumbers[map.type]);
  write(mapFields.tf32, map.type.startsWith('tf32') ? 1 : 0);
  write(mapFields.rank, map.sizes.length - 1);
  write(mapFields.interleave, tensorInterleaves.indexOf(map.interleave));
  write(mapFields.swizzle, tensorSwizzles.indexOf(map.swizzle));
  write(mapFields.fill, tensorFills.indexOf(map.fill));
  write(mapFields.promotion, tensorPromotions.indexOf(map.l2Promotion));
  write(mapFields.boxBytes, boxBytes(map));
  write(mapFields.boxAlign, boxAligns[map.swizzle]);
  each(mapFields.sizes, map.sizes, (size) => size - 1);
  each(mapFields.strides, map.strides, (stride) => Math.floor(stride / strideUnit) % 2 ** 32);
  each(mapFields.highStrides, map.strides, (stride) => Math.floor(stride / strideUnit / 2 ** 32));
  each(mapFields.box, map.box, (size) => size - 1);
  each(mapFields.steps, map.elementStrides, (step) => step - 1);
  return bytes;
}
