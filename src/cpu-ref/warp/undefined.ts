// Where an undefined source leaves a result undefined, instruction by instruction: those lanes that would get another value if the source
// held another one. What is undefined for other reasons (an inactive source lane, an incomplete group) is in `WarpResult.defined`.
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

/** A lane's own `b` or `c` decides where it reads and whether that is in range; beside them `d` hangs on the `a` of the lane it reads. */
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

/** Gives all lanes of a group the same answer: undefined where a member's `a` is, unless the members whose `a` is defined, `known`, decide. */
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

/** From the members known to be true and to be false. */
const voteDecided: Readonly<Record<string, (yes: number, no: number, members: number) => boolean>> = {
  all: (_, no) => no !== 0,
  any: (yes) => yes !== 0,
  /** One lane always agrees with itself. */
  uni: (yes, no, members) => (yes !== 0 && no !== 0) || isSingle(members),
};

const decidesVote = (...[mods, warp, known, members]: Decision): boolean => {
  const yes = predicatesOf(warp, 'a', known);
  return chosen(voteDecided, mods, 'mode')(yes, known & ~yes, members);
};

/** A lane matches itself, whatever it holds. */
const decidesMatchAny = (...[, , , members]: Decision): boolean => isSingle(members);

/** Two that differ are enough. */
const decidesMatchAll = (...[, warp, known, members]: Decision): boolean =>
  isSingle(members) || new Set(lanesOf(known).map((lane) => sourceOf(warp, 'a', lane))).size > 1;

/** What no further operand changes: `add` and `xor` have none. */
const absorbing: Readonly<Record<string, number>> = {
  'min.u32': 0,
  'max.u32': 0xffffffff,
  'min.s32': 0x80000000,
  'max.s32': 0x7fffffff,
};

const decidesInteger = (...[mods, warp, known]: Decision): boolean =>
  lanesOf(known).some((lane) => wordOf(warp, 'a', lane) === absorbing[`${mods.op}.${mods.type}`]);

/** All bits have to be decided, and no two members need be the same to decide them. */
const decidesBitwise = (...[{ op }, warp, known]: Decision): boolean => {
  const words = lanesOf(known).map((lane) => wordOf(warp, 'a', lane));
  if (op === 'and') return words.length > 0 && words.reduce((x, y) => x & y) === 0;
  return op === 'or' && words.reduce((x, y) => x | y, 0) === -1;
};

/** With `.NaN` one NaN decides. Without, NaNs are skipped, and nothing is beyond an infinity, nor below the zero of absolute values. */
const decidesFloat = (...[mods, warp, known]: Decision): boolean => {
  const words = lanesOf(known).map((lane) => wordOf(warp, 'a', lane));
  if (mods.NaN !== undefined) return words.some(isNaNBits);
  if (mods.op === 'max') return words.some((bits) => (mods.abs === undefined ? bits : magnitude(bits)) === 0x7f800000);
  return words.some((bits) => (mods.abs === undefined ? bits === 0xff800000 : magnitude(bits) === 0));
};

/** Rows whose lanes exchange values. */
export type CollectiveRowName = WarpRowName | MmaRowName | WmmaProductName | 'movmatrix';

/** Undefined operands of each warp instruction to undefined results, by row name. */
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
  // No operand but the membermask.
  activemask: () => ({}),
  'elect.sync': () => ({}),
  'bar.warp.sync': () => ({}),
  ...eachMma(undefinedElements),
  ...eachWmmaProduct(undefinedElements),
  movmatrix: undefinedTransposed,
};

/** Lanes, by result, that an undefined source leaves undefined. Where a membermask is undefined nobody knows who takes part. */
export function undefinedResults(
  row: CollectiveRowName,
  ...[mods, warp, undefinedIn]: Parameters<UndefinedFunction>
): Readonly<Record<string, number>> {
  if ((undefinedIn.membermask ?? 0) !== 0) return { d: warp.active, p: warp.active };
  return undefinedFunctions[row](mods, warp, undefinedIn);
}
