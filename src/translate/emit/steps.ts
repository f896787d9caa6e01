// The steps of a kernel whose warp instructions stand in place, the facts that they rest on, and the masks that they need.
import type { Definition, Inst, Value } from '../ir/nodes.ts';
import type { Jump, Label, Tree, TreeOf } from '../structure/tree.ts';

/// What lanes have to agree on.
export type Agreement = 'none' | 'subgroup' | 'block';

/// Facts that a plan rests on.
export interface Facts {
  /// Whether all lanes of a warp, or threads of a block, hold the same value.
  readonly isUniform: (value: Value, among: 'warp' | 'block') => boolean;
  /// Whether WGSL's own analysis sees that a value is the same in the block.
  readonly isProvable: (value: Value) => boolean;
  /// Warps of a subgroup.
  readonly warpsInSubgroup: number;
  /// Whether warp instructions are barriers of the block.
  readonly exchangesInWorkgroup: boolean;
  /// Definitions that lanes which wait for a label to be reached go on with there, and that other lanes may make anew before.
  readonly keptUntil: (label: Label) => ReadonlySet<Definition>;
  /// Whether the code after the last loop of warp instructions moves into that loop.
  readonly sinksRest: boolean;
}

/// Masks that a kernel needs.
export interface Needs {
  /// Lanes end or leave before others, or never existed: `live` is the active mask.
  readonly live: boolean;
  /// Some lanes leave a construct before others: then all jumps are by masks.
  readonly masked: boolean;
  /// Values that lanes which have left still read where they go on.
  readonly kept: ReadonlySet<Definition>;
  /// Constructs that lanes leave before others, to rejoin them at the end.
  readonly rejoins: readonly Jump[];
}

export const noNeeds: Needs = { live: false, masked: false, kept: new Set(), rejoins: [] };

export function sameNeeds(a: Needs, b: Needs): boolean {
  return (
    a.live === b.live && a.masked === b.masked && a.kept.size === b.kept.size && a.rejoins.length === b.rejoins.length
  );
}

export type Step =
  /// Lane code, for each lane; of those that are live only, where it is masked.
  | { readonly kind: 'lanes'; readonly body: readonly Tree[]; readonly masked: boolean }
  /// Lanes where the condition does not hold leave: WGSL that any lane may compute.
  | { readonly kind: 'leave'; readonly condition: Value; readonly negated: boolean; readonly until: Jump | undefined }
  | { readonly kind: 'collective'; readonly inst: Inst; readonly keep: boolean }
  | {
      readonly kind: 'if';
      readonly condition: Value;
      readonly agreement: Agreement;
      readonly then: readonly Step[];
      readonly else: readonly Step[];
      readonly tree: TreeOf<'if'>;
    }
  | {
      readonly kind: 'arms';
      readonly condition: Value;
      readonly then: Arm;
      readonly else: Arm;
      readonly tree: TreeOf<'if'>;
    }
  | {
      readonly kind: 'loop';
      readonly tree: TreeOf<'loop'>;
      readonly body: readonly Step[];
      readonly agreement: Agreement;
      readonly endless: boolean;
    }
  | { readonly kind: 'block'; readonly label: Label; readonly body: readonly Step[] }
  | { readonly kind: 'jump'; readonly jump: Jump }
  /// All lanes that are there leave.
  | { readonly kind: 'leave-all'; readonly until: Jump | undefined }
  /// Lanes that left for this come back.
  | { readonly kind: 'return'; readonly jump: Jump };

/// Steps of the lanes of one arm; `agreement` asks whether there are any.
export interface Arm {
  readonly steps: readonly Step[];
  readonly agreement: Agreement;
}

/// `if (c) { leave }` alone, either way round.
export function leavesWhere(list: readonly Tree[]): Extract<Step, { kind: 'leave' }> | undefined {
  const [tree] = list;
  if (list.length !== 1 || tree?.kind !== 'if' || tree.then.length + tree.else.length !== 1) return undefined;
  const [only] = [...tree.then, ...tree.else];
  if (only?.kind !== 'leave') return undefined;
  return { kind: 'leave', condition: tree.condition, negated: tree.then.length > 0, until: only.until };
}
