// Facts about warp instructions for analyses. Every row must have every column, because a missing
// fact would be treated as harmless.

import type { MmaRowName } from '../../isa/matrix.ts';
import { isMmaRow } from '../../isa/row-names.ts';
import type { CollectiveRow } from './attributes.ts';
import type { InstNamed, Value } from './nodes.ts';

export type WarpInst = InstNamed<'warp'>;

/**
 * The uniformity of a result among the lanes that execute the instruction together.
 * - `lane`: divergent
 * - `group`: uniform among lanes with the same membermask; uniform in the warp if there is no mask
 * - `source`: the value of a lane that mode, `b` and `c` select
 */
export type WarpSharing = 'lane' | 'group' | 'source';

export interface WarpFacts {
  /** Whether an argument is the membermask, and its position. */
  readonly membermask: 'last' | undefined;
  /** Whether lanes wait until all lanes of the mask have arrived. */
  readonly waits: boolean;
  /** The uniformity of each result. A result without an entry is divergent. */
  readonly results: readonly WarpSharing[];
  /**
   * Whether the result is the mask of lanes for which the first argument holds, or of all active
   * lanes.
   */
  readonly ballot: 'first' | 'all' | undefined;
  /** Whether the bits of the first argument are tested one by one. */
  readonly testsBits: boolean;
  /** Whether the instruction orders the lanes' accesses to memory. */
  readonly orders: boolean;
  /** Whether the result may be a word instead of an i1 (`asWord`). */
  readonly votes: boolean;
}

/** A shuffle in which each lane reads from the lane whose number is its operand. */
export const readLane = { row: 'shfl.sync', mods: { mode: 'idx' } } as const;

/** Whether an instruction is `readLane`: its arguments are a word, a lane, a clamp and a mask. */
export const readsLane = ({ attrs }: WarpInst): boolean =>
  attrs.row === readLane.row && attrs.mods.mode === readLane.mods.mode;

const electLane = { row: 'elect.sync' } as const;

/** Whether an instruction elects a lane of its membermask. Its second result is true in this lane. */
export const electsLane = ({ attrs }: WarpInst): boolean => attrs.row === electLane.row;

/** A vote on whether the condition holds in every lane of a membermask. */
export const voteOfAll = { row: 'vote.sync', mods: { mode: 'all' } } as const;

const sync = {
  membermask: 'last',
  waits: true,
  ballot: undefined,
  testsBits: false,
  orders: false,
  votes: false,
} as const;
const active = {
  membermask: undefined,
  waits: false,
  ballot: undefined,
  testsBits: false,
  orders: false,
  votes: false,
} as const;

const product: WarpFacts = { ...sync, results: [] };
const facts: Readonly<Record<Exclude<CollectiveRow, MmaRowName>, WarpFacts>> = {
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
  'bar.warp.sync': { ...sync, results: [], orders: true },
};

export const warpFacts = (row: CollectiveRow): WarpFacts => (isMmaRow(row) ? product : facts[row]);

/** Returns the membermask of an instruction, if any. */
export const memberMaskOf = ({ attrs, args }: WarpInst): Value | undefined =>
  warpFacts(attrs.row).membermask === undefined ? undefined : args[args.length - 1];
