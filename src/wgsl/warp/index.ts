// The lowering of every warp instruction, by the row's name.
import type { WarpRowName } from '../../isa/index.ts';
import { matchAll, matchAny } from './match.ts';
import { reduxBitwise, reduxFloat, reduxInteger } from './redux.ts';
import { shuffle } from './shfl.ts';
import { activemask, ballot, elect, vote } from './vote.ts';
import type { WarpLowering } from './warp-writer.ts';

export { calleesOf, callHelper, lowestBit, type WarpHelper, warpHelperCode } from './prelude.ts';
export type { WarpLowering, WarpValue, WarpWriter } from './warp-writer.ts';

export const warpLowerings: Readonly<Record<WarpRowName, WarpLowering>> = {
  'shfl.sync': shuffle,
  shfl: shuffle,
  'vote.sync': vote,
  'vote.sync.ballot': ballot,
  vote,
  'vote.ballot': ballot,
  'match.any.sync': matchAny,
  'match.all.sync': matchAll,
  'redux.sync': reduxInteger,
  'redux.sync.bitwise': reduxBitwise,
  'redux.sync.f32': reduxFloat,
  activemask,
  'elect.sync': elect,
  // Waiting is the control flow's matter; the memory order, that of the accesses (shared memory is atomic in a kernel that has one).
  'bar.warp.sync': () => ({}),
};
