// Rewrites runs of lane code between collectives, so that nothing jumps out of them.
import { type Jump, type Label, mapLists, type Tree } from './tree.ts';

/** The label of the block around a run of lane code. */
export const runLabel: Label = { params: [] };

export interface Run {
  /** The labels of constructs inside the run. */
  readonly inside: Set<Label>;
  /** Whether nothing follows the run. A lane that ends then needs no mask. */
  readonly final: boolean;
  /**
   * Called for each place at which lanes become inactive. `until`: the jump at whose target they
   * become active again; undefined if they remain inactive.
   */
  readonly leaves: (until: Jump | undefined) => void;
}

/**
 * Replaces each jump out of the run, and each exit of a lane, with a change of the active mask and
 * a jump to the end of the run.
 */
export const leaveInstead = (trees: readonly Tree[], run: Run): readonly Tree[] =>
  trees.flatMap((tree) => leavingTree(tree, run));

const leave = (until: Jump | undefined): Tree => ({ kind: 'mask', change: { op: 'leave', until } });

function leavingTree(tree: Tree, run: Run): readonly Tree[] {
  const { inside, final } = run;
  const list = (trees: readonly Tree[]) => leaveInstead(trees, run);
  const away: Tree = { kind: 'break', label: runLabel };
  switch (tree.kind) {
    case 'exit':
      if (!final) run.leaves(undefined);
      return final ? [away] : [leave(undefined), away];
    case 'trap':
      run.leaves(undefined);
      return [tree, leave(undefined), away];
    case 'break':
    case 'continue':
      if (inside.has(tree.label)) return [tree];
      run.leaves(tree);
      return [leave(tree), away];
    case 'loop': {
      // Add the exits only during the visit of the body, because a copy of the set for each loop
      // would need quadratic time.
      const exits = tree.exits.filter((label) => !inside.has(label));
      for (const label of exits) inside.add(label);
      const body = list(tree.body);
      for (const label of exits) inside.delete(label);
      return [{ ...tree, body }];
    }
    default:
      return [mapLists(tree, list)];
  }
}
