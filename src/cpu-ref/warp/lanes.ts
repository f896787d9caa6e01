// Lanes, lane masks, and the groups of lanes that execute a warp instruction together.
import { warpSize } from '../../isa/index.ts';
import type { WarpResult, WarpState } from '../types.ts';

/** Returns the mask of one lane. */
export function bitOf(lane: number): number {
  return (1 << lane) >>> 0;
}

/** Whether `lane` is in `mask`. */
export function has(mask: number, lane: number): boolean {
  return ((mask >>> lane) & 1) === 1;
}

/** Returns the lanes of a mask, in ascending order. */
export function lanesOf(mask: number): readonly number[] {
  const lanes: number[] = [];
  for (let lane = 0; lane < warpSize; lane++) if (has(mask, lane)) lanes.push(lane);
  return lanes;
}

/**
 * Returns one lane's value of the source operand `name`, zero-extended. Throws an error if the
 * state does not contain the operand.
 */
export function sourceOf(warp: WarpState, name: string, lane: number): number | bigint {
  const value = warp.sources[name]?.[lane];
  if (value === undefined) throw new Error(`The warp state has no source '${name}' for lane ${lane}.`);
  return typeof value === 'bigint' ? BigInt.asUintN(64, value) : value >>> 0;
}

/** Returns a function that returns `wordOf` for a lane. The operand is looked up only once. */
export function wordsOf(warp: WarpState, name: string): (lane: number) => number {
  const values = warp.sources[name];
  return (lane) => {
    const value = values?.[lane];
    return typeof value === 'number' ? value >>> 0 : wordOf(warp, name, lane);
  };
}

/** Returns one lane's value of a source operand of up to 32 bits. */
export function wordOf(warp: WarpState, name: string, lane: number): number {
  const value = sourceOf(warp, name, lane);
  if (typeof value === 'bigint') throw new Error(`Source '${name}' of lane ${lane} has 64 bits instead of 32.`);
  return value;
}

/** Returns a mask of the members whose predicate is true. */
export function predicatesOf(warp: WarpState, name: string, members: number): number {
  const word = wordsOf(warp, name);
  let mask = 0;
  for (let lane = 0; lane < warpSize; lane++) if (has(members, lane) && word(lane) !== 0) mask |= bitOf(lane);
  return mask >>> 0;
}

/** Lanes that execute one warp instruction together. */
export interface Group {
  /** The lanes that execute the instruction in this group and receive a result. */
  readonly lanes: number;
  /**
   * The lanes that participate. A lane whose membermask does not contain its own bit executes the
   * instruction but does not participate.
   */
  readonly members: number;
  /**
   * Whether the members are all non-exited lanes in the membermask, and no other lane executes with
   * this membermask. If not, results that depend on all members are undefined: on an H200, a lane
   * outside of its own membermask changes the members' results.
   */
  readonly complete: boolean;
}

/**
 * Returns the groups of a `.sync` instruction. An executing thread waits "until all non-exited
 * threads corresponding to membermask have executed [it] with the same qualifiers and same
 * membermask value". So each distinct membermask forms a group. A group is incomplete if a lane in
 * its mask waits at another instruction or executes with another mask.
 */
export function syncGroups(warp: WarpState): readonly Group[] {
  const lanesByMask = new Map<number, number>();
  const membermaskOf = wordsOf(warp, 'membermask');
  // Add adjacent lanes with the same mask to the map together.
  let [mask, lanes] = [0, 0];
  const add = () => {
    if (lanes !== 0) lanesByMask.set(mask, ((lanesByMask.get(mask) ?? 0) | lanes) >>> 0);
  };
  for (let lane = 0; lane < warpSize; lane++) {
    if (!has(warp.active, lane)) continue;
    const membermask = membermaskOf(lane);
    if (membermask !== mask) {
      add();
      [mask, lanes] = [membermask, 0];
    }
    lanes |= bitOf(lane);
  }
  add();
  return [...lanesByMask].map(([membermask, lanes]) => {
    const members = (lanes & membermask) >>> 0;
    const awaited = (membermask & ~warp.exited) >>> 0;
    return { lanes, members, complete: members === awaited && lanes === members };
  });
}

/** Returns the group of an instruction without membermask, which consists of the active lanes. */
export function activeGroups(warp: WarpState): readonly Group[] {
  return [{ lanes: warp.active, members: warp.active, complete: true }];
}

/**
 * Returns a result `d` that is the same for all lanes of a group, computed from the group's
 * members. The result is defined for the members of complete groups.
 */
export function everyLaneGets(groups: readonly Group[], compute: (members: number) => number): WarpResult {
  const d = new Uint32Array(warpSize);
  let defined = 0;
  for (const { lanes, members, complete } of groups) {
    const value = compute(members);
    for (let lane = 0; lane < warpSize; lane++) if (has(lanes, lane)) d[lane] = value;
    if (complete) defined |= members;
  }
  return { results: { d }, defined: { d: defined >>> 0 } };
}

/**
 * Returns the entry of `table` for a modifier of the instruction. Throws an error for a value that
 * the row does not list.
 */
export function chosen<T>(table: Readonly<Record<string, T>>, mods: Readonly<Record<string, string>>, slot: string): T {
  const name = mods[slot] ?? '';
  const entry = table[name];
  if (entry === undefined) throw new Error(`'.${name}' is not a value of slot '.${slot}'.`);
  return entry;
}
