// Changes of the fields of a tensor map.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-tensormap-replace
import { type BitField, mapFields, replacedTf32, strideUnit, writeField } from '../../base/tensor-map-fields.ts';

/** A field as `tensormap.replace` names it, and its dimension. */
export interface MapField {
  readonly name: string;
  readonly dimension: number;
}

/** Returns the bit fields of a field, with the values that they store. */
function stored({ name, dimension }: MapField, value: bigint): readonly (readonly [BitField | undefined, bigint])[] {
  switch (name) {
    case 'global_address':
      return [[mapFields.address, value]];
    case 'rank':
      // The operand is the rank minus 1, as in the map.
      return [[mapFields.rank, value]];
    case 'box_dim':
      return [[mapFields.box[dimension], value - 1n]];
    case 'global_dim':
      return [[mapFields.sizes[dimension], value - 1n]];
    case 'element_stride':
      return [[mapFields.steps[dimension], value - 1n]];
    case 'global_stride': {
      const units = value / BigInt(strideUnit);
      return [
        [mapFields.strides[dimension], units],
        [mapFields.highStrides[dimension], units >> 32n],
      ];
    }
    case 'elemtype': {
      // The instruction never clears the flag of TF32.
      const base = replacedTf32.get(Number(value));
      return base === undefined
        ? [[mapFields.type, value]]
        : [
            [mapFields.type, BigInt(base)],
            [mapFields.tf32, 1n],
          ];
    }
    case 'interleave_layout':
      return [[mapFields.interleave, value]];
    case 'swizzle_mode':
      return [[mapFields.swizzle, value]];
    case 'fill_mode':
      return [[mapFields.fill, value]];
    default:
      throw new RangeError(`a tensor map has no field ${name}`);
  }
}

/** Returns the map with another value of a field. Changes `map`. */
export function withField(map: Uint8Array, field: MapField, value: bigint): Uint8Array {
  for (const [place, bits] of stored(field, value)) if (place !== undefined) writeField(map, place, bits);
  return map;
}
