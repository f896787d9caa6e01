// A run of lane code as one labelled block: what would jump out of it, or end the lane, leaves instead, by the mask.
import type { Tree } from '../structure.ts';
import { tidyTree } from '../tidy-tree.ts';
import { labelsOf } from './tree-queries.ts';

/// Label of the block around one run; labels of blocks and loops are not negative.
const runLabel = -1;

/// `final`: nothing comes after the run, so that lanes that end need not say so.
export function runOf(trees: readonly Tree[], final: boolean): readonly Tree[] {
  const inside = labelsOf(trees);
  return tidyTree([
    { kind: 'block', label: runLabel, body: trees.flatMap((tree) => leaveInstead(tree, inside, final)) },
  ]);
}

function leaveInstead(tree: Tree, inside: ReadonlySet<number>, final: boolean): readonly Tree[] {
  const list = (trees: readonly Tree[]) => trees.flatMap((inner) => leaveInstead(inner, inside, final));
  const away: Tree = { kind: 'break', label: runLabel };
  switch (tree.kind) {
    case 'exit':
      return final ? [away] : [{ kind: 'leave', until: undefined }, away];
    case 'trap':
      return [tree, { kind: 'leave', until: undefined }, away];
    case 'break':
    case 'continue':
      return inside.has(tree.label) ? [tree] : [{ kind: 'leave', until: tree }, away];
    case 'if':
      return [{ ...tree, then: list(tree.then), else: list(tree.else) }];
    case 'switch':
      return [{ ...tree, arms: tree.arms.map((arm) => ({ ...arm, body: list(arm.body) })) }];
    case 'loop': {
      const within = new Set([...inside, ...tree.exits]);
      return [{ ...tree, body: tree.body.flatMap((inner) => leaveInstead(inner, within, final)) }];
    }
    case 'block':
      return [{ ...tree, body: list(tree.body) }];
    default:
      return [tree];
  }
}
