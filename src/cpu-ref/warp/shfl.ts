// The instructions `shfl.sync` and `shfl`.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl
import { warpSize } from '../../isa/index.ts';
import type { WarpFunction, WarpResult, WarpState } from '../types.ts';
import { bitOf, chosen, has, wordsOf } from './lanes.ts';

export type ShflMode = 'up' | 'down' | 'bfly' | 'idx';

export const shflModes: Readonly<Record<ShflMode, ShflMode>> = { up: 'up', down: 'down', bfly: 'bfly', idx: 'idx' };

export function isShflMode(text: string | undefined): text is ShflMode {
  return text !== undefined && Object.hasOwn(shflModes, text);
}

/**
 * The bit that `shflSource` sets if the computed source lane is in range. This is the destination
 * predicate.
 */
export const inRange = 0x80;

/**
 * Returns the source lane of a lane in bits 4:0, and the predicate in bit 7. If the computed lane
 * is out of range, the source is the lane itself. As in the manual's pseudocode, only `b[4:0]`,
 * `c[4:0]` and `c[12:8]` are used, and `j` is signed.
 */
export function shflSource(mode: ShflMode, lane: number, b: number, c: number): number {
  const bval = b & 0x1f;
  const cval = c & 0x1f;
  const segmask = (c >>> 8) & 0x1f;
  const maxLane = (lane & segmask) | (cval & ~segmask);
  const minLane = lane & segmask;
  let j: number;
  let pval: boolean;
  switch (mode) {
    case 'up':
      j = lane - bval;
      pval = j >= maxLane;
      break;
    case 'down':
      j = lane + bval;
      pval = j <= maxLane;
      break;
    case 'bfly':
      j = lane ^ bval;
      pval = j <= maxLane;
      break;
    case 'idx':
      j = minLane | (bval & ~segmask);
      pval = j <= maxLane;
      break;
  }
  return pval ? j | inRange : lane;
}

/**
 * Stores `shflSource` of the 32 lanes of a warp in `sources` (32 bytes). Does not allocate memory,
 * for exhaustive validation.
 */
export function shflInto(mode: ShflMode, b: Uint32Array, c: Uint32Array, sources: Uint8Array): void {
  for (let lane = 0; lane < warpSize; lane++) sources[lane] = shflSource(mode, lane, b[lane] ?? 0, c[lane] ?? 0);
}

/**
 * Executes a shuffle. `isSource(lane, j)`: whether `lane` may read from another lane `j`; both
 * lanes are active.
 */
function shuffle(
  mode: ShflMode,
  warp: WarpState,
  members: number,
  isSource: (lane: number, j: number) => boolean,
): WarpResult {
  const d = new Uint32Array(warpSize);
  const p = new Uint8Array(warpSize);
  let defined = 0;
  const [a, b, c] = [wordsOf(warp, 'a'), wordsOf(warp, 'b'), wordsOf(warp, 'c')];
  for (let lane = 0; lane < warpSize; lane++) {
    if (!has(warp.active, lane)) continue;
    const source = shflSource(mode, lane, b(lane), c(lane));
    const j = source & 0x1f;
    const sourceIsActive = has(warp.active, j);
    // PTX leaves these results undefined. On an H200, an exited or diverged source lane reads as 0,
    // and a source lane with another membermask reads as its value.
    d[lane] = sourceIsActive ? a(j) : 0;
    p[lane] = source & inRange ? 1 : 0;
    if (j === lane || (sourceIsActive && isSource(lane, j))) defined |= bitOf(lane);
  }
  return { results: { d, p }, defined: { d: (defined & members) >>> 0, p: members } };
}

/**
 * Executes `shfl.sync`. "Results are undefined if a thread sources a register from an inactive
 * thread or a thread that is not in membermask." A thread with another membermask belongs to
 * another exchange, so reading from it is also undefined. The result of a thread outside of its own
 * membermask is undefined, but the members' results from each other are defined, as on an H200.
 */
const shflSync: WarpFunction = (mods, warp) => {
  const membermask = wordsOf(warp, 'membermask');
  let members = 0;
  for (let lane = 0; lane < warpSize; lane++)
    if (has(warp.active, lane) && has(membermask(lane), lane)) members |= bitOf(lane);
  return shuffle(
    chosen(shflModes, mods, 'mode'),
    warp,
    members >>> 0,
    (lane, j) => has(membermask(lane), j) && membermask(j) === membermask(lane),
  );
};

/**
 * Executes `shfl`. "Results are undefined in divergent control flow within a warp, if an active
 * thread sources a register from an inactive thread."
 */
const shfl: WarpFunction = (mods, warp) => shuffle(chosen(shflModes, mods, 'mode'), warp, warp.active, () => true);

export const shflFunctions = { 'shfl.sync': shflSync, shfl } satisfies Record<string, WarpFunction>;
