// For each warp instruction, determines the lanes whose result is undefined because of an undefined
// source: another value of the source would change the result. `WarpResult.defined` covers other
// reasons, such as an inactive source lane or an incomplete group.
import { eachMma, eachWmmaProduct, type MmaRowName, type WarpRowName, type WmmaProductName } from '../../isa/index.ts';
import { isNaNBits, magnitude } from '../lane/float-bits.ts';
import type { UndefinedFunction, WarpState } from '../types.ts';
import {
  activeGroups,
  bitOf,
  chosen,
  type Group,
  has,
  lanesOf,
  predicatesOf,
  sourceOf,
  syncGroups,
  wordOf,
} from './lanes.ts';
import { undefinedElements } from './mma.ts';
import { undefinedTransposed } from './movmatrix.ts';
import { shflModes, shflSource } from './shfl.ts';

type Groups = (warp: WarpState) => readonly Group[];

/**
 * Determines the undefined results of a shuffle. A lane's own `b` and `c` determine its source lane
 * and the predicate. `d` also depends on the `a` of the source lane.
 */
const shuffle: UndefinedFunction = (mods, warp, { a = 0, b = 0, c = 0 }) => {
  const mode = chosen(shflModes, mods, 'mode');
  const p = b | c;
  let d = p;
  for (const lane of lanesOf(warp.active & ~p)) {
    const source = shflSource(mode, lane, wordOf(warp, 'b', lane), wordOf(warp, 'c', lane)) & 0x1f;
    if (has(a, source)) d |= bitOf(lane);
  }
  return { d, p };
};

/**
 * Returns a function whose result is the same for all lanes of a group. The results are undefined
 * if `a` of any member is undefined. Exception: the `known` members, whose `a` is defined, may
 * already decide the result.
 */
const unlessDecided =
  (groups: Groups, results: readonly string[], decides: (...args: Decision) => boolean): UndefinedFunction =>
  (mods, warp, { a = 0 }) => {
    let undefinedIn = 0;
    for (const { lanes, members } of groups(warp)) {
      if ((members & a) !== 0 && !decides(mods, warp, (members & ~a) >>> 0, members)) undefinedIn |= lanes;
    }
    return Object.fromEntries(results.map((name) => [name, undefinedIn]));
  };

type Decision = [mods: Parameters<UndefinedFunction>[0], warp: WarpState, known: number, members: number];

const never = (): boolean => false;
const isSingle = (members: number): boolean => (members & (members - 1)) === 0;

/**
 * By mode: whether the members whose predicate is known to be true (`yes`) and false (`no`) decide
 * the result.
 */
const voteDecided: Readonly<Record<string, (yes: number, no: number, members: number) => boolean>> = {
  all: (_, no) => no !== 0,
  any: (yes) => yes !== 0,
  /** A single lane always has the same value as itself. */
  uni: (yes, no, members) => (yes !== 0 && no !== 0) || isSingle(members),
};

const decidesVote = (...[mods, warp, known, members]: Decision): boolean => {
  const yes = predicatesOf(warp, 'a', known);
  return chosen(voteDecided, mods, 'mode')(yes, known & ~yes, members);
};

/**
 * Whether the known members decide the result. A single lane matches itself, whatever its value.
 */
const decidesMatchAny = (...[, , , members]: Decision): boolean => isSingle(members);

/** Whether the known members decide the result. Two known values that differ decide it. */
const decidesMatchAll = (...[, warp, known, members]: Decision): boolean =>
  isSingle(members) || new Set(lanesOf(known).map((lane) => sourceOf(warp, 'a', lane))).size > 1;

/**
 * The absorbing element of each operation: if an operand has this value, other operands do not
 * change the result. `add` and `xor` do not have such an element.
 */
const absorbing: Readonly<Record<string, number>> = {
  'min.u32': 0,
  'max.u32': 0xffffffff,
  'min.s32': 0x80000000,
  'max.s32': 0x7fffffff,
};

const decidesInteger = (...[mods, warp, known]: Decision): boolean =>
  lanesOf(known).some((lane) => wordOf(warp, 'a', lane) === absorbing[`${mods.op}.${mods.type}`]);

/** Whether the known members decide every bit. Different members may decide different bits. */
const decidesBitwise = (...[{ op }, warp, known]: Decision): boolean => {
  const words = lanesOf(known).map((lane) => wordOf(warp, 'a', lane));
  if (op === 'and') return words.length > 0 && words.reduce((x, y) => x & y) === 0;
  return op === 'or' && words.reduce((x, y) => x | y, 0) === -1;
};

/**
 * Whether the known members decide the result. With `.NaN`, a NaN decides it. Without `.NaN`, NaNs
 * are skipped, and the extreme value decides it: an infinity, or a zero for `min` with `.abs`.
 */
const decidesFloat = (...[mods, warp, known]: Decision): boolean => {
  const words = lanesOf(known).map((lane) => wordOf(warp, 'a', lane));
  if (mods.NaN !== undefined) return words.some(isNaNBits);
  if (mods.op === 'max') return words.some((bits) => (mods.abs === undefined ? bits : magnitude(bits)) === 0x7f800000);
  return words.some((bits) => (mods.abs === undefined ? bits === 0xff800000 : magnitude(bits) === 0));
};

/** The rows whose lanes exchange values. */
export type CollectiveRowName = WarpRowName | MmaRowName | WmmaProductName | 'movmatrix';

/** The functions that determine undefined results, by row name. */
const undefinedFunctions: Readonly<Record<CollectiveRowName, UndefinedFunction>> = {
  'shfl.sync': shuffle,
  shfl: shuffle,
  'vote.sync': unlessDecided(syncGroups, ['d'], decidesVote),
  vote: unlessDecided(activeGroups, ['d'], decidesVote),
  'vote.sync.ballot': unlessDecided(syncGroups, ['d'], never),
  'vote.ballot': unlessDecided(activeGroups, ['d'], never),
  'match.any.sync': unlessDecided(syncGroups, ['d'], decidesMatchAny),
  'match.all.sync': unlessDecided(syncGroups, ['d', 'p'], decidesMatchAll),
  'redux.sync': unlessDecided(syncGroups, ['d'], decidesInteger),
  'redux.sync.bitwise': unlessDecided(syncGroups, ['d'], decidesBitwise),
  'redux.sync.f32': unlessDecided(syncGroups, ['d'], decidesFloat),
  // The only operand of these instructions is the membermask.
  activemask: () => ({}),
  'elect.sync': () => ({}),
  'bar.warp.sync': () => ({}),
  ...eachMma(undefinedElements),
  ...eachWmmaProduct(undefinedElements),
  movmatrix: undefinedTransposed,
};

/**
 * Returns, for each result, the lanes in which an undefined source makes the result undefined. If a
 * membermask is undefined, the participating lanes are unknown, so all results are undefined.
 */
export function undefinedResults(
  row: CollectiveRowName,
  ...[mods, warp, undefinedIn]: Parameters<UndefinedFunction>
): Readonly<Record<string, number>> {
  if ((undefinedIn.membermask ?? 0) !== 0) return { d: warp.active, p: warp.active };
  return undefinedFunctions[row](mods, warp, undefinedIn);
}
