// Reads the fields of a tensor map.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#tensor-tensormap
import { type TensorType, tensorFills, tensorInterleaves, tensorSwizzles, tensorTypes } from '../../base/tensor-map.ts';
import { type BitField, mapFields, strideUnit, typeNumbers } from '../../base/tensor-map-fields.ts';
import type { PtxType } from '../../isa/index.ts';

export interface TensorMapFields {
  readonly type: TensorType;
  readonly address: number;
  readonly sizes: readonly number[];
  /** The strides in bytes of all dimensions but the first. */
  readonly strides: readonly number[];
  readonly box: readonly number[];
  readonly elementStrides: readonly number[];
  readonly interleave: (typeof tensorInterleaves)[number];
  readonly swizzle: (typeof tensorSwizzles)[number];
  readonly fill: (typeof tensorFills)[number];
}

/** The size of an element in bytes, and its type in memory. */
const elements: Readonly<Record<TensorType, { readonly bytes: number; readonly type: PtxType }>> = {
  u8: { bytes: 1, type: 'u8' },
  u16: { bytes: 2, type: 'u16' },
  u32: { bytes: 4, type: 'u32' },
  s32: { bytes: 4, type: 's32' },
  u64: { bytes: 8, type: 'u64' },
  s64: { bytes: 8, type: 's64' },
  f16: { bytes: 2, type: 'f16' },
  f32: { bytes: 4, type: 'f32' },
  f64: { bytes: 8, type: 'f64' },
  bf16: { bytes: 2, type: 'bf16' },
  'f32.ftz': { bytes: 4, type: 'f32' },
  tf32: { bytes: 4, type: 'f32' },
  'tf32.ftz': { bytes: 4, type: 'f32' },
};

export const elementBytes = (type: TensorType): number => elements[type].bytes;
export const elementType = (type: TensorType): PtxType => elements[type].type;

/** Reads a field of bits. */
export function readField(map: Uint8Array, { bit, bits }: BitField): bigint {
  let value = 0n;
  for (let index = 0; index < bits; index++) {
    const at = bit + index;
    const byte = map[Math.floor(at / 8)] ?? 0;
    value |= BigInt((byte >> (at % 8)) & 1) << BigInt(index);
  }
  return value;
}

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
  const plusOne = (fields: readonly BitField[]) => fields.slice(0, rank).map((field) => number(field) + 1);
  const strides = mapFields.strides.slice(0, rank - 1).map((low, index) => {
    const high = mapFields.highStrides[index];
    return strideUnit * (number(low) + (high === undefined ? 0 : number(high)) * 2 ** 32);
  });
  return {
    type,
    address: number(mapFields.address),
    sizes: plusOne(mapFields.sizes),
    strides,
    box: plusOne(mapFields.box),
    elementStrides: plusOne(mapFields.steps),
    interleave,
    swizzle,
    fill,
  };
}
