// Bulk copies: one thread starts a copy whose size is a multiple of 16 bytes. An mbarrier or a bulk
// group of the thread tracks the completion.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async-bulk
import type { Access } from '../memory/access.ts';
import type { Source } from '../memory/layout.ts';
import type { Region } from '../memory/region.ts';
import { nothingReleased } from '../state/clocks.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Combine, Copy } from '../state/pending-copies.ts';
import type { Exec, Warp } from '../state/state.ts';
import { finishPending } from './copy-op.ts';
import { inspect, locate, nowhere } from './locate.ts';
import { mbarrierExec } from './mbarrier-op.ts';
import { reportUnfenced } from './proxy-check.ts';
import { receiversOf } from './receivers.ts';

const unit = 16;

export interface BulkWork {
  readonly to: Access;
  readonly from: Access;
  readonly size: Source;
  /** The reduction of each element; undefined for a plain copy. */
  readonly combine?: Combine;
  /** The blocks of the cluster to which a multicast writes, as bits. */
  readonly mask?: Source | undefined;
}

/**
 * Returns the copy to perform later, or undefined if its size is 0 or its target is invalid.
 * `receiver`: the shared memory of another block that receives the bytes at the same place.
 */
function begin(
  { to, from, size, combine }: BulkWork,
  warp: Warp,
  frame: Frame,
  lane: number,
  receiver?: Region,
): Copy | undefined {
  const bytes = frame.wordOf(size, lane);
  if (bytes === 0) return undefined;
  if (bytes % unit !== 0) {
    const message = () => `bulk copy of ${bytes} bytes: expected a multiple of ${unit}`;
    warp.machine.log.add('RUN009', to.span, warp.place(1 << lane), message);
  }
  const source = nowhere();
  const target = nowhere();
  const read = { ...from, bytes, align: unit };
  const access = { ...to, bytes, align: unit };
  const isRead = locate(warp, frame, lane, read, source);
  if (!locate(warp, frame, lane, access, target)) return undefined;
  if (receiver !== undefined) target.region = receiver;
  if (warp.machine.sanitize) {
    if (isRead) {
      inspect(warp, lane, read, source);
      reportUnfenced(warp, lane, read, source.region, [{ offset: source.offset, bytes }]);
    }
    inspect(warp, lane, access, target);
  }
  if (combine === undefined) target.region.noteStore(target.offset, bytes, true, warp.firstGlobalThread + lane);
  const place = { to: target.region, offset: target.offset, fromOffset: source.offset };
  const thread = warp.firstThread + lane;
  return { thread, access, ...place, from: isRead ? source.region : undefined, taken: bytes, isLost: !isRead, combine };
}

/** Returns a function that starts a copy whose completion an mbarrier tracks. */
export function bulkToBarrier(work: BulkWork, object: Access): Exec {
  return mbarrierExec(object, (step) => {
    const { warp, frame, lane, complain } = step;
    const { copies, clocks } = warp.block;
    const bytes = frame.wordOf(work.size, lane);
    for (const { region, mbarrier } of receiversOf(work.mask, work.to.span, warp.block.shared, step)) {
      const copy = begin(work, warp, frame, lane, work.mask && region);
      if (copy !== undefined) copies.begin(copy, undefined);
      const released = clocks?.release(warp.firstThread + lane, true) ?? nothingReleased;
      mbarrier.later({
        finish: () => {
          if (copy !== undefined) finishPending(warp.block, copy);
          if (!mbarrier.expectBytes(-bytes, released)) complain('more bytes arrive at an mbarrier than it can count');
        },
      });
    }
  });
}

/** Returns a function that starts a copy in the thread's bulk group. */
export function bulkToGroup(work: BulkWork): Exec {
  return (warp, frame, lanes) => {
    for (let m = lanes; m !== 0; m &= m - 1) {
      const copy = begin(work, warp, frame, lowestLane(m));
      if (copy !== undefined) warp.block.copies.begin(copy, 'bulk');
    }
  };
}

/**
 * Returns a function that waits until the sources of the thread's bulk groups have been read. Does
 * not wait for the last `kept` groups.
 */
export function bulkReadExec(kept: number): Exec {
  return (warp, _frame, lanes) => {
    for (let m = lanes; m !== 0; m &= m - 1) {
      for (const copy of warp.block.copies.asked(warp.firstThread + lowestLane(m), kept, 'bulk')) {
        const { from, fromOffset, taken } = copy;
        if (from === undefined || copy.read !== undefined) continue;
        if (copy.assemble !== undefined) {
          copy.read = copy.assemble();
          continue;
        }
        const bytes = from.bytes.slice(fromOffset, fromOffset + taken);
        copy.read = { bytes, marks: Uint16Array.from(bytes, (_, i) => from.shadowAt(fromOffset + i, 1)) };
      }
    }
  };
}
