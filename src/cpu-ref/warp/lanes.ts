// Lanes, masks of lanes, and who takes part in a warp instruction.
import { warpSize } from '../../isa/index.ts';
import type { WarpResult, WarpState } from '../types.ts';

/** A mask with only `lane`'s bit. */
export function bitOf(lane: number): number {
  return (1 << lane) >>> 0;
}

/** Whether `lane` is in `mask`. */
export function has(mask: number, lane: number): boolean {
  return ((mask >>> lane) & 1) === 1;
}

/** The lanes of a mask, in ascending order. */
export function lanesOf(mask: number): readonly number[] {
  const lanes: number[] = [];
  for (let lane = 0; lane < warpSize; lane++) if (has(mask, lane)) lanes.push(lane);
  return lanes;
}

/** One lane's value of the source operand `name`, zero-extended. Throws if the state has no such operand. */
export function sourceOf(warp: WarpState, name: string, lane: number): number | bigint {
  const value = warp.sources[name]?.[lane];
  if (value === undefined) throw new Error(`The warp state has no source '${name}' for lane ${lane}.`);
  return typeof value === 'bigint' ? BigInt.asUintN(64, value) : value >>> 0;
}

/** As `wordOf` of all lanes: the operand is looked up once. */
export function wordsOf(warp: WarpState, name: string): (lane: number) => number {
  const values = warp.sources[name];
  return (lane) => {
    const value = values?.[lane];
    return typeof value === 'number' ? value >>> 0 : wordOf(warp, name, lane);
  };
}

/** As `sourceOf`, for operands of up to 32 bits. */
export function wordOf(warp: WarpState, name: string, lane: number): number {
  const value = sourceOf(warp, name, lane);
  if (typeof value === 'bigint') throw new Error(`Source '${name}' of lane ${lane} has 64 bits instead of 32.`);
  return value;
}

/** The predicates of `members` as a mask. */
export function predicatesOf(warp: WarpState, name: string, members: number): number {
  const word = wordsOf(warp, name);
  let mask = 0;
  for (let lane = 0; lane < warpSize; lane++) if (has(members, lane) && word(lane) !== 0) mask |= bitOf(lane);
  return mask >>> 0;
}

/** Lanes that execute one warp instruction together. */
export interface Group {
  /** Every lane that executes it in this group, and gets a result. */
  readonly lanes: number;
  /** Those of them that take part: a lane without its own bit in its membermask does not. */
  readonly members: number;
  /**
   * Whether the members are all non-exited lanes that the membermask names, and nobody else executes under it. If not, what depends on
   * all of them is undefined: on an H200 a lane outside the mask that it executes under changes what the members get.
   */
  readonly complete: boolean;
}

/**
 * Groups of a `.sync` instruction: an executing thread waits "until all non-exited threads corresponding to membermask
 * have executed [it] with the same qualifiers and same membermask value". So each distinct membermask makes a group, and a
 * lane named in a mask that waits elsewhere, or executes under another mask, leaves that group incomplete.
 */
export function syncGroups(warp: WarpState): readonly Group[] {
  const lanesByMask = new Map<number, number>();
  const membermaskOf = wordsOf(warp, 'membermask');
  // Of lanes side by side with one mask, together.
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

/** The group of an instruction without membermask: the active lanes. */
export function activeGroups(warp: WarpState): readonly Group[] {
  return [{ lanes: warp.active, members: warp.active, complete: true }];
}

/** Gives every lane of a group the same `d`, computed from the group's members; defined for the members of complete groups. */
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

/** The entry of `table` that stands in slot `slot` of the instruction. Throws on a value that the row does not list. */
export function chosen<T>(table: Readonly<Record<string, T>>, mods: Readonly<Record<string, string>>, slot: string): T {
  const name = mods[slot] ?? '';
  const entry = table[name];
  if (entry === undefined) throw new Error(`'.${name}' is no value of slot '.${slot}'.`);
  return entry;
}
