// Executes instructions on mbarrier objects.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-mbarrier
import type { Access } from '../memory/access.ts';
import type { Destination, Source } from '../memory/layout.ts';
import { nothingReleased, type Released } from '../state/clocks.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import { Mbarrier, mostArrivals } from '../state/mbarrier.ts';
import type { Exec, Look, Warp } from '../state/state.ts';
import { finishCopy } from './copy-op.ts';
import { inspect, type Located, locate, nowhere, ownerOf } from './locate.ts';

/** The operation of one lane on its mbarrier object. */
type Step = (lane: LaneStep) => void;

export interface LaneStep {
  readonly warp: Warp;
  readonly frame: Frame;
  readonly lane: number;
  readonly object: Mbarrier;
  readonly at: Located;
  /** Returns the knowledge that the thread's operation releases. */
  readonly release: () => Released;
  readonly complain: (what: string) => void;
}

/**
 * Returns a function that executes `step` for each lane, one after another, with the mbarrier
 * object at the lane's address. It reports an address without an object. `isInspected`: whether the
 * race detector inspects the access.
 */
export function mbarrierExec(access: Access, step: Step, isInspected = true): Exec {
  const at = nowhere();
  return (warp, frame, lanes) => {
    for (let m = lanes; m !== 0; ) {
      const lane = warp.machine.shuffles ? 31 - Math.clz32(m) : lowestLane(m);
      m &= ~(1 << lane);
      if (!locate(warp, frame, lane, access, at)) continue;
      if (warp.machine.sanitize && isInspected) inspect(warp, lane, access, at);
      const complain = (what: string): void => {
        warp.machine.log.add('RUN021', access.span, warp.place(1 << lane), () => what, { variant: what });
      };
      const object = at.region.space === 'shared' ? ownerOf(warp, at.region).mbarriers.get(at.offset) : undefined;
      if (object === undefined) {
        complain('no mbarrier at this address: it was not initialized, or it was invalidated');
        continue;
      }
      const release = () => warp.block.clocks?.release(warp.firstThread + lane, access.releases) ?? nothingReleased;
      step({ warp, frame, lane, object, at, release, complain });
    }
  };
}

/** Returns the executor of `mbarrier.init`; without a count, that of `mbarrier.inval`. */
export function lifeExec(access: Access, count: Source | undefined): Exec {
  const at = nowhere();
  return (warp, frame, lanes) => {
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      if (!locate(warp, frame, lane, access, at)) continue;
      if (warp.machine.sanitize) inspect(warp, lane, access, at);
      // The bytes of an mbarrier object are opaque, so they are undefined for loads.
      at.region.noteStore(at.offset, access.bytes, true, warp.firstGlobalThread + lane);
      const { mbarriers } = ownerOf(warp, at.region);
      if (count === undefined) {
        mbarriers.delete(at.offset);
        continue;
      }
      const expected = frame.wordOf(count, lane);
      mbarriers.set(at.offset, new Mbarrier(expected));
      if (expected > 0 && expected <= mostArrivals) continue;
      warp.machine.log.add('RUN021', access.span, warp.place(1 << lane), () => {
        return `invalid arrival count ${expected} of an mbarrier: expected 1 to ${mostArrivals}`;
      });
    }
  };
}

export interface ArrivalWork {
  readonly destination: Destination | undefined;
  readonly count: Source | undefined;
  readonly bytes: Source | undefined;
  readonly drops: boolean;
}

/**
 * Returns the `state` operand for an object, which contains its phase and its number of pending
 * arrivals.
 */
const stateOf = ({ phase, pending }: Mbarrier): bigint => (BigInt(phase) << 32n) | BigInt(pending);
export const phaseOf = (state: bigint): bigint => state >> 32n;
export const pendingOf = (state: bigint): number => Number(state & 0xffff_ffffn);

const tooMany = (object: Mbarrier, count: number): string =>
  `${count} arrivals at an mbarrier whose phase expects ${object.pending} more`;

export function arrivalExec(access: Access, { destination, count, bytes, drops }: ArrivalWork): Exec {
  const exec = mbarrierExec(access, ({ frame, lane, object, release, complain }) => {
    const arrivals = count === undefined ? 1 : frame.wordOf(count, lane);
    const before = stateOf(object);
    if (bytes !== undefined && !object.expectBytes(frame.wordOf(bytes, lane)))
      complain('an mbarrier expects too many bytes');
    if (drops) object.drop(arrivals);
    const said = tooMany(object, arrivals);
    if (arrivals === 0 || !object.arrive(arrivals, release())) complain(said);
    if (destination !== undefined) frame.writeWide(destination, lane, before);
  });
  return (warp, frame, lanes) => {
    exec(warp, frame, lanes);
    frame.mark(destination, lanes, 0);
  };
}

/** Returns the executor of `mbarrier.expect_tx`; with `sign` -1, that of `mbarrier.complete_tx`. */
export function bytesExec(access: Access, bytes: Source, sign: 1 | -1): Exec {
  return mbarrierExec(access, ({ frame, lane, object, complain }) => {
    if (!object.expectBytes(sign * frame.wordOf(bytes, lane))) complain('an mbarrier counts too many bytes');
  });
}

/**
 * Returns the executor of a test whether the phase in `source` is complete. A lane for which the
 * phase is complete is ordered after all releases in the phase. The `Look` returns the lanes for
 * which the phase is complete.
 */
export function testExec(
  access: Access,
  destination: Destination | undefined,
  source: Source,
  isPast: (object: Mbarrier, asked: bigint) => boolean,
  acquires: boolean,
): Look {
  let seen = 0;
  const look = ({ warp, frame, lane, object, at }: LaneStep): void => {
    object.catchUp();
    const complete = isPast(object, frame.wideOf(source, lane));
    if (destination !== undefined) frame.writeWord(destination, lane, complete ? 1 : 0);
    if (!complete) return;
    seen |= 1 << lane;
    if (warp.machine.sanitize) inspect(warp, lane, access, at);
    const thread = warp.firstThread + lane;
    if (acquires) warp.block.clocks?.acquire(thread, object.released);
    else warp.block.clocks?.see(thread, object.released);
  };
  const exec = mbarrierExec(access, look, false);
  return (warp, frame, lanes) => {
    seen = 0;
    exec(warp, frame, lanes);
    frame.mark(destination, lanes, frame.undefinedLanes([source]));
    return seen;
  };
}

/**
 * Returns the executor of an arrival that occurs when all copies that the thread has started are
 * complete.
 */
export function copyArrivalExec(access: Access, isExpected: boolean): Exec {
  return mbarrierExec(access, ({ warp, lane, object, complain }) => {
    const { copies, clocks } = warp.block;
    const thread = warp.firstThread + lane;
    const mine = copies.ofThread(thread);
    if (!isExpected) object.expectArrival();
    const released = clocks?.release(thread, true) ?? nothingReleased;
    object.later({
      finish: () => {
        for (const copy of mine.filter((each) => copies.isPending(each))) {
          copies.end(copy);
          finishCopy(warp.block.firstGlobalThread, copy);
        }
        const said = tooMany(object, 1);
        if (!object.arrive(1, released)) complain(said);
      },
    });
  });
}
