// What the placing of active masks rests on, and the masks that a kernel turns out to need.
import type { Definition } from '../ir/nodes.ts';
import type { Jump, Label, Tree } from './tree.ts';

/** Facts that masks rest on. */
export interface MaskFacts {
  /** Warps of a subgroup. */
  readonly warpsInSubgroup: number;
  /** Whether warp instructions are barriers of the block. */
  readonly exchangesInWorkgroup: boolean;
  /** Definitions that lanes which wait for a label to be reached go on with there, and that other lanes may make anew before. */
  readonly keptUntil: (label: Label) => ReadonlySet<Definition>;
  /** Whether the code after the last loop of warp instructions moves into that loop. */
  readonly sinksRest: boolean;
}

/** Masks that a kernel needs. */
export interface Needs {
  /** Lanes end or leave before others, or never existed: there is an active mask. */
  readonly live: boolean;
  /** Some lanes leave a construct before others: then all jumps are by masks. */
  readonly masked: boolean;
  /** Values that lanes which have left still read where they go on. */
  readonly kept: ReadonlySet<Definition>;
  /** Constructs that lanes leave before others, to rejoin them at the end. */
  readonly rejoins: readonly Jump[];
}

export const noNeeds: Needs = { live: false, masked: false, kept: new Set(), rejoins: [] };

export function sameNeeds(a: Needs, b: Needs): boolean {
  return (
    a.live === b.live && a.masked === b.masked && a.kept.size === b.kept.size && a.rejoins.length === b.rejoins.length
  );
}

/** `if (c) { leave }` alone, either way round, as a change that needs no branch. */
export function leavesWhere(list: readonly Tree[]): Tree | undefined {
  const [tree] = list;
  if (list.length !== 1 || tree?.kind !== 'if' || tree.then.length + tree.else.length !== 1) return undefined;
  const [only] = [...tree.then, ...tree.else];
  if (only?.kind !== 'mask' || only.change.op !== 'leave') return undefined;
  const { until } = only.change;
  return {
    kind: 'mask',
    change: { op: 'leave-unless', condition: tree.condition, negated: tree.then.length > 0, until },
  };
}
