// Random tensors, and boxes in them and over their edges.

import { encodeTensorMap } from '../../../base/encode-tensor-map.ts';
import { at, get, missing } from '../../../base/invariants.ts';
import type { BytesParam } from '../../../base/launch.ts';
import {
  type CompleteTensorMap,
  type PixelBox,
  type TensorLayout,
  type TensorMap,
  type TensorType,
  tensorSwizzles,
  tensorTypes,
  withDefaults,
} from '../../../base/tensor-map.ts';
import { elementBytes, type MapMode, sliceBytes, strideUnit } from '../../../base/tensor-map-fields.ts';
import { TensorMapError } from '../../../base/tensor-map-rules.ts';
import { tensorReductions } from '../../../base/tensor-reductions.ts';
import { boxShape, pixelBounds, spatialDimensions } from '../../../cpu-ref/tensor/box.ts';
import { type PixelShape, type TensorMapFields, tensorMapFields } from '../../../cpu-ref/tensor/tensor-map.ts';
import { type IsaRow, type Mods, tensorRows } from '../../../isa/index.ts';
import { isPixelRow } from '../../../isa/row-names.ts';
import { dimensionsOf } from '../../../isa/tensors.ts';
import type { Random } from '../random.ts';

/** The sizes in bytes of the memory of a tensor, and of the shared memory that contains its box. */
export const tensorBytes = 8192;
export const tileBytes = 4096;
/** The alignment of a box in shared memory, in bytes. */
const boxAlign = 128;

/** A copy of a box. */
export interface BoxCopy {
  readonly map: CompleteTensorMap;
  readonly fields: TensorMapFields;
  readonly coordinates: readonly number[];
  /** The offsets of a load in im2col mode. */
  readonly offsets: readonly number[];
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
  drawBox(
    {
      rank: dimensionsOf(mods),
      mode: isPixelRow(row.name) ? 'im2col' : 'tile',
      isStore: isStore(row),
      types: typesOf(mods.op),
    },
    rng,
  );

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
  readonly mode: MapMode;
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

function tryBox(limits: BoxLimits, rng: Random): BoxCopy | undefined {
  const { rank, mode, isStore, types } = limits;
  const type = types[rng.below(types.length)] ?? missing('a type');
  const swizzle = rng.pick(tensorSwizzles);
  const interleave = rank > 2 && rng.chance(0.3) ? rng.pick(['16B', '32B'] as const) : 'none';
  const size = elementBytes[type];
  const span = swizzle === 'none' || interleave !== 'none' ? 8 * strideUnit : Number.parseInt(swizzle, 10);
  const row = ((1 + rng.below(span / strideUnit)) * strideUnit) / size;
  const box = [row, ...Array.from({ length: rank - 1 }, () => 1 + rng.below(rank > 3 ? 4 : 8))];
  const hasStep = (d: number) => d > 0 || interleave !== 'none';
  const elementStrides = box.map((_, d) => (hasStep(d) && rng.chance(0.3) ? 1 + rng.below(3) : 1));
  // The hardware also writes the padding of a row up to 16 bytes, so rows of stores have none.
  const step = isStore && interleave === 'none' ? strideUnit / size : 1;
  const sizes = box.map((count, d) => {
    const most = 1 + Math.ceil((d === 0 && interleave !== 'none' ? 4 : count) * 1.5);
    return d === 0 ? step * (1 + rng.below(Math.ceil(most / step))) : 1 + rng.below(most);
  });
  const unit = interleave === 'none' ? strideUnit : sliceBytes[interleave];
  const strides: number[] = [];
  let bytes = at(sizes, 0, 'a size') * (interleave === 'none' ? size : unit);
  for (const count of sizes.slice(1)) {
    bytes = Math.ceil(bytes / unit) * unit + (rng.chance(0.3) ? unit * rng.below(3) : 0);
    strides.push(bytes);
    bytes *= count;
  }
  const fill = /^[us]/.test(type) || rng.chance(0.5) ? 'zeros' : 'nan';
  const layout: TensorLayout = { type, sizes, strides, elementStrides, interleave, swizzle, fill };
  const map: TensorMap = mode === 'tile' ? { ...layout, box } : { ...layout, im2col: drawPixels(limits, row, rng) };
  const fields = fieldsOf(map);
  if (fields === undefined) return undefined;
  const { rows, rowBytes, pitch } = boxShape(fields);
  const place = boxAlign * rng.below(8);
  if (bytes > tensorBytes || place + rows * pitch > tileBytes) return undefined;
  const coordinates = sizes.map((count, d) => {
    const chunk = d === 0 && interleave === 'none' ? strideUnit / size : 1;
    const least = isStore ? 0 : -at(box, d, 'a size of a box');
    return Math.trunc((least + rng.below(count - least + 1)) / chunk) * chunk;
  });
  const copy = { map: withDefaults(map), fields, coordinates, offsets: [], place, bytes: rows * rowBytes };
  return fields.shape.mode === 'tile' ? copy : atPixel(copy, fields.shape, isStore, rng);
}

/** Draws the pixels of a map. The bounding box of a store is part of the tensor. */
function drawPixels({ rank, isStore }: BoxLimits, channels: number, rng: Random): PixelBox {
  const corners = (least: number, most: number) =>
    Array.from({ length: rank - 2 }, () => least + rng.below(most - least + 1));
  const lower = isStore ? corners(0, 1) : corners(-2, 2);
  return { lower, upper: isStore ? corners(-1, 0) : corners(-2, 2), channels, pixels: 1 + rng.below(24) };
}

/** Returns the decoded map; undefined if the driver would reject it. */
function fieldsOf(map: TensorMap): TensorMapFields | undefined {
  try {
    const fields = tensorMapFields(encodeTensorMap(map, 0n));
    return typeof fields === 'string' ? undefined : fields;
  } catch (error) {
    if (error instanceof TensorMapError) return undefined;
    throw error;
  }
}

/**
 * Returns the copy with a first pixel in the bounding box, and with offsets; undefined if the
 * bounding box is empty.
 */
function atPixel(copy: BoxCopy, shape: PixelShape, isStore: boolean, rng: Random): BoxCopy | undefined {
  const coordinates = [...copy.coordinates];
  const bounds = pixelBounds(copy.fields, shape);
  for (const [index, d] of spatialDimensions(copy.fields).entries()) {
    const [least, most] = at(bounds, index, 'a bound');
    if (most < least) return undefined;
    coordinates[d] = least + rng.below(most - least + 1);
  }
  return { ...copy, coordinates, offsets: isStore ? [] : bounds.map(() => rng.below(4)) };
}

export const allTypes: readonly TensorType[] = tensorTypes;

const typesOf = (op: string | undefined): readonly TensorType[] =>
  op === undefined ? allTypes : get(tensorReductions, op, 'the types of a reduction');
