// Votes and ballots: a ballot of the executing lanes, of which each lane uses the bits in its own
// membermask.
import type { Mods } from '../../isa/index.ts';
import * as w from '../tree/build.ts';
import type { Expr } from '../tree/nodes.ts';
import { lowestBit } from './reductions.ts';
import {
  constantU32,
  everywhere,
  lowestLane,
  source,
  type WarpLowering,
  type WarpSources,
  type WarpWriter,
} from './warp-writer.ts';

export type Members = (slot: Expr) => Expr;

/**
 * Returns the membermask, or undefined if it contains all lanes or the instruction does not have a
 * membermask.
 */
export function memberMask(sources: WarpSources): Members | undefined {
  const mask = sources.membermask?.[0];
  return mask === undefined || mask.constant === 0xffff_ffffn ? undefined : mask.at;
}

/** Returns the lanes of `bits` that are members. */
export function among(bits: Expr, members: Members | undefined, slot: Expr): Expr {
  if (members === undefined) return bits;
  return w.constantOf(bits) === 0xffff_ffffn ? members(slot) : w.and(bits, members(slot));
}

/**
 * A ballot and its member mask. If the mask is undefined, only members vote, so all lanes of the
 * ballot are members.
 */
interface Votes {
  readonly lanes: Expr;
  readonly members: Members | undefined;
}

/** Returns the ballot of the executing lanes for which the predicate is true. */
export function votes(writer: WarpWriter, hint: string, sources: WarpSources, predicate: (slot: Expr) => Expr): Votes {
  if (sources.membermask?.[0]?.namesGuarded)
    return { lanes: writer.ballot(hint, (slot) => writer.amongGuarded(slot, predicate(slot))), members: undefined };
  const lanes = writer.ballot(hint, (slot) => writer.amongActive(slot, predicate(slot)));
  return { lanes, members: memberMask(sources) };
}

/**
 * Returns the lanes that decide a vote: for `all`, the lanes whose predicate is false, and
 * otherwise the lanes whose predicate is true.
 */
function deciding(writer: WarpWriter, mods: Mods, sources: WarpSources): Votes {
  const { at } = source(sources, 'a');
  return mods.mode === 'all' ? votes(writer, 'no', sources, (s) => w.not(at(s))) : votes(writer, 'yes', sources, at);
}

/**
 * Writes a vote. It always uses ballots, because on an H200 `subgroupBallot(!p).x == 0u` is faster
 * than `subgroupAll(p)`.
 * https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-vote-sync
 */
export const vote: WarpLowering = (writer, mods, sources) => {
  const { lanes, members } = deciding(writer, mods, sources);
  const none = w.u32(0);
  const own = (s: Expr) => among(lanes, members, s);
  if (mods.mode === 'any') return { d: writer.each('bool', 'any_member', (s) => w.ne(own(s), none)) };
  if (mods.mode === 'all') return { d: writer.each('bool', 'all_members', (s) => w.eq(own(s), none)) };
  const exec = writer.exec();
  const isUniform = (s: Expr) => w.either(w.eq(own(s), none), w.eq(own(s), among(exec, memberMask(sources), s)));
  return { d: writer.each('bool', 'uniform_vote', isUniform) };
};

/**
 * Lowers `vote` to a word that is nonzero if `any` is true, and zero if `all` or `uni` is true. For
 * `uni` over all 32 lanes, the word is b * (b + 1), where b is the ballot; this is one
 * multiply-add. One of the factors is odd, so 2^32 divides the product only if it divides the other
 * factor. For fewer lanes, the word is the smaller of the mask of lanes that vote yes and the mask
 * of those that vote no.
 */
export const voteAsWord: WarpLowering = (writer, mods, sources) => {
  const { lanes, members } = deciding(writer, mods, sources);
  const own = (s: Expr) => among(lanes, members, s);
  if (mods.mode !== 'uni') return { d: writer.each('u32', 'voters', own) };
  const named = memberMask(sources);
  if (writer.allActive && named === undefined)
    return { d: everywhere(writer.define('voters', w.add(w.mul(lanes, lanes), lanes))) };
  const exec = writer.exec();
  const lesser = (s: Expr) => w.builtin('min', 'u32', own(s), w.xor(own(s), among(exec, named, s)));
  return { d: writer.each('u32', 'voters', lesser) };
};

export const ballot: WarpLowering = (writer, _mods, sources) => {
  const { lanes, members } = votes(writer, 'yes', sources, source(sources, 'a').at);
  return { d: members ? writer.each('u32', 'ballot', (s) => w.and(lanes, members(s))) : everywhere(lanes) };
};

/** https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-activemask */
export const activemask: WarpLowering = (writer) => ({ d: everywhere(writer.exec()) });

/**
 * Elects the lowest executing member as the leader.
 * https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-elect-sync
 */
export const elect: WarpLowering = (writer, _mods, sources) => {
  const members = memberMask(sources);
  const exec = writer.exec();
  const known = writer.allActive ? source(sources, 'membermask').constant : undefined;
  const leader =
    known === undefined
      ? writer.each('u32', 'leader', (s) => lowestBit(among(exec, members, s)))
      : constantU32(lowestLane(known));
  return { d: leader, p: writer.each('bool', 'elected', (s) => w.eq(writer.lane.at(s), leader.at(s))) };
};
