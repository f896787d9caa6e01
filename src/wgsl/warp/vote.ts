// Votes and ballots: one ballot of the executing lanes, then each lane's own member mask.
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

/// The member mask; undefined where it has all lanes or the instruction has none.
export function memberMask(sources: WarpSources): Members | undefined {
  const [mask] = sources.membermask ?? [];
  return mask === undefined || mask.constant === 0xffff_ffffn ? undefined : mask.at;
}

/// The mask's lanes among those of `bits`.
export function among(bits: Expr, members: Members | undefined, slot: Expr): Expr {
  if (members === undefined) return bits;
  return w.constantOf(bits) === 0xffff_ffffn ? members(slot) : w.and(bits, members(slot));
}

/// Ballot of the executing lanes in which the predicate holds.
const ballotOf = (writer: WarpWriter, hint: string, predicate: (slot: Expr) => Expr): Expr =>
  writer.ballot(hint, (slot) => writer.amongActive(slot, predicate(slot)));

/// Ballots throughout: on an H200 `subgroupBallot(!p).x == 0u` is faster than `subgroupAll(p)`.
/// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-vote-sync
export const vote: WarpLowering = (writer, mods, sources) => {
  const a = source(sources, 'a');
  const members = memberMask(sources);
  const none = w.u32(0);
  if (mods.mode === 'any') {
    const yes = ballotOf(writer, 'yes', a.at);
    return { d: writer.each('bool', 'any_member', (s) => w.ne(among(yes, members, s), none)) };
  }
  if (mods.mode === 'all') {
    const no = ballotOf(writer, 'no', (s) => w.not(a.at(s)));
    return { d: writer.each('bool', 'all_members', (s) => w.eq(among(no, members, s), none)) };
  }
  const yes = ballotOf(writer, 'yes', a.at);
  const exec = writer.exec();
  const isUniform = (s: Expr) =>
    w.either(w.eq(among(yes, members, s), none), w.eq(among(yes, members, s), among(exec, members, s)));
  return { d: writer.each('bool', 'uniform_vote', isUniform) };
};

export const ballot: WarpLowering = (writer, _mods, sources) => {
  const members = memberMask(sources);
  const yes = ballotOf(writer, 'yes', source(sources, 'a').at);
  return { d: members ? writer.each('u32', 'ballot', (s) => w.and(yes, members(s))) : everywhere(yes) };
};

/// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-activemask
export const activemask: WarpLowering = (writer) => ({ d: everywhere(writer.exec()) });

/// The lowest executing member is the leader.
/// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-elect-sync
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
