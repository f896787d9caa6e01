// Copies of boxes of tensors. An mbarrier or a bulk group of the thread tracks the completion.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async-bulk-tensor
import type { TensorType } from '../../../base/tensor-map.ts';
import { elementBytes } from '../../../base/tensor-map-fields.ts';
import { type BoxRow, boxRows, boxShape, chunkBytes, swizzled } from '../../tensor/box.ts';
import { filled, loadedBytes } from '../../tensor/elements.ts';
import type { Access } from '../memory/access.ts';
import type { Source } from '../memory/layout.ts';
import { shadow } from '../memory/region.ts';
import { nothingReleased } from '../state/clocks.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Combine, CopiedBytes, Copy } from '../state/pending-copies.ts';
import type { Exec, Warp } from '../state/state.ts';
import { finishPending } from './copy-op.ts';
import { type BoxWork, type FoundBox, findBox } from './find-box.ts';
import { inspect, type Located, locate, locateAt, nowhere } from './locate.ts';
import { mbarrierExec } from './mbarrier-op.ts';
import { reportUnfenced } from './proxy-check.ts';
import { receiversOf } from './receivers.ts';

/** The alignment of a box in shared memory, in bytes. */
const boxAlign = 128;

export interface TensorWork extends BoxWork {
  /** The access of the box in shared memory; its size is that of the whole box. */
  readonly shared: Access;
  /** The access of the tensor, whose address and size each row determines. */
  readonly tensor: Access;
  /** The blocks of the cluster that receive the box; undefined for this block. */
  readonly mask?: Source | undefined;
  /** Returns the reduction of a type; undefined for a plain copy. */
  readonly combineOf?: (type: TensorType) => Combine;
}

/** A copy that has been prepared: its box, and its place in shared memory. */
interface Prepared extends FoundBox {
  readonly at: Located;
  readonly rowBytes: number;
  /** The number of copied bytes, including those outside of the tensor. */
  readonly bytes: number;
}

/** Finds the box and its place in shared memory. Reports an invalid map and returns undefined. */
function prepare(work: TensorWork, warp: Warp, frame: Frame, lane: number): Prepared | undefined {
  const box = findBox(work, warp, frame, lane);
  if (box === undefined) return undefined;
  const { rows, rowBytes, pitch } = boxShape(box.map);
  const at = nowhere();
  if (!locate(warp, frame, lane, { ...work.shared, bytes: rows * pitch, align: boxAlign }, at)) return undefined;
  return { ...box, at, rowBytes, bytes: rows * rowBytes };
}

/** Adjacent bytes of a row, whose places in shared memory are a range in any order. */
interface Piece {
  /** The bytes of the row, from `from` to `to`, without `to`. */
  readonly from: number;
  readonly to: number;
  /** The start of the range in the region of shared memory. */
  readonly offset: number;
  /** The place of each chunk in the range. */
  readonly chunks: readonly number[];
}

function piecesOf({ map, at, rowBytes }: Prepared, { shared }: BoxRow): readonly Piece[] {
  const start = at.region.base + at.offset + shared;
  const places: number[] = [];
  for (let byte = 0; byte < rowBytes; byte += chunkBytes) places.push(swizzled(start + byte, map.swizzle));
  const least = Math.min(...places);
  const piece = (from: number, to: number, first: number, own: readonly number[]): Piece => {
    return { from, to, offset: first - at.region.base, chunks: own.map((place) => place - first) };
  };
  if (Math.max(...places) - least + chunkBytes === chunkBytes * places.length)
    return [piece(0, rowBytes, least, places)];
  return places.map((place, index) => piece(chunkBytes * index, chunkBytes * (index + 1), place, [place]));
}

/** Returns the place of a row's byte in the range of a piece. */
const placeIn = ({ from, chunks }: Piece, byte: number): number => {
  const at = byte - from;
  const chunk = chunks[Math.floor(at / chunkBytes)];
  if (chunk === undefined) throw new RangeError(`byte ${byte} is outside of the piece`);
  return chunk + (at % chunkBytes);
};

/** Starts the copies of a box to shared memory, and returns them. */
function beginLoad(work: TensorWork, prepared: Prepared, warp: Warp, lane: number): readonly Copy[] {
  const { map, coordinates, offsets, at, isUndefined } = prepared;
  const copies: Copy[] = [];
  const source = nowhere();
  for (const row of boxRows(map, coordinates, offsets)) {
    for (const piece of piecesOf(prepared, row)) {
      const [from, to] = [Math.max(row.from, piece.from), Math.min(row.to, piece.to)];
      const taken = Math.max(0, to - from);
      const read = { ...work.tensor, bytes: taken, align: 1 };
      const isRead = taken > 0 && locateAt(warp, lane, read, 'global', row.global + from, source);
      const access = { ...work.shared, bytes: piece.to - piece.from };
      const target = { region: at.region, offset: piece.offset };
      if (warp.machine.sanitize) {
        if (isRead) inspect(warp, lane, read, source);
        inspect(warp, lane, access, target);
      }
      target.region.noteStore(target.offset, access.bytes, true, warp.firstGlobalThread + lane);
      const { region, offset: fromOffset } = source;
      const assemble = (): CopiedBytes => {
        const bytes = filled(map, access.bytes);
        const marks = new Uint16Array(bytes.length);
        if (isRead) {
          bytes.set(loadedBytes(map, region.bytes.slice(fromOffset, fromOffset + taken)), from - piece.from);
          for (let byte = 0; byte < taken; byte++)
            marks[from - piece.from + byte] = region.shadowAt(fromOffset + byte, 1);
        }
        return permuted({ bytes, marks }, (byte) => placeIn(piece, piece.from + byte));
      };
      copies.push({
        thread: warp.firstThread + lane,
        access,
        to: target.region,
        offset: target.offset,
        from: isRead ? region : undefined,
        fromOffset,
        taken: isRead ? taken : 0,
        isLost: isUndefined || (taken > 0 && !isRead),
        assemble,
      });
    }
  }
  return copies;
}

/** Returns bytes in the order of shared memory. */
function permuted({ bytes, marks }: CopiedBytes, placeOf: (byte: number) => number): CopiedBytes {
  const result = { bytes: new Uint8Array(bytes.length), marks: new Uint16Array(bytes.length) };
  for (let byte = 0; byte < bytes.length; byte++) {
    result.bytes[placeOf(byte)] = bytes[byte] ?? 0;
    result.marks[placeOf(byte)] = marks[byte] ?? shadow.defined;
  }
  return result;
}

/** Starts the copies of a box from shared memory to its tensor. */
function beginStore(work: TensorWork, prepared: Prepared, warp: Warp, lane: number): readonly Copy[] {
  const { map, coordinates, offsets, at, isUndefined } = prepared;
  const combine = work.combineOf?.(map.type);
  const copies: Copy[] = [];
  const target = nowhere();
  for (const row of boxRows(map, coordinates, offsets)) {
    for (const piece of piecesOf(prepared, row)) {
      const [from, to] = [Math.max(row.from, piece.from), Math.min(row.to, piece.to)];
      if (from >= to) continue;
      const access = { ...work.tensor, bytes: to - from, align: elementBytes[map.type] };
      if (!locateAt(warp, lane, access, 'global', row.global + from, target)) continue;
      const read = { ...work.shared, bytes: piece.to - piece.from };
      if (warp.machine.sanitize) {
        inspect(warp, lane, read, { region: at.region, offset: piece.offset });
        reportUnfenced(warp, lane, read, at.region, [{ offset: piece.offset, bytes: read.bytes }]);
        inspect(warp, lane, access, target);
      }
      const { region, offset } = target;
      if (combine === undefined) region.noteStore(offset, access.bytes, true, warp.firstGlobalThread + lane);
      const assemble = (): CopiedBytes => {
        const bytes = new Uint8Array(access.bytes);
        const marks = new Uint16Array(access.bytes);
        for (let byte = from; byte < to; byte++) {
          const place = piece.offset + placeIn(piece, byte);
          bytes[byte - from] = at.region.bytes[place] ?? 0;
          marks[byte - from] = at.region.shadowAt(place, 1);
        }
        return { bytes, marks };
      };
      copies.push({
        thread: warp.firstThread + lane,
        access,
        to: region,
        offset,
        from: at.region,
        fromOffset: piece.offset,
        taken: read.bytes,
        isLost: isUndefined,
        combine,
        assemble,
      });
    }
  }
  return copies;
}

/** Returns a function that starts a copy to shared memory, whose completion an mbarrier tracks. */
export function tensorLoad(work: TensorWork, object: Access): Exec {
  return mbarrierExec(object, (step) => {
    const { warp, frame, lane, complain } = step;
    const prepared = prepare(work, warp, frame, lane);
    if (prepared === undefined) return;
    const { copies: pending, clocks } = warp.block;
    for (const { region, mbarrier } of receiversOf(work.mask, work.map.span, prepared.at.region, step)) {
      const copies = beginLoad(work, { ...prepared, at: { region, offset: prepared.at.offset } }, warp, lane);
      for (const copy of copies) pending.begin(copy, undefined);
      const released = clocks?.release(warp.firstThread + lane, true) ?? nothingReleased;
      mbarrier.later({
        finish: () => {
          for (const copy of copies) finishPending(warp.block, copy);
          if (!mbarrier.expectBytes(-prepared.bytes, released))
            complain('more bytes arrive at an mbarrier than it can count');
        },
      });
    }
  });
}

/** Returns a function that starts a copy or a reduction to a tensor, in the thread's bulk group. */
export function tensorStore(work: TensorWork): Exec {
  return (warp, frame, lanes) => {
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const prepared = prepare(work, warp, frame, lane);
      if (prepared === undefined) continue;
      for (const copy of beginStore(work, prepared, warp, lane)) warp.block.copies.begin(copy, 'bulk');
    }
  };
}
