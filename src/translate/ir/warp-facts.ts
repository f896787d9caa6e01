// What analyses may take for granted of a warp instruction. Every column must be filled in for every row: what is forgotten would be taken for
// harmless.
import { eachMma } from '../../isa/index.ts';
import type { CollectiveRow } from './attributes.ts';
import type { InstNamed, Value } from './nodes.ts';

export type WarpInst = InstNamed<'warp'>;

/**
 * What a result has in common among the lanes that execute the instruction together.
 * - `lane`: nothing
 * - `group`: the same for all that share a member mask; for all, where there is none
 * - `source`: it is the value of a lane that mode, `b` and `c` choose
 */
export type WarpSharing = 'lane' | 'group' | 'source';

export interface WarpFacts {
  /** Where the member mask stands among the arguments. */
  readonly membermask: 'last' | undefined;
  /** Whether lanes wait until all that the mask names have come. */
  readonly waits: boolean;
  /** By result; those that are left out have nothing in common. */
  readonly results: readonly WarpSharing[];
  /** Whether the result is the mask of lanes in which the first argument holds, or of all that are there. */
  readonly ballot: 'first' | 'all' | undefined;
  /** Whether bits of the first argument are tested one after the other. */
  readonly testsBits: boolean;
  /** Whether the result may be a word in place of a truth value: `asWord`. */
  readonly votes: boolean;
}

/** Whether the condition holds in every lane of a member mask. */
export const voteOfAll = { row: 'vote.sync', mods: { mode: 'all' } } as const;

const sync = { membermask: 'last', waits: true, ballot: undefined, testsBits: false, votes: false } as const;
const active = { membermask: undefined, waits: false, ballot: undefined, testsBits: false, votes: false } as const;

export const warpFacts: Readonly<Record<CollectiveRow, WarpFacts>> = {
  'shfl.sync': { ...sync, results: ['source', 'source'] },
  shfl: { ...active, results: ['source', 'source'] },
  'vote.sync': { ...sync, results: ['group'], votes: true },
  'vote.sync.ballot': { ...sync, results: ['group'], ballot: 'first' },
  vote: { ...active, results: ['group'], votes: true },
  'vote.ballot': { ...active, results: ['group'] },
  'match.any.sync': { ...sync, results: ['lane'], testsBits: true },
  'match.all.sync': { ...sync, results: ['group', 'group'] },
  'redux.sync': { ...sync, results: ['group'] },
  'redux.sync.bitwise': { ...sync, results: ['group'] },
  'redux.sync.f32': { ...sync, results: ['group'] },
  activemask: { ...active, results: ['group'], ballot: 'all' },
  'elect.sync': { ...sync, results: ['group', 'lane'] },
  'bar.warp.sync': { ...sync, results: [] },
  ...eachMma<WarpFacts>({ ...sync, results: [] }),
};

/** The mask of lanes that an instruction names; undefined where it has none. */
export const memberMaskOf = ({ attrs, args }: WarpInst): Value | undefined =>
  warpFacts[attrs.row].membermask === undefined ? undefined : args[args.length - 1];
