// Votes and ballots: one ballot of the executing lanes, then each lane's own member mask.
import { lowestBit } from './prelude.ts';
import {
  constantU32,
  everywhere,
  lowestLane,
  source,
  type WarpLowering,
  type WarpValue,
  type WarpWriter,
} from './warp-writer.ts';

/// The member mask as WGSL to `&` with; undefined where it has all lanes or the instruction has none.
export function memberMask(sources: Readonly<Record<string, WarpValue>>): ((slot: string) => string) | undefined {
  const mask = sources.membermask;
  return mask === undefined || mask.constant === 0xffffffffn ? undefined : mask.at;
}

/// WGSL of the mask's lanes among those of `bits`.
export function among(bits: string, members: ((slot: string) => string) | undefined, s: string): string {
  if (members === undefined) return bits;
  return bits === '0xffffffffu' ? members(s) : `(${bits} & ${members(s)})`;
}

/// Ballot of the executing lanes in which the predicate holds.
function ballotOf(w: WarpWriter, hint: string, predicate: (slot: string) => string): string {
  return w.ballot(hint, (s) => (w.allActive ? predicate(s) : `${w.active.at(s)} && ${predicate(s)}`));
}

/// Ballots throughout: on an H200 `subgroupBallot(!p).x == 0u` is faster than `subgroupAll(p)`.
/// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-vote-sync
export const vote: WarpLowering = (w, mods, sources) => {
  const a = source(sources, 'a');
  const members = memberMask(sources);
  if (mods.mode === 'any') {
    const yes = ballotOf(w, 'yes', a.at);
    return { d: w.each('bool', 'any_member', (s) => `${among(yes, members, s)} != 0u`) };
  }
  if (mods.mode === 'all') {
    const no = ballotOf(w, 'no', (s) => `!${a.at(s)}`);
    return { d: w.each('bool', 'all_members', (s) => `${among(no, members, s)} == 0u`) };
  }
  const yes = ballotOf(w, 'yes', a.at);
  const exec = w.exec();
  return {
    d: w.each(
      'bool',
      'uniform_vote',
      (s) => `${among(yes, members, s)} == 0u || ${among(yes, members, s)} == ${among(exec, members, s)}`,
    ),
  };
};

export const ballot: WarpLowering = (w, _mods, sources) => {
  const members = memberMask(sources);
  const yes = ballotOf(w, 'yes', source(sources, 'a').at);
  return { d: members ? w.each('u32', 'ballot', (s) => `${yes} & ${members(s)}`) : everywhere('u32', yes) };
};

/// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-activemask
export const activemask: WarpLowering = (w) => ({ d: everywhere('u32', w.exec()) });

/// The lowest executing member is the leader.
/// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-elect-sync
export const elect: WarpLowering = (w, _mods, sources) => {
  const members = memberMask(sources);
  const exec = w.exec();
  const known = w.allActive ? sources.membermask?.constant : undefined;
  const leader =
    known === undefined
      ? w.each('u32', 'leader', (s) => lowestBit(among(exec, members, s)))
      : constantU32(lowestLane(known));
  return { d: leader, p: w.each('bool', 'elected', (s) => `${w.lane.at(s)} == ${leader.at(s)}`) };
};
