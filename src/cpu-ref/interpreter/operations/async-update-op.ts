// Asynchronous stores and reductions from registers to shared memory, which complete on an
// mbarrier.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-st-async
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-red-async
import type { Access } from '../memory/access.ts';
import type { Source } from '../memory/layout.ts';
import { Region, shadow } from '../memory/region.ts';
import { nothingReleased } from '../state/clocks.ts';
import type { Frame } from '../state/frame.ts';
import type { Combine, Copy } from '../state/pending-copies.ts';
import type { Exec, Warp } from '../state/state.ts';
import { finishPending } from './copy-op.ts';
import { inspect, type Located, locate } from './locate.ts';
import { mbarrierExec } from './mbarrier-op.ts';

const nowhere = new Region('nowhere', 'shared', 0, 0);

export interface AsyncUpdateWork {
  readonly to: Access;
  /** The source: one register, or the registers of a vector. */
  readonly values: readonly Source[];
  /** The reduction; undefined for a store. */
  readonly combine: Combine | undefined;
}

/** Returns the bytes of the registers and their marks. */
function readValues({ to, values }: AsyncUpdateWork, frame: Frame, lane: number) {
  const bytes = new Uint8Array(to.bytes);
  const marks = new Uint16Array(to.bytes);
  const size = to.bytes / values.length;
  for (const [index, source] of values.entries()) {
    const value = frame.wideOf(source, lane);
    const isUndefined = ((frame.undefinedLanes([source]) >>> lane) & 1) !== 0;
    for (let i = 0; i < size; i++) bytes[index * size + i] = Number((value >> BigInt(8 * i)) & 0xffn);
    if (isUndefined) marks.fill(shadow.undefined, index * size, (index + 1) * size);
  }
  return { bytes, marks };
}

function begin(work: AsyncUpdateWork, warp: Warp, frame: Frame, lane: number): Copy | undefined {
  const { to, combine } = work;
  const target: Located = { region: nowhere, offset: 0 };
  if (!locate(warp, frame, lane, to, target)) return undefined;
  if (warp.machine.sanitize) inspect(warp, lane, to, target);
  const { region, offset } = target;
  if (combine === undefined) region.noteStore(offset, to.bytes, true, warp.firstGlobalThread + lane);
  const read = readValues(work, frame, lane);
  const source = { from: nowhere, fromOffset: 0, taken: to.bytes, isLost: false, read };
  return { thread: warp.firstThread + lane, access: to, to: region, offset, combine, ...source };
}

export function updateToBarrier(work: AsyncUpdateWork, object: Access): Exec {
  return mbarrierExec(object, ({ warp, frame, lane, object: mbarrier, complain }) => {
    const copy = begin(work, warp, frame, lane);
    if (copy !== undefined) warp.block.copies.begin(copy, undefined);
    const released = warp.block.clocks?.release(warp.firstThread + lane, true) ?? nothingReleased;
    mbarrier.later({
      finish: () => {
        if (copy !== undefined) finishPending(warp.block, copy);
        if (!mbarrier.expectBytes(-work.to.bytes, released))
          complain('more bytes arrive at an mbarrier than it can count');
      },
    });
  });
}
