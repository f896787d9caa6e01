// Runs of lane code between what lanes do together: nothing jumps out of them.
import { type Jump, type Label, mapLists, type Tree } from './tree.ts';

/** Label of the block around one run of lane code. */
export const runLabel: Label = { params: [] };

export interface Run {
  /** Labels of constructs that are inside it. */
  readonly inside: Set<Label>;
  /** Whether nothing comes after the run, so that lanes that end need not say so. */
  readonly final: boolean;
  /** Told of each place where lanes leave: until when, if not for good. */
  readonly leaves: (until: Jump | undefined) => void;
}

/** What would jump out of a run, or end the lane, leaves instead, by the mask. */
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
      // For the body alone; a copy for every loop would be quadratic.
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
