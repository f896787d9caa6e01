// Loads and stores of matrices in shared memory, which all lanes of a warp perform together.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-ldmatrix
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-stmatrix
import type { Access } from '../memory/access.ts';
import type { Destination, Source } from '../memory/layout.ts';
import type { Frame } from '../state/frame.ts';
import type { Warp } from '../state/state.ts';
import { inspect, type Located, locate, nowhere } from './locate.ts';
import { noteStore } from './memory-op.ts';

/** The number of rows of a matrix, and of elements in a row. A row has 16 bytes. */
const size = 8;
const allLanes = 0xffff_ffff;

/**
 * The part of a row that is in a register of one lane: the lane's whole word, with two elements. In
 * a transposed matrix, the part is half of the lane's word, with one element.
 */
interface Piece {
  readonly lane: number;
  /** The offset in the row and the number of bytes. */
  readonly offset: number;
  readonly bytes: 2 | 4;
  /** The position of the first bit in the lane's word. */
  readonly shift: number;
}

function piecesOf(row: number, transposed: boolean): readonly Piece[] {
  if (!transposed)
    return Array.from({ length: 4 }, (_, t) => ({ lane: 4 * row + t, offset: 4 * t, bytes: 4, shift: 0 }));
  return Array.from({ length: size }, (_, column) => ({
    lane: 4 * column + (row >> 1),
    offset: 2 * column,
    bytes: 2,
    shift: 16 * (row & 1),
  }));
}

type EachRow = (matrix: number, at: Located | undefined, pieces: readonly Piece[]) => void;

/**
 * Calls `visit` for each row of each matrix, with the row's address from the lane that provides it.
 */
function eachRow(warp: Warp, access: Access, count: number, transposed: boolean, visit: EachRow): void {
  const at = nowhere();
  for (let provider = 0; provider < size * count; provider++) {
    const isFound = locate(warp, warp.frameOf(provider), provider, access, at);
    visit(Math.floor(provider / size), isFound ? at : undefined, piecesOf(provider % size, transposed));
  }
}

const isUndefined = (frame: Frame, source: Pick<Source, 'place'>, lane: number): boolean =>
  (((frame.undefinedIn[source.place.taint] ?? 0) >>> lane) & 1) !== 0;

/**
 * Returns the executor of a load of matrices. `access` describes one row; one lane provides the
 * row's address.
 */
export function matrixLoad(access: Access, transposed: boolean, destinations: readonly (Destination | undefined)[]) {
  return (warp: Warp, lanes: number): void => {
    const frame = warp.frameOf(0);
    const words = destinations.map(() => new Uint32Array(32));
    // If a lane of the warp does not participate, the result is undefined.
    const undefinedLanes = destinations.map((): number => (lanes >>> 0 === allLanes ? 0 : allLanes));
    eachRow(warp, access, destinations.length, transposed, (matrix, at, pieces) => {
      for (const { lane, offset, bytes, shift } of pieces) {
        const own = words[matrix];
        if (own === undefined) continue;
        if (at === undefined) {
          undefinedLanes[matrix] = (undefinedLanes[matrix] ?? 0) | (1 << lane);
          continue;
        }
        const place = { region: at.region, offset: at.offset + offset };
        if (warp.machine.sanitize) inspect(warp, lane, { ...access, bytes }, place);
        own[lane] = (own[lane] ?? 0) | (at.region.load(place.offset, bytes) << shift);
        const isUnknown = at.region.shadow !== undefined && at.region.shadowAt(place.offset, bytes) !== 0;
        if (isUnknown) undefinedLanes[matrix] = (undefinedLanes[matrix] ?? 0) | (1 << lane);
      }
    });
    const unknownAddress = (frame.undefinedIn[access.base.taint] ?? 0) & (2 ** (size * destinations.length) - 1);
    destinations.forEach((destination, matrix) => {
      if (destination === undefined) return;
      for (let lane = 0; lane < 32; lane++) {
        if ((lanes >>> lane) & 1) frame.writeWord(destination, lane, words[matrix]?.[lane] ?? 0);
      }
      frame.mark(destination, lanes, unknownAddress !== 0 ? allLanes : (undefinedLanes[matrix] ?? 0));
    });
  };
}

export function matrixStore(access: Access, transposed: boolean, sources: readonly Source[]) {
  return (warp: Warp): void => {
    eachRow(warp, access, sources.length, transposed, (matrix, at, pieces) => {
      const source = sources[matrix];
      if (source === undefined || at === undefined) return;
      for (const { lane, offset, bytes, shift } of pieces) {
        const frame = warp.frameOf(lane);
        const place = { region: at.region, offset: at.offset + offset };
        if (warp.machine.sanitize) inspect(warp, lane, { ...access, bytes }, place);
        const word = frame.wordOf(source, lane) >>> shift;
        at.region.store(place.offset, bytes, bytes === 2 ? word & 0xffff : word);
        noteStore(warp, lane, at.region, place.offset, bytes, isUndefined(frame, source, lane));
      }
    });
  };
}
