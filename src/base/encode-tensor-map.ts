// Encodes tensor maps. `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col` of the CUDA driver encode
// the same bytes.
import {
  type TensorMap,
  tensorFills,
  tensorInterleaves,
  tensorPromotions,
  tensorSwizzles,
  withDefaults,
} from './tensor-map.ts';
import {
  type BitField,
  cornerFields,
  mapFields,
  mapModes,
  strideUnit,
  tensorMapBytes,
  typeNumbers,
  writeField,
} from './tensor-map-fields.ts';
import { checkTensorMap } from './tensor-map-rules.ts';

/** The alignment of boxes in shared memory, in bytes. */
const boxAligns = { none: 16, '32B': 256, '64B': 512, '128B': 1024 } as const;

/**
 * Returns the bytes of a tensor map of the tensor at `address`. Throws TensorMapError for a map that
 * the driver rejects.
 */
export function encodeTensorMap(given: TensorMap, address: bigint): Uint8Array {
  const map = withDefaults(given);
  const boxBytes = checkTensorMap(map, address);
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
  write(mapFields.boxBytes, boxBytes);
  write(mapFields.boxAlign, boxAligns[map.swizzle]);
  each(mapFields.sizes, map.sizes, (size) => size - 1);
  each(mapFields.strides, map.strides, (stride) => Math.floor(stride / strideUnit) % 2 ** 32);
  each(mapFields.highStrides, map.strides, (stride) => Math.floor(stride / strideUnit / 2 ** 32));
  each(mapFields.steps, map.elementStrides, (step) => step - 1);
  if ('box' in map) {
    each(mapFields.box, map.box, (size) => size - 1);
    return bytes;
  }
  const { lower, upper, channels, pixels } = map.im2col;
  const corners = cornerFields(lower.length);
  write(mapFields.mode, mapModes.indexOf('im2col'));
  each(corners.lower, lower, (corner) => corner);
  each(corners.upper, upper, (corner) => corner);
  each(mapFields.box, [channels], (size) => size - 1);
  write(mapFields.pixels, pixels - 1);
  return bytes;
}
