// The lowerings of the warp instructions, by the row's name.
import { at, get } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import { Part } from '../../base/part.ts';
import type { MmaRowName } from '../../isa/matrix.ts';
import type { Mods } from '../../isa/row.ts';
import { isMmaRow } from '../../isa/row-names.ts';
import { type WarpRowName, warpRows } from '../../isa/warp.ts';
import { matchAll, matchAny } from './match.ts';
import type { multiplyMatrices } from './mma.ts';
import type { FactorPair } from './mma-fragments.ts';
import { reduxBitwise, reduxFloat, reduxInteger } from './redux.ts';
import { shuffle } from './shfl.ts';
import { activemask, ballot, elect, vote, voteAsWord } from './vote.ts';
import { type WarpLowering, type WarpSite, type WarpValue, WarpWriter } from './warp-writer.ts';

export { type WarpHelper, WarpPrelude } from './prelude.ts';
export { anyInSubgroup, lowestBit } from './reductions.ts';
export type { WarpSite, WarpValue } from './warp-writer.ts';
export type { ExchangeMemory } from './workgroup-exchange.ts';

/** The lowering of products of matrices. */
export const matrixLowering = new Part<{ readonly multiplyMatrices: typeof multiplyMatrices }>('matrices');

const warpLowerings: Readonly<Record<WarpRowName, WarpLowering>> = {
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
  // The control flow makes the lanes of a subgroup wait. The accesses have the required order,
  // because shared memory is atomic in a kernel that contains this instruction.
  'bar.warp.sync': (writer) => {
    writer.order();
    return {};
  },
};

interface Operands {
  readonly writes: readonly string[];
  /** The operands that the instruction reads, in the order of the row's syntax. */
  readonly reads: readonly string[];
}

const operands: ReadonlyMap<WarpRowName, Operands> = new Map(
  warpRows.map(({ name, writes, types }): [WarpRowName, Operands] => {
    const written: ReadonlySet<string> = new Set(writes);
    return [name, { writes, reads: Object.keys(types).filter((operand) => !written.has(operand)) }];
  }),
);

export interface WarpInstruction {
  readonly row: WarpRowName | MmaRowName;
  readonly mods: Mods;
  /** For joined matrix products: the indices of the factors of each product. */
  readonly products?: readonly FactorPair[] | undefined;
  /** Whether the result of a vote is a word (`voteAsWord`). */
  readonly asWord?: true | undefined;
  /**
   * The words of the operands, in the order of the row's syntax. If there are more words than
   * operands, the first operand has two words. For rows that multiply matrices, these are the words
   * of A, B and C, followed by the membermask. For joined products, these are the words of all A,
   * all B and all C.
   */
  readonly args: readonly WarpValue[];
  /** For each result, in the order of the row's syntax: whether it is used. */
  readonly wanted: readonly boolean[];
}

const noNames: ReadonlySet<string> = new Set();
const ofOne = new Map<string, ReadonlySet<string>>();

/**
 * Returns the names of used results. The names are cached, because most instructions have a single
 * result, which is used.
 */
function wantedNames(writes: readonly string[], wanted: readonly boolean[]): ReadonlySet<string> {
  const names = writes.filter((_, index) => wanted[index]);
  const [first] = names;
  if (first === undefined) return noNames;
  if (names.length > 1) return new Set(names);
  return getOrInsert(ofOne, first, () => new Set(names));
}

/**
 * Writes a warp instruction. Returns its results in the order of the row's syntax. Results that are
 * not used are undefined.
 */
export function lowerWarp(
  site: WarpSite,
  { row, mods, args, wanted, products, asWord }: WarpInstruction,
): readonly (WarpValue | undefined)[] {
  if (isMmaRow(row))
    return matrixLowering.content.multiplyMatrices(new WarpWriter(site), mods, args.slice(0, -1), products);
  const { writes, reads } = get(operands, row, 'the operands of a row');
  const extra = args.length - reads.length;
  const sources: Record<string, readonly WarpValue[]> = {};
  for (let index = 0; index < reads.length; index++) {
    const from = index === 0 ? 0 : index + extra;
    sources[at(reads, index, 'an operand of a row')] = args.slice(from, index + extra + 1);
  }
  const names = wantedNames(writes, wanted);
  const lowering = asWord ? voteAsWord : warpLowerings[row];
  const results = lowering(new WarpWriter(site), mods, sources, names);
  return writes.map((name) => (names.has(name) ? results[name] : undefined));
}
