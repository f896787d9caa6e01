// Lane masks, and random lane masks.
import type { Random } from './random.ts';

export const warpLanes: readonly number[] = Array.from({ length: 32 }, (_, lane) => lane);
export const allLanes = 0xffffffff;

export const bit = (lane: number): number => (1 << lane) >>> 0;
export const has = (mask: number, lane: number): boolean => ((mask >>> lane) & 1) === 1;

/** Returns the mask of the lanes for which `test` holds. */
export function maskOf(test: (lane: number) => boolean): number {
  return warpLanes.reduce((mask, lane) => (test(lane) ? (mask | bit(lane)) >>> 0 : mask), 0);
}

/**
 * Draws a mask that is not empty: one lane, consecutive lanes, every other lane, one half, or each
 * lane with some probability. Sometimes the mask is full.
 */
export function someLanes(rng: Random): number {
  const kind = rng.below(8);
  if (kind === 0) return bit(rng.below(32));
  if (kind === 1) return rng.pick([0x0000ffff, 0xffff0000, 0x00ff00ff, 0x55555555, 0xaaaaaaaa, 0x7fffffff, 0xfffffffe]);
  if (kind === 2) {
    const first = rng.below(32);
    const end = first + 1 + rng.below(32 - first);
    return maskOf((lane) => lane >= first && lane < end);
  }
  const density = rng.pick([0.1, 0.25, 0.5, 0.75, 0.9]);
  const mask = maskOf(() => rng.chance(density));
  return mask === 0 ? bit(rng.below(32)) : mask;
}

/**
 * Draws a subset of `within` as `someLanes` does, but without at least one lane, unless `within`
 * has only one.
 */
export function properPart(rng: Random, within: number): number {
  const part = (someLanes(rng) & within) >>> 0;
  if (part !== within) return part;
  const lane = warpLanes.find((candidate) => has(within, candidate)) ?? 0;
  return (part & ~bit(lane)) >>> 0;
}

/**
 * Returns one mask for each lane. Some of `lanes` form disjoint groups, and receive the mask of
 * their group. The others, at least one, receive a mask without their own bit: an empty mask, or
 * the mask of the first of several groups. Lanes that are not in `lanes` receive 0.
 */
export function groupsAndOutsiders(rng: Random, lanes: number): number[] {
  const inside = properPart(rng, lanes);
  const masks = disjointGroups(rng, inside);
  const groups = [...new Set(masks.filter((mask) => mask !== 0))];
  const joined = groups.length > 1 && rng.chance(0.5) ? (groups[0] ?? 0) : 0;
  return masks.map((mask, lane) => (has(lanes, lane) && !has(inside, lane) ? joined : mask));
}

/**
 * Splits `lanes` into disjoint groups, and returns the mask of each lane's group. Lanes that are
 * not in `lanes` receive 0.
 */
export function disjointGroups(rng: Random, lanes: number): number[] {
  const count = 1 + rng.below(rng.pick([2, 4, 8, 32]));
  const groupOf = warpLanes.map(() => rng.below(count));
  return warpLanes.map((lane) =>
    has(lanes, lane) ? maskOf((other) => has(lanes, other) && groupOf[other] === groupOf[lane]) : 0,
  );
}
