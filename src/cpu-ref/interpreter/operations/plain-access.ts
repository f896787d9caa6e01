// The common case of loads and stores: lanes that access the region of the first lane, in runs that
// only check bounds and alignment. `locate` remains the definition: each function returns the lanes
// that it leaves to `locate`, because they need more than this.
import type { Access } from '../memory/access.ts';
import type { Destination, Source } from '../memory/layout.ts';
import type { Region } from '../memory/region.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Warp } from '../state/state.ts';
import { addressOf, noteExtent } from './locate.ts';

/** The place of an element in a frame: the first word of lane i is `base + step * i`. */
interface ElementPlace {
  readonly base: number;
  readonly step: number;
}

const placeOf = ({ place }: Source | Destination): ElementPlace => ({
  base: place.base,
  step: place.kind === 'pair' ? 2 : 1,
});

/** Loads or stores the elements of an access for a lane, at an offset in a region. */
type MoveElements = (frame: Frame, lane: number, region: Region, offset: number) => void;

/** Returns the function that loads elements of `bytes` bytes. */
export function loadElements(destinations: readonly (Destination | undefined)[], bytes: number): MoveElements {
  const isExtended = (to: Destination | undefined): boolean => to !== undefined && to.place.width !== 32;
  if (bytes < 4 || (bytes === 4 && destinations.some(isExtended)))
    return (frame, lane, region, offset) => {
      for (let i = 0; i < destinations.length; i++) {
        const to = destinations[i];
        if (to !== undefined) frame.writeWord(to, lane, region.load(offset + i * bytes, bytes));
      }
    };
  const places = destinations.map((to) => to && placeOf(to));
  return ({ file }, lane, { words }, offset) => {
    let word = offset >>> 2;
    for (let i = 0; i < places.length; i++) {
      const place = places[i];
      if (place !== undefined) {
        const to = place.base + place.step * lane;
        file[to] = words[word] ?? 0;
        if (bytes >= 8) file[to + 1] = words[word + 1] ?? 0;
      }
      word += bytes >>> 2;
    }
  };
}

/** Returns the function that stores elements of `bytes` bytes. */
export function storeElements(sources: readonly Source[], bytes: number): MoveElements {
  const places = sources.map(placeOf);
  if (bytes < 4)
    return ({ file }, lane, region, offset) => {
      for (let i = 0; i < places.length; i++) {
        const place = places[i];
        if (place !== undefined) region.store(offset + i * bytes, bytes, file[place.base + place.step * lane] ?? 0);
      }
    };
  return ({ file }, lane, { words }, offset) => {
    let word = offset >>> 2;
    for (let i = 0; i < places.length; i++) {
      const place = places[i];
      if (place !== undefined) {
        const from = place.base + place.step * lane;
        words[word] = file[from] ?? 0;
        if (bytes === 8) words[word + 1] = file[from + 1] ?? 0;
      }
      word += bytes >>> 2;
    }
  };
}

/**
 * Moves the elements of the lowest lanes in `lanes`, in ascending order. Stops at a lane whose access
 * is out of bounds, misaligned, in another region, or in memory that records undefined bits or
 * writers. Returns this lane and the lanes above it.
 */
export function movePlain(warp: Warp, frame: Frame, lanes: number, access: Access, move: MoveElements): number {
  const { machine, block } = warp;
  if (machine.sanitize || machine.observe !== undefined) return lanes;
  const { base, bytes, offset } = access;
  const first = addressOf(access, frame, lowestLane(lanes));
  const isGeneric = access.space === 'generic';
  const space = isGeneric ? machine.space.spaceOf(first) : access.space;
  if (space === 'shared' && block.cluster.blocks.length > 1) return lanes;
  const isLocal = space === 'local';
  const found = space === 'global' ? machine.space.findGlobal(first, bytes) : warp.regionOf(space, lowestLane(lanes));
  if (found === undefined) return lanes;
  const start = found.base + (isGeneric && space !== 'global' ? machine.space.plan.windows[space] : 0);
  const lowBits = bytes - 1;
  const { file } = frame;
  let region = found;
  let isPlain = region.shadow === undefined && region.writers === undefined;
  let end = -1;
  let rest = lanes;
  for (; rest !== 0; rest &= rest - 1) {
    const lane = lowestLane(rest);
    if (isLocal) {
      region = warp.regionOf(space, lane);
      isPlain = region.shadow === undefined;
    }
    const at = base.kind === 'pair' ? base.base + 2 * lane : base.base + lane;
    const low = file[at] ?? 0;
    const address = base.kind === 'pair' ? (file[at + 1] ?? 0) * 4294967296 + low + offset : (low + offset) >>> 0;
    const place = address - start;
    if (!isPlain || place < 0 || place + bytes > region.size || ((address | place) & lowBits) !== 0) break;
    move(frame, lane, region, place);
    if (place > end) end = place;
  }
  if (end >= 0) noteExtent(region, access, end);
  return rest;
}
