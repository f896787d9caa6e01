// Finds the box of a copy by its tensor map, and reports copies that the map does not allow.
import { type MapMode, tensorMapBytes } from '../../../base/tensor-map-fields.ts';
import { copyProblem } from '../../tensor/copy-problems.ts';
import { type TensorMapFields, tensorMapFields } from '../../tensor/tensor-map.ts';
import type { Access } from '../memory/access.ts';
import type { Source } from '../memory/layout.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Exec, Warp } from '../state/state.ts';
import { inspect, locate, nowhere } from './locate.ts';

export interface BoxWork {
  /** The read of the tensor map. */
  readonly map: Access;
  readonly mode: MapMode;
  readonly coordinates: readonly Source[];
  /** The offsets of im2col mode. */
  readonly offsets: readonly Source[];
  readonly isStore: boolean;
  /** The operation of a reduction. */
  readonly op?: string;
}

export interface FoundBox {
  readonly map: TensorMapFields;
  readonly coordinates: readonly number[];
  readonly offsets: readonly number[];
  readonly isUndefined: boolean;
}

/** Reads the tensor map of a lane's copy. Reports an invalid map and returns undefined. */
export function findBox(work: BoxWork, warp: Warp, frame: Frame, lane: number): FoundBox | undefined {
  const place = nowhere();
  if (!locate(warp, frame, lane, work.map, place)) return undefined;
  if (warp.machine.sanitize) inspect(warp, lane, work.map, place);
  const complain = (what: string): undefined => {
    warp.machine.log.add('RUN030', work.map.span, warp.place(1 << lane), () => what, { variant: what });
    return undefined;
  };
  const map = tensorMapFields(place.region.bytes.subarray(place.offset, place.offset + tensorMapBytes));
  if (typeof map === 'string') return complain(`invalid tensor map: ${map}`);
  const coordinates = work.coordinates.map((source) => frame.wordOf(source, lane) | 0);
  const offsets = work.offsets.map((source) => frame.wordOf(source, lane));
  const { mode, isStore, op } = work;
  const problem = copyProblem(map, { mode, coordinates, offsets, isStore, op });
  if (problem !== undefined) return complain(problem);
  const isUndefined = ((frame.undefinedLanes([...work.coordinates, ...work.offsets]) >>> lane) & 1) !== 0;
  return { map, coordinates, offsets, isUndefined };
}

/** Returns a function that prefetches a box: it has no effect, but its map must allow the copy. */
export function tensorPrefetch(work: BoxWork): Exec {
  return (warp, frame, lanes) => {
    for (let m = lanes; m !== 0; m &= m - 1) findBox(work, warp, frame, lowestLane(m));
  };
}
