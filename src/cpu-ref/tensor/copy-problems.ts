// The conditions that a copy of a box must meet. For most of them, the manual has no sentence: an H200
// stops with an illegal instruction.
import { at, get } from '../../base/invariants.ts';
import { elementBytes, type MapMode } from '../../base/tensor-map-fields.ts';
import { tensorReductions } from '../../base/tensor-reductions.ts';
import { chunkBytes, pixelBounds, spatialDimensions } from './box.ts';
import type { PixelShape, TensorMapFields } from './tensor-map.ts';

/** A copy to or from a box. */
export interface BoxCopy {
  readonly mode: MapMode;
  readonly coordinates: readonly number[];
  readonly isStore: boolean;
  /** The operation of a reduction. */
  readonly op?: string | undefined;
}

/** Returns the reason why the map does not allow the copy. */
export function copyProblem(map: TensorMapFields, { mode, coordinates, isStore, op }: BoxCopy): string | undefined {
  const { type, sizes, shape, interleave } = map;
  if (shape.mode !== mode) return `a copy in ${mode} mode with a tensor map in ${shape.mode} mode`;
  if (sizes.length !== coordinates.length)
    return `a copy of ${coordinates.length} dimensions with a tensor map of ${sizes.length}`;
  if (op !== undefined && !get(tensorReductions, op, 'the types of a reduction').includes(type))
    return `a reduction \`.${op}\` of elements of \`.${type}\`, which is not supported`;
  const first = at(coordinates, 0, 'the first coordinate') * elementBytes[type];
  if (interleave === 'none' && first % chunkBytes !== 0)
    return `a box that starts at byte ${first} of a row of its tensor: expected a multiple of ${chunkBytes}`;
  if (isStore && coordinates.some((coordinate) => coordinate < 0))
    return `a store to the coordinates ${coordinates.join(', ')}: expected none below 0`;
  return shape.mode === 'im2col' ? pixelProblem(map, shape, coordinates, isStore) : undefined;
}

function pixelProblem(
  map: TensorMapFields,
  shape: PixelShape,
  coordinates: readonly number[],
  isStore: boolean,
): string | undefined {
  if (isStore && [...shape.lower, ...shape.upper].some((corner) => corner !== 0))
    return 'a store with a tensor map whose bounding box is not the tensor';
  const bounds = pixelBounds(map, shape);
  for (const [index, d] of spatialDimensions(map).entries()) {
    const [least, most] = at(bounds, index, 'a bound');
    const place = at(coordinates, d, 'a coordinate');
    if (place < least || place > most)
      return `a pixel outside of the bounding box: coordinate ${d} is ${place}, expected ${least} to ${most}`;
  }
  return undefined;
}
