// Determines when warp instructions execute, and with which lanes.
//
// A `.sync` instruction executes when every live lane of its membermask waits at an instruction
// with the same qualifiers and the same mask. The program counters may differ, so both arms of a
// branch can meet.
//
// An instruction without `.sync` executes when no other lane of the warp can advance. It executes
// with all lanes that wait at that instruction with the same call stack. If lanes wait at several
// such instructions, the first to execute is the instruction from which control reaches the others.
// In a loop with such instructions, lanes also wait for each other between iterations.
import { turnRank } from '../../../base/loop-order.ts';
import { laneNames } from '../state/findings.ts';
import { type Frame, lowestLane, popcount } from '../state/frame.ts';
import type { Op, Warp, WarpWork } from '../state/state.ts';
import { callsOf } from './call.ts';
import { executeWarpOp } from './warp-op.ts';

/**
 * Handles the arrival of a group's lanes at a warp instruction. Returns the next program counter if
 * the instruction was executed at once, and otherwise -1.
 */
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
      // The behavior is undefined. This lane does not wait, and no other lane waits for it.
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
  if (lanes === group && warp.live === lanes && areCalledTogether(warp, lanes)) {
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

/**
 * Finds the lanes that have branched from instruction `from` back to the head of a loop, and makes
 * them wait until no other lane can advance.
 */
export function takeTurns(warp: Warp, lanes: number, from: number): void {
  const { turns } = warp.machine.program;
  if (turns === undefined) return;
  for (let m = lanes & warp.runnable; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    const rank = turnRank(turns, from, warp.pc[lane] ?? 0);
    if (rank === undefined) continue;
    warp.turn[lane] = rank;
    warp.atConverge |= 1 << lane;
    warp.runnable &= ~(1 << lane);
  }
}

/** Returns the lanes that wait with the same key and membermask as `lane`, including `lane`. */
export function syncGroup(warp: Warp, lane: number): number {
  let group = 0;
  for (let m = warp.atSync; m !== 0; m &= m - 1) {
    const other = lowestLane(m);
    if (warp.syncKey[other] === warp.syncKey[lane] && warp.syncMask[other] === warp.syncMask[lane]) group |= 1 << other;
  }
  return group;
}

/** Executes every `.sync` instruction whose lanes have all arrived or exited. */
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

/**
 * Returns the position of a waiting lane in the order of execution: the ranks of its active calls,
 * ordered from the outermost, and the rank of the instruction at which it waits. Each call has a
 * separate position, as if the function were inlined.
 */
function placeOf(warp: Warp, lane: number): readonly number[] {
  const { turns } = warp.machine.program;
  const rankOf = (pc: number) => turns?.ranks[pc] ?? pc;
  const turn = warp.turn[lane] ?? -1;
  const own = turn >= 0 ? turn : rankOf(warp.pc[lane] ?? 0);
  return (warp.depth[lane] ?? 0) === 0 ? [own] : [...callsOf(warp, lane).map(rankOf), own];
}

/**
 * Returns a negative number if lanes at `a` execute before lanes at `b`, and 0 if they execute
 * together.
 */
function comparePlaces(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? -1) - (b[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Returns the waiting lanes that execute first. */
function firstOf(warp: Warp, lanes: number): number {
  let first: readonly number[] = [];
  let group = 0;
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    const place = placeOf(warp, lane);
    const order = group === 0 ? -1 : comparePlaces(place, first);
    if (order === 0) group |= 1 << lane;
    else if (order < 0) {
      first = place;
      group = 1 << lane;
    }
  }
  return group;
}

const areCalledTogether = (warp: Warp, lanes: number): boolean =>
  (warp.depth[lowestLane(lanes)] ?? 0) === 0 || firstOf(warp, lanes) === lanes;

/**
 * Resumes the group of lanes without `.sync` that executes first: these lanes execute their
 * instruction, or the next iteration.
 */
export function releaseConverged(warp: Warp): void {
  const group = firstOf(warp, warp.atConverge);
  warp.atConverge &= ~group;
  if ((warp.turn[lowestLane(group)] ?? -1) >= 0) {
    for (let m = group; m !== 0; m &= m - 1) warp.turn[lowestLane(m)] = -1;
    warp.runnable |= group;
    return;
  }
  const from = warp.pc[lowestLane(group)] ?? 0;
  executeWarpOp(warp, group);
  resume(warp, group);
  takeTurns(warp, group, from);
}

/** Describes why a lane waits at a `.sync` instruction, for a deadlock report. */
export function describeWait(warp: Warp, lane: number): string {
  const group = syncGroup(warp, lane);
  const mask = warp.syncMask[lane] ?? 0;
  const missing = mask & warp.live & ~group;
  const text = `0x${(mask >>> 0).toString(16).padStart(8, '0')}`;
  const waits = popcount(group) === 1 ? 'waits' : 'wait';
  return `${laneNames(group)} of warp ${warp.index} ${waits} here, membermask ${text}, for ${laneNames(missing)}`;
}
