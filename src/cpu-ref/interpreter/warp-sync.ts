// When warp instructions execute, and with which lanes.
//
// A .sync instruction waits until every lane of its membermask that has not exited waits at an instruction with the same qualifiers and the
// same mask; program counters do not matter, so both arms of a branch can meet. One without .sync executes with all lanes that stand at
// that very instruction, in calls from the same places, once no other lane of the warp can move.
import { firstCalled } from './call.ts';
import { laneNames } from './findings.ts';
import { type Frame, lowestLane, popcount } from './frame.ts';
import type { Op, Warp, WarpWork } from './state.ts';
import { executeWarpOp } from './warp-op.ts';

/// Lanes of a group come to a warp instruction. Gives the next program counter when it could execute at once, else -1.
export function arriveAtWarpOp(
  warp: Warp,
  op: Op,
  work: WarpWork,
  frame: Frame,
  group: number,
  lanes: number,
  pc: number,
): number {
  if (work.membermask === undefined) return arriveUnsynchronized(warp, lanes, group, pc);
  const firstMask = frame.wordOf(work.membermask, lowestLane(lanes)) | 0;
  let uniform = true;
  for (let m = lanes & (lanes - 1); m !== 0 && uniform; m &= m - 1) {
    uniform = (frame.wordOf(work.membermask, lowestLane(m)) | 0) === firstMask;
  }
  if (uniform && (lanes & ~firstMask) === 0 && (firstMask & warp.live & ~lanes) === 0) {
    warp.setPc(lanes, pc);
    executeWarpOp(warp, lanes);
    return pc + 1;
  }
  warp.setPc(lanes, pc);
  wait(warp, op, work, frame, lanes);
  releaseSync(warp);
  return -1;
}

function wait(warp: Warp, op: Op, work: WarpWork, frame: Frame, lanes: number): void {
  const { membermask } = work;
  if (membermask === undefined) return;
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    const bit = 1 << lane;
    const mask = frame.wordOf(membermask, lane) | 0;
    if ((mask & bit) === 0) {
      // Undefined behaviour: it waits for nobody and nobody waits for it.
      warp.machine.log.add('RUN001', op.span, warp.place(bit), () => {
        return `lane ${lane} is not named in its own membermask 0x${(mask >>> 0).toString(16).padStart(8, '0')}`;
      });
      executeWarpOp(warp, bit);
      warp.pc[lane] = (warp.pc[lane] ?? 0) + 1;
      continue;
    }
    warp.syncKey[lane] = work.key;
    warp.syncMask[lane] = mask;
    warp.atSync |= bit;
    warp.runnable &= ~bit;
  }
}

function arriveUnsynchronized(warp: Warp, lanes: number, group: number, pc: number): number {
  warp.setPc(lanes, pc);
  if (lanes === group && warp.live === lanes && firstCalled(warp, lanes) === lanes) {
    executeWarpOp(warp, lanes);
    return pc + 1;
  }
  warp.atConverge |= lanes;
  warp.runnable &= ~lanes;
  return -1;
}

function resume(warp: Warp, lanes: number): void {
  warp.runnable |= lanes;
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    warp.pc[lane] = (warp.pc[lane] ?? 0) + 1;
  }
}

/// The lanes that wait for the same thing as `lane` does, itself included.
export function syncGroup(warp: Warp, lane: number): number {
  let group = 0;
  for (let m = warp.atSync; m !== 0; m &= m - 1) {
    const other = lowestLane(m);
    if (warp.syncKey[other] === warp.syncKey[lane] && warp.syncMask[other] === warp.syncMask[lane]) group |= 1 << other;
  }
  return group;
}

/// Executes every .sync instruction whose lanes have all come (or exited).
export function releaseSync(warp: Warp): void {
  let unseen = warp.atSync;
  while (unseen !== 0) {
    const lane = lowestLane(unseen);
    const group = syncGroup(warp, lane);
    unseen &= ~group;
    const mask = warp.syncMask[lane] ?? 0;
    if ((mask & warp.live & ~group) !== 0) continue;
    warp.atSync &= ~group;
    executeWarpOp(warp, group);
    resume(warp, group);
  }
}

/// Executes the lowest instruction that lanes without .sync wait at, with all lanes that stand at it.
export function releaseConverged(warp: Warp): void {
  let group = 0;
  let pc = Number.POSITIVE_INFINITY;
  let depth = -1;
  for (let m = warp.atConverge; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    const lanePc = warp.pc[lane] ?? 0;
    const laneDepth = warp.depth[lane] ?? 0;
    if (laneDepth > depth || (laneDepth === depth && lanePc < pc)) {
      group = 1 << lane;
      pc = lanePc;
      depth = laneDepth;
    } else if (laneDepth === depth && lanePc === pc) group |= 1 << lane;
  }
  group = firstCalled(warp, group);
  warp.atConverge &= ~group;
  executeWarpOp(warp, group);
  resume(warp, group);
}

/// Why a lane waits at a .sync instruction, for a deadlock report.
export function describeWait(warp: Warp, lane: number): string {
  const group = syncGroup(warp, lane);
  const mask = warp.syncMask[lane] ?? 0;
  const missing = mask & warp.live & ~group;
  const text = `0x${(mask >>> 0).toString(16).padStart(8, '0')}`;
  const waits = popcount(group) === 1 ? 'waits' : 'wait';
  return `${laneNames(group)} of warp ${warp.index} ${waits} here, membermask ${text}, for ${laneNames(missing)}`;
}
