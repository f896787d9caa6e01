// The instructions `activemask`, `elect.sync` and `bar.warp.sync`.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-activemask
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-elect-sync
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-bar-warp-sync
import { warpSize } from '../../isa/index.ts';
import type { WarpFunction } from '../types.ts';
import { activeGroups, everyLaneGets, lanesOf, syncGroups } from './lanes.ts';

/**
 * Returns the mask of active lanes: "1 for an active and predicated-on thread, 0 for an exited,
 * inactive or predicated-off one."
 */
const activemask: WarpFunction = (_, warp) => everyLaneGets(activeGroups(warp), (active) => active);

/**
 * Elects a leader: `d` is the laneid of the leader, and `p` is true only in the leader. "The
 * election is deterministic", but the manual leaves the choice to the implementation. The reference
 * elects the lowest member, as on an H200.
 */
const elect: WarpFunction = (_, warp) => {
  const d = new Uint32Array(warpSize);
  const p = new Uint8Array(warpSize);
  let defined = 0;
  for (const { lanes, members, complete } of syncGroups(warp)) {
    const [leader] = lanesOf(members);
    for (const lane of lanesOf(lanes)) {
      d[lane] = leader ?? 0;
      p[lane] = lane === leader ? 1 : 0;
    }
    if (complete) defined |= members;
  }
  return { results: { d, p }, defined: { d: defined >>> 0, p: defined >>> 0 } };
};

/** Returns no results. The caller makes the lanes wait. */
const barWarpSync: WarpFunction = () => ({ results: {}, defined: {} });

export const activeFunctions = { activemask, 'elect.sync': elect, 'bar.warp.sync': barWarpSync } satisfies Record<
  string,
  WarpFunction
>;
