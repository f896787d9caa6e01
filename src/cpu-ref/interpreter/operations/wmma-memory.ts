// `wmma.load` and `wmma.store`: each lane's fragment of a matrix that the warp loads or stores.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-wmma-ld
import { type WmmaLayout, wmmaElement } from '../../../isa/wmma-fragments.ts';
import type { Access } from '../memory/access.ts';
import type { Destination, Source } from '../memory/layout.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Warp } from '../state/state.ts';
import { inspect, type Located, locate, nowhere } from './locate.ts';
import { noteStore } from './memory-op.ts';

/** A matrix in memory, and its layout in registers. */
export interface WmmaAccess {
  readonly access: Access;
  readonly layout: WmmaLayout;
  /** Whether rows or columns are contiguous in memory. */
  readonly order: 'row' | 'col';
  /** The distance from one row (or column) to the next, in elements. */
  readonly stride: Source | number;
}

/** Contiguous bytes in memory that are also contiguous in a register. */
interface Piece {
  readonly access: Access;
  /** The position of the first bit in the register. */
  readonly shift: number;
}

/** Executes a matrix access in the lanes that have arrived at it. */
export type MatrixExec = (warp: Warp, lanes: number) => void;

const allLanes = 0xffff_ffff;
/** Returns the distance of an element from the first one, in elements. */
function distance({ layout, order }: WmmaAccess, lane: number, position: number, stride: number): number {
  const { row, column } = wmmaElement(layout, lane, position);
  return order === 'row' ? row * stride + column : column * stride + row;
}

/**
 * Returns the pieces of a lane's register: one piece if the elements of the register are contiguous
 * in memory, and otherwise one piece for each element.
 */
function piecesOf(matrix: WmmaAccess, frame: Frame, lane: number, register: number): readonly Piece[] {
  const { access, layout } = matrix;
  const { bits } = layout;
  const stride = typeof matrix.stride === 'number' ? matrix.stride : frame.wordOf(matrix.stride, lane);
  const first = register * layout.packed;
  const at = Array.from({ length: layout.packed }, (_, index) => distance(matrix, lane, first + index, stride));
  const [start = 0] = at;
  const follow = at.every((place, index) => place === start + index);
  const piece = (place: number, bytes: number, shift: number): Piece => ({
    access: { ...access, offset: access.offset + Math.floor((place * bits) / 8), bytes },
    shift,
  });
  if (follow) return [piece(start, (layout.packed * bits) / 8, 0)];
  return at.map((place, index) => piece(place, bits / 8, index * bits));
}

/**
 * Returns the executor of a load of each lane's registers of a matrix. Out of bounds, the result is
 * 0 and undefined. If a lane of the warp does not participate, all results are undefined.
 */
export function wmmaLoadExec(matrix: WmmaAccess, destinations: readonly (Destination | undefined)[]): MatrixExec {
  const at = nowhere();
  return (warp, lanes) => {
    const frame = warp.frameOf(lowestLane(lanes));
    if (warp.machine.sanitize) checkAgreement(matrix, warp, frame, lanes);
    const undefinedAddress = lanes >>> 0 === allLanes ? addressUndefined(matrix, frame) : allLanes;
    destinations.forEach((to, register) => {
      if (to === undefined) return;
      let undefinedLanes = undefinedAddress;
      for (let m = lanes; m !== 0; m &= m - 1) {
        const lane = lowestLane(m);
        let [low, high] = [0, 0];
        for (const { access, shift } of piecesOf(matrix, frame, lane, register)) {
          if (!find(warp, frame, lane, access, at)) {
            undefinedLanes |= 1 << lane;
            continue;
          }
          const { region, offset } = at;
          low |= region.load(offset, Math.min(access.bytes, 4)) << shift;
          if (access.bytes === 8) high = region.load(offset + 4, 4);
          if (region.shadow !== undefined && region.shadowAt(offset, access.bytes) !== 0) undefinedLanes |= 1 << lane;
        }
        if (to.width === 64) frame.writeWide(to, lane, (BigInt(high) << 32n) | BigInt(low >>> 0));
        else frame.writeWord(to, lane, low >>> 0);
      }
      frame.mark(to, lanes, undefinedLanes);
    });
  };
}

/**
 * Returns the executor of a store of each lane's registers of a matrix. A store out of bounds has
 * no effect.
 */
export function wmmaStoreExec(matrix: WmmaAccess, sources: readonly Source[]): MatrixExec {
  const at = nowhere();
  return (warp, lanes) => {
    const frame = warp.frameOf(lowestLane(lanes));
    if (warp.machine.sanitize) checkAgreement(matrix, warp, frame, lanes);
    sources.forEach((source, register) => {
      const undefinedLanes = frame.undefinedLanes([source]);
      for (let m = lanes; m !== 0; m &= m - 1) {
        const lane = lowestLane(m);
        const wide = source.width === 64 ? frame.wideOf(source, lane) : BigInt(frame.wordOf(source, lane));
        for (const { access, shift } of piecesOf(matrix, frame, lane, register)) {
          if (!find(warp, frame, lane, access, at)) continue;
          const { region, offset } = at;
          const bits = wide >> BigInt(shift);
          region.store(offset, Math.min(access.bytes, 4), Number(BigInt.asUintN(32, bits)));
          if (access.bytes === 8) region.store(offset + 4, 4, Number(bits >> 32n));
          noteStore(warp, lane, region, offset, access.bytes, ((undefinedLanes >>> lane) & 1) !== 0);
        }
      }
    });
  };
}

function find(warp: Warp, frame: Frame, lane: number, access: Access, at: Located): boolean {
  if (!locate(warp, frame, lane, access, at)) return false;
  if (warp.machine.sanitize) inspect(warp, lane, access, at);
  return true;
}

function addressUndefined({ access, stride }: WmmaAccess, frame: Frame): number {
  const ofStride = typeof stride === 'number' ? 0 : frame.undefinedLanes([stride]);
  return (frame.undefinedIn[access.base.taint] ?? 0) | ofStride;
}

/** Reports lanes whose address or stride differs from that of the first lane. */
function checkAgreement({ access, stride }: WmmaAccess, warp: Warp, frame: Frame, lanes: number): void {
  const first = lowestLane(lanes);
  const strideOf = (lane: number) => (typeof stride === 'number' ? stride : frame.wordOf(stride, lane));
  const addressOf = (lane: number) => frame.addressOf(access.base, lane);
  let others = 0;
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    if (addressOf(lane) !== addressOf(first) || strideOf(lane) !== strideOf(first)) others |= 1 << lane;
  }
  if (others === 0) return;
  warp.machine.log.add('RUN023', access.span, warp.place(others), () => {
    return `${access.verb} of a matrix with a different address or stride than lane ${first}`;
  });
}
