// Removes labels: most `break`s to a labelled block only skip what follows them, which reads better as the other arm of an `if`.
import type { Tree } from './structure.ts';

export function tidyTree(list: readonly Tree[]): readonly Tree[] {
  return list.flatMap((tree): readonly Tree[] => {
    if (tree.kind === 'loop') return [{ ...tree, body: dropTail(tidyTree(tree.body), 'continue', tree.label) }];
    if (tree.kind === 'if') return [{ ...tree, then: tidyTree(tree.then), else: tidyTree(tree.else) }];
    if (tree.kind === 'switch')
      return [{ ...tree, arms: tree.arms.map((arm) => ({ ...arm, body: tidyTree(arm.body) })) }];
    if (tree.kind !== 'block') return [tree];
    const body = dropTail(tidyTree(tree.body), 'break', tree.label);
    return mentions(body, tree.label) ? [{ ...tree, body }] : body;
  });
}

/// Longer chains of conditions stay jumps: as arms they would nest too deeply.
const mostArms = 16;

const endsWithBreak = (list: readonly Tree[], label: number) => {
  const last = list[list.length - 1];
  return last?.kind === 'break' && last.label === label;
};

/// `if (p) { X; break L } Y` becomes `if (p) { X; break L } else { Y }`, whose break then stands at the end of L.
function sink(list: readonly Tree[], label: number): readonly Tree[] {
  const breaks = list.filter(
    (tree) => tree.kind === 'if' && (endsWithBreak(tree.then, label) || endsWithBreak(tree.else, label)),
  );
  if (breaks.length > mostArms) return list;
  for (let index = list.length - 2; index >= 0; index--) {
    const tree = list[index];
    if (tree?.kind !== 'if') continue;
    const rest = list.slice(index + 1);
    if (endsWithBreak(tree.then, label)) {
      return sink([...list.slice(0, index), { ...tree, else: sink([...tree.else, ...rest], label) }], label);
    }
    if (endsWithBreak(tree.else, label)) {
      return sink([...list.slice(0, index), { ...tree, then: sink([...tree.then, ...rest], label) }], label);
    }
  }
  return list;
}

/// Drops jumps that go where falling off the end goes anyway.
function dropTail(whole: readonly Tree[], kind: 'break' | 'continue', label: number): readonly Tree[] {
  const list = kind === 'break' ? sink(whole, label) : whole;
  const last = list[list.length - 1];
  if (last === undefined) return list;
  const before = list.slice(0, -1);
  if (last.kind === kind && last.label === label) return dropTail(before, kind, label);
  if (last.kind === 'if') {
    return [...before, { ...last, then: dropTail(last.then, kind, label), else: dropTail(last.else, kind, label) }];
  }
  if (last.kind === 'switch') {
    return [...before, { ...last, arms: last.arms.map((arm) => ({ ...arm, body: dropTail(arm.body, kind, label) })) }];
  }
  if (last.kind === 'block') return [...before, { ...last, body: dropTail(last.body, kind, label) }];
  // Leaving a loop at the end of a block is leaving the block.
  if (last.kind === 'loop' && kind === 'break' && mentions(last.body, label))
    return [...before, { ...last, exits: [...last.exits, label] }];
  return list;
}

/// Whether `label` is jumped to, other than out of a loop that it leaves.
export function mentions(list: readonly Tree[], label: number): boolean {
  return list.some((tree) => {
    switch (tree.kind) {
      case 'break':
      case 'continue':
        return tree.label === label;
      case 'if':
        return mentions(tree.then, label) || mentions(tree.else, label);
      case 'switch':
        return tree.arms.some((arm) => mentions(arm.body, label));
      case 'loop':
        return !tree.exits.includes(label) && mentions(tree.body, label);
      case 'block':
        return mentions(tree.body, label);
      default:
        return false;
    }
  });
}
