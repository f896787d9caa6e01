// The instructions `vote.sync` and `vote`.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-vote-sync
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-vote
import type { WarpFunction, WarpState } from '../types.ts';
import { activeGroups, chosen, everyLaneGets, type Group, predicatesOf, syncGroups } from './lanes.ts';

/** The result of each mode, from the members whose predicate is true (`yes`) and all `members`. */
const voteModes: Readonly<Record<string, (yes: number, members: number) => boolean>> = {
  /** True if the source predicate is true for all non-exited threads in membermask. */
  all: (yes, members) => yes === members,
  /** True if the source predicate is true for some thread in membermask. */
  any: (yes) => yes !== 0,
  /**
   * True if the source predicate has the same value in all non-exited threads in membermask: true
   * in all, or false in all.
   */
  uni: (yes, members) => yes === members || yes === 0,
};

const voteAmong =
  (groups: (warp: WarpState) => readonly Group[]): WarpFunction =>
  (mods, warp) => {
    const vote = chosen(voteModes, mods, 'mode');
    return everyLaneGets(groups(warp), (members) => (vote(predicatesOf(warp, 'a', members), members) ? 1 : 0));
  };

/**
 * Returns an instruction that computes a ballot: bit i of `d` is the predicate of lane i, and
 * threads not in membermask contribute 0.
 */
const ballotAmong =
  (groups: (warp: WarpState) => readonly Group[]): WarpFunction =>
  (_, warp) =>
    everyLaneGets(groups(warp), (members) => predicatesOf(warp, 'a', members));

export const voteFunctions = {
  'vote.sync': voteAmong(syncGroups),
  'vote.sync.ballot': ballotAmong(syncGroups),
  vote: voteAmong(activeGroups),
  'vote.ballot': ballotAmong(activeGroups),
} satisfies Record<string, WarpFunction>;
