// The facts on which the placement of active masks depends, and the masks that a kernel needs.
import type { LanePlan } from '../../base/lane-plan.ts';
import type { Definition } from '../ir/nodes.ts';
import type { Jump, Label, Tree } from './tree.ts';

export interface MaskFacts {
  readonly plan: LanePlan;
  /**
   * Returns the values that lanes read after they waited for a label, and that other lanes may
   * overwrite during the wait.
   */
  readonly keptUntil: (label: Label) => ReadonlySet<Definition>;
  /** Whether the code after the last loop of warp instructions moves into that loop. */
  readonly sinksRest: boolean;
}

/** The masks that a kernel needs. */
export interface Needs {
  /**
   * Whether there is an active mask, because lanes end or leave before others, or a warp has fewer
   * than 32 threads.
   */
  readonly live: boolean;
  /** Whether masks implement all jumps, because some lanes leave a construct before others. */
  readonly masked: boolean;
  /** The kept values: lanes that have left a construct still read them afterwards. */
  readonly kept: ReadonlySet<Definition>;
  /**
   * The constructs that some lanes leave before others. These lanes rejoin the others at the end of
   * the construct.
   */
  readonly rejoins: readonly Jump[];
}

export const noNeeds: Needs = { live: false, masked: false, kept: new Set(), rejoins: [] };

export function sameNeeds(a: Needs, b: Needs): boolean {
  return (
    a.live === b.live && a.masked === b.masked && a.kept.size === b.kept.size && a.rejoins.length === b.rejoins.length
  );
}

/**
 * If the list is a single `if (c) { leave }`, in either arm, returns the equivalent mask change
 * without a branch.
 */
export function leavesWhere(list: readonly Tree[]): Tree | undefined {
  const [tree] = list;
  if (list.length !== 1 || tree?.kind !== 'if' || tree.then.length + tree.else.length !== 1) return undefined;
  const [only] = [...tree.then, ...tree.else];
  if (only?.kind !== 'mask' || only.change.op !== 'leave') return undefined;
  const op = tree.then.length > 0 ? 'leave-if' : 'leave-unless';
  return { kind: 'mask', change: { op, condition: tree.condition, until: only.change.until } };
}
