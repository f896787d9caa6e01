// Random tensors, and boxes in them and over their edges.
import { at, get, missing } from '../../../base/invariants.ts';
import type { BytesParam } from '../../../base/launch.ts';
import {
  encodeTensorMap,
  type TensorMap,
  type TensorType,
  tensorSwizzles,
  tensorTypes,
  withDefaults,
} from '../../../base/tensor-map.ts';
import { elementBytes, strideUnit } from '../../../base/tensor-map-fields.ts';
import { tensorReductions } from '../../../base/tensor-reductions.ts';
import { boxShape } from '../../../cpu-ref/tensor/box.ts';
import { type TensorMapFields, tensorMapFields } from '../../../cpu-ref/tensor/tensor-map.ts';
import { type IsaRow, type Mods, tensorRows } from '../../../isa/index.ts';
import { dimensionsOf } from '../../../isa/tensors.ts';
import type { Random } from '../random.ts';

/** The sizes in bytes of the memory of a tensor, and of the shared memory that contains its box. */
export const tensorBytes = 8192;
export const tileBytes = 4096;
/** The alignment of a box in shared memory, in bytes. */
const boxAlign = 128;

/** A copy of a box. */
export interface BoxCopy {
  readonly map: TensorMap;
  readonly fields: TensorMapFields;
  readonly coordinates: readonly number[];
  /** The place of the box in shared memory, in bytes. */
  readonly place: number;
  /** The bytes that arrive at the mbarrier. */
  readonly bytes: number;
}

/** The rows that copy a box. */
export const copyRows: readonly IsaRow[] = tensorRows.filter(
  ({ name }) => name.startsWith('cp.') && !name.includes('prefetch'),
);

export const isStore = (row: IsaRow): boolean => row.types.from !== undefined;

/** Draws a copy for an instruction. */
export const drawCopy = (row: IsaRow, mods: Mods, rng: Random): BoxCopy =>
  drawBox({ rank: dimensionsOf(mods), isStore: isStore(row), types: typesOf(mods.op) }, rng);

/**
 * Returns the bits of the words of a copy that vary. Reductions of floating-point types have no
 * infinities and NaNs, because the bits of their NaNs differ.
 */
export function drawnBits({ map: { type } }: BoxCopy, op: string | undefined): number {
  if (op === undefined || /^[us]/.test(type)) return 0xffffffff;
  // Clears the highest bit of the exponent, and for sums also another one, so that no sum overflows.
  const half = op === 'add' ? 0xbbffbbff : 0xbfffbfff;
  return type.endsWith('16') ? half : 0xbfffffff;
}

/** Returns a parameter with the map of a copy. Parameter number `tensor` is the tensor. */
export const mapParam = (name: string, { map }: BoxCopy, tensor: number): BytesParam => ({
  name,
  kind: 'bytes',
  data: encodeTensorMap(map, 0n),
  pointers: [{ at: 0, to: tensor, offset: 0 }],
  tensorMap: map,
});

/** What an instruction requires of a copy. */
export interface BoxLimits {
  readonly rank: number;
  readonly isStore: boolean;
  readonly types: readonly TensorType[];
}

/** Draws a copy. Its tensor and its box fit in the memory for them. */
export function drawBox(limits: BoxLimits, rng: Random): BoxCopy {
  for (;;) {
    const drawn = tryBox(limits, rng);
    if (drawn !== undefined) return drawn;
  }
}

function tryBox({ rank, isStore, types }: BoxLimits, rng: Random): BoxCopy | undefined {
  const type = types[rng.below(types.length)] ?? missing('a type');
  const size = elementBytes[type];
  const swizzle = tensorSwizzles[rng.below(tensorSwizzles.length)] ?? missing('a swizzling');
  const span = swizzle === 'none' ? 8 * strideUnit : Number.parseInt(swizzle, 10);
  const units = 1 + rng.below(span / strideUnit);
  const others = Array.from({ length: rank - 1 }, () => 1 + rng.below(rank > 3 ? 4 : 8));
  const box = [(units * strideUnit) / size, ...others];
  const elementStrides = box.map((_, d) => (d > 0 && rng.chance(0.3) ? 1 + rng.below(3) : 1));
  // The hardware also writes the padding of a row up to 16 bytes, so rows of stores have none.
  const step = isStore ? strideUnit / size : 1;
  const sizes = box.map((count, d) => {
    const most = 1 + Math.ceil(count * 1.5);
    return d === 0 ? step * (1 + rng.below(Math.ceil(most / step))) : 1 + rng.below(most);
  });
  const strides: number[] = [];
  let bytes = at(sizes, 0, 'a size') * size;
  for (const count of sizes.slice(1)) {
    bytes = Math.ceil(bytes / strideUnit) * strideUnit + (rng.chance(0.3) ? strideUnit * rng.below(3) : 0);
    strides.push(bytes);
    bytes *= count;
  }
  const fill = /^[us]/.test(type) || rng.chance(0.5) ? 'zeros' : 'nan';
  const map: TensorMap = { type, sizes, strides, box, elementStrides, swizzle, fill };
  const fields = tensorMapFields(encodeTensorMap(map, 0n));
  if (typeof fields === 'string') return undefined;
  const { counts, rowBytes, pitch } = boxShape(fields);
  const rows = counts.reduce((product, count) => product * count, 1);
  const place = boxAlign * rng.below(8);
  if (bytes > tensorBytes || place + rows * pitch > tileBytes) return undefined;
  const coordinates = sizes.map((count, d) => {
    const unit = d === 0 ? strideUnit / size : 1;
    const least = isStore ? 0 : -at(box, d, 'a size of a box');
    return Math.trunc((least + rng.below(count - least + 1)) / unit) * unit;
  });
  return { map: withDefaults(map), fields, coordinates, place, bytes: rows * rowBytes };
}

export const allTypes: readonly TensorType[] = tensorTypes;

const typesOf = (op: string | undefined): readonly TensorType[] =>
  op === undefined ? allTypes : get(tensorReductions, op, 'the types of a reduction');
