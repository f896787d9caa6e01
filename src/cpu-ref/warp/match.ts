// The instruction `match.sync`.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-match-sync
import { warpSize } from '../../isa/index.ts';
import type { WarpFunction, WarpState } from '../types.ts';
import { bitOf, has, lanesOf, sourceOf, syncGroups } from './lanes.ts';

/** Returns a mask of the `members` whose `a` equals the `a` of `lane`. */
function equalTo(warp: WarpState, lane: number, members: number): number {
  const values = warp.sources.a;
  const own = sourceOf(warp, 'a', lane);
  let mask = 0;
  for (let other = 0; other < warpSize; other++) {
    if (!has(members, other)) continue;
    // If two elements are equal before zero-extension, they are also equal after it, so zero-extend
    // only the others.
    if (values?.[other] === own || sourceOf(warp, 'a', other) === own) mask |= bitOf(other);
  }
  return mask >>> 0;
}

/** Returns the mask of the non-exited threads in membermask whose `a` equals this thread's. */
const matchAny: WarpFunction = (_, warp) => {
  const d = new Uint32Array(warpSize);
  let defined = 0;
  for (const { lanes, members, complete } of syncGroups(warp)) {
    for (const lane of lanesOf(lanes)) d[lane] = equalTo(warp, lane, members);
    if (complete) defined |= members;
  }
  return { results: { d }, defined: { d: defined >>> 0 } };
};

/**
 * Returns `d` and `p`. If all non-exited threads in membermask have the same `a`, `d` is the mask
 * of these threads and `p` is true. Otherwise, `d` is 0 and `p` is false.
 */
const matchAll: WarpFunction = (_, warp) => {
  const d = new Uint32Array(warpSize);
  const p = new Uint8Array(warpSize);
  let defined = 0;
  for (const { lanes, members, complete } of syncGroups(warp)) {
    for (const lane of lanesOf(lanes)) {
      const allEqual = equalTo(warp, lane, members) === members;
      d[lane] = allEqual ? members : 0;
      p[lane] = allEqual ? 1 : 0;
    }
    if (complete) defined |= members;
  }
  return { results: { d, p }, defined: { d: defined >>> 0, p: defined >>> 0 } };
};

export const matchFunctions = { 'match.any.sync': matchAny, 'match.all.sync': matchAll } satisfies Record<
  string,
  WarpFunction
>;
