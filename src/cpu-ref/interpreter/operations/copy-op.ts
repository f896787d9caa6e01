// Asynchronous copies by a thread, and the instructions that wait for them.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async
import type { Access } from '../memory/access.ts';
import type { Source } from '../memory/layout.ts';
import { shadow } from '../memory/region.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Combine, Copy, QueueName } from '../state/pending-copies.ts';
import type { Block, Exec } from '../state/state.ts';
import { inspect, locate, nowhere } from './locate.ts';

export interface CopyWork {
  readonly to: Access;
  readonly from: Access;
  /** The number of bytes to read, or a predicate; if the predicate is true, no byte is read. */
  readonly size: Source | undefined;
}

function takenBytes({ from, size }: CopyWork, frame: Frame, lane: number): number {
  if (size === undefined) return from.bytes;
  const value = frame.wordOf(size, lane);
  if (size.place.kind === 'pred') return value === 0 ? from.bytes : 0;
  return Math.min(value, from.bytes);
}

/**
 * Returns a function that starts a copy. The target is undefined until the thread waits for the
 * copy.
 */
export function copyExec(work: CopyWork): Exec {
  const { to, from, size } = work;
  const target = nowhere();
  const source = nowhere();
  return (warp, frame, lanes) => {
    const { machine, block } = warp;
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const taken = takenBytes(work, frame, lane);
      const isSizeUndefined = size !== undefined && (((frame.undefinedIn[size.place.taint] ?? 0) >>> lane) & 1) !== 0;
      const read = taken === from.bytes ? from : { ...from, bytes: taken, align: from.bytes };
      const isRead = taken > 0 && locate(warp, frame, lane, read, source);
      if (isRead && machine.sanitize) inspect(warp, lane, read, source);
      if (!locate(warp, frame, lane, to, target)) continue;
      if (machine.sanitize) inspect(warp, lane, to, target);
      const thread = warp.firstThread + lane;
      target.region.noteStore(target.offset, to.bytes, true, warp.firstGlobalThread + lane);
      const place = { to: target.region, offset: target.offset, fromOffset: source.offset };
      const isLost = isSizeUndefined || (taken > 0 && !isRead);
      block.copies.begin(
        { thread, access: to, ...place, from: isRead ? source.region : undefined, taken, isLost },
        'async',
      );
    }
  };
}

/** Performs a copy that an mbarrier tracks, unless a wait has already performed it. */
export function finishPending({ copies, firstGlobalThread }: Block, copy: Copy): void {
  if (!copies.isPending(copy)) return;
  copies.end(copy);
  finishCopy(firstGlobalThread, copy);
}

const little = (bytes: Uint8Array, at: number, size: number): bigint => {
  let value = 0n;
  for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i] ?? 0);
  return value;
};

/**
 * Performs a reduction, element by element. The reduction preserves subnormals in global memory,
 * although f32 atomics flush them. Undefined inputs make a result undefined.
 */
function finishUpdate(firstGlobalThread: number, copy: Copy, { update, bytes: size }: Combine): void {
  const { access, to, offset, from, fromOffset, thread, isLost, read = copy.assemble?.() } = copy;
  for (let at = 0; at < access.bytes; at += size) {
    const source = read ?? (from && { bytes: from.bytes.subarray(fromOffset), marks: undefined });
    const mark =
      read === undefined
        ? from?.shadowAt(fromOffset + at, size)
        : read.marks.subarray(at, at + size).reduce((all, one) => all | one, 0);
    const [old, value] = [
      little(to.bytes, offset + at, size),
      source === undefined ? 0n : little(source.bytes, at, size),
    ];
    const bits = (number: bigint) => (size === 8 ? number : Number(number));
    const result = BigInt(update(bits(old), bits(value), bits(old), false));
    const isUndefined = isLost || mark !== shadow.defined || to.shadowAt(offset + at, size) !== shadow.defined;
    for (let i = 0; i < size; i++) to.bytes[offset + at + i] = Number((result >> BigInt(8 * i)) & 0xffn);
    to.noteStore(offset + at, size, isUndefined, firstGlobalThread + thread);
  }
}

/**
 * Performs a copy whose wait has completed. Undefined bits of the source are undefined in the
 * target.
 */
export function finishCopy(firstGlobalThread: number, copy: Copy): void {
  if (copy.combine !== undefined) return finishUpdate(firstGlobalThread, copy, copy.combine);
  const { access, to, offset, from, fromOffset, taken, thread, isLost, read = copy.assemble?.() } = copy;
  for (let i = 0; i < access.bytes; i++) {
    const isTaken = read !== undefined || (from !== undefined && i < taken);
    const byte = read === undefined ? from?.bytes[fromOffset + i] : read.bytes[i];
    const mark = read === undefined ? from?.shadowAt(fromOffset + i, 1) : read.marks[i];
    to.bytes[offset + i] = isTaken ? (byte ?? 0) : 0;
    const undefinedBits = isLost ? shadow.undefined : isTaken ? (mark ?? shadow.defined) & 0xff : shadow.defined;
    to.noteStore(offset + i, 1, undefinedBits !== 0, firstGlobalThread + thread);
    if (undefinedBits !== 0) to.noteBits(offset + i, 1, BigInt(undefinedBits), false);
  }
}

/** Returns a function that waits for the thread's groups, except for the last `kept` groups. */
export function waitExec(queue: QueueName, kept: number, commits: boolean): Exec {
  const at = nowhere();
  return (warp, _frame, lanes) => {
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const thread = warp.firstThread + lane;
      const { copies } = warp.block;
      if (commits) copies.commit(thread, queue);
      for (const copy of copies.wait(thread, kept, queue)) {
        at.region = copy.to;
        at.offset = copy.offset;
        // The wait makes the bytes visible to this thread only. Accesses of other threads must be
        // ordered after the wait.
        if (warp.machine.sanitize) inspect(warp, lane, copy.access, at);
        finishCopy(warp.block.firstGlobalThread, copy);
      }
    }
  };
}

export function commitExec(queue: QueueName): Exec {
  return (warp, _frame, lanes) => {
    for (let m = lanes; m !== 0; m &= m - 1) warp.block.copies.commit(warp.firstThread + lowestLane(m), queue);
  };
}
