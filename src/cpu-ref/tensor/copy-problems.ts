// The conditions that a copy of a box must meet. For most of them, the manual has no sentence: an H200
// stops with an illegal instruction.
import { at, get } from '../../base/invariants.ts';
import { cornerBits, elementBytes, type MapMode } from '../../base/tensor-map-fields.ts';
import { tensorReductions } from '../../base/tensor-reductions.ts';
import { chunkBytes, pixelBounds, spatialDimensions } from './box.ts';
import type { PixelShape, TensorMapFields } from './tensor-map.ts';

/** A copy to or from a box. */
export interface BoxCopy {
  readonly mode: MapMode;
  readonly coordinates: readonly number[];
  /** The offsets of a load in im2col mode. */
  readonly offsets: readonly number[];
  readonly isStore: boolean;
  /** The operation of a reduction. */
  readonly op?: string | undefined;
}

/** Returns the reason why the map does not allow the copy. */
export function copyProblem(map: TensorMapFields, copy: BoxCopy): string | undefined {
  const { mode, coordinates, isStore, op } = copy;
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
  return shape.mode === 'im2col' ? pixelProblem(map, shape, copy) : undefined;
}

function pixelProblem(map: TensorMapFields, shape: PixelShape, copy: BoxCopy): string | undefined {
  const { coordinates, offsets, isStore } = copy;
  if (isStore && (shape.lower.some((corner) => corner < 0) || shape.upper.some((corner) => corner > 0)))
    return 'a store with a tensor map whose bounding box exceeds the tensor';
  const bounds = pixelBounds(map, shape);
  const most = 2 ** at(cornerBits, bounds.length - 1, 'the bits of an offset') - 1;
  if (offsets.some((offset) => offset > most))
    return `pixels with the offsets ${offsets.join(', ')}: expected at most ${most}`;
  for (const [index, d] of spatialDimensions(map).entries()) {
    const [first, last] = at(bounds, index, 'a bound');
    const place = at(coordinates, d, 'a coordinate');
    if (place < first || place > last)
      return `a pixel outside of the bounding box: coordinate ${d} is ${place}, expected ${first} to ${last}`;
  }
  return undefined;
}
