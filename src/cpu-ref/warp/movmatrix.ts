// The instruction `movmatrix`.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-movmatrix
import { warpSize } from '../../isa/index.ts';
import type { UndefinedFunction, WarpFunction } from '../types.ts';
import { has, wordOf } from './lanes.ts';

/**
 * Returns the lane and the half of its register that contain an element. Lane 4r + t contains
 * columns 2t and 2t + 1 of row r; the first of these is in the low half.
 */
const holderOf = (row: number, column: number) => ({ lane: 4 * row + (column >> 1), half: column & 1 });

/** Returns the lanes and halves of the two elements that a lane receives. */
const sourcesOf = (lane: number) => {
  const [row, column] = [lane >> 2, 2 * (lane & 3)];
  return [holderOf(column, row), holderOf(column + 1, row)] as const;
};

/** Transposes a matrix. If a lane does not participate, all results are undefined. */
export const transposeMatrix: WarpFunction = (_, warp) => {
  const d = new Uint32Array(warpSize);
  const halfOf = ({ lane, half }: ReturnType<typeof holderOf>) => (wordOf(warp, 'a', lane) >>> (16 * half)) & 0xffff;
  for (let lane = 0; lane < warpSize; lane++) {
    const [low, high] = sourcesOf(lane);
    d[lane] = halfOf(low) | (halfOf(high) << 16);
  }
  return { results: { d }, defined: { d: warp.active === 0xffff_ffff ? warp.active : 0 } };
};

export const undefinedTransposed: UndefinedFunction = (_mods, _warp, { a = 0 }) => {
  let d = 0;
  for (let lane = 0; lane < warpSize; lane++) {
    if (sourcesOf(lane).some((source) => has(a, source.lane))) d |= 1 << lane;
  }
  return { d };
};
