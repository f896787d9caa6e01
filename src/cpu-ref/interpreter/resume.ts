// How lanes leave an instruction at which they may have waited.
import { lowestLane } from './state/frame.ts';
import type { Warp } from './state/state.ts';

/** Moves lanes to the next instruction. */
export function goOn(warp: Warp, lanes: number): void {
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    warp.pc[lane] = (warp.pc[lane] ?? 0) + 1;
  }
}

/** Ends the wait of lanes at a barrier. */
export function resume(warp: Warp, lanes: number): void {
  goOn(warp, lanes);
  warp.atBarrier &= ~lanes;
  warp.runnable |= lanes;
}
