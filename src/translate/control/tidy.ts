// Removes labels. Most `break`s to a labeled block only skip the code after them, which becomes the
// other arm of an `if`.
import { type Label, mapLists, type Tree } from './tree.ts';

export function tidyTree(list: readonly Tree[]): readonly Tree[] {
  return list.flatMap((whole): readonly Tree[] => {
    const tree = mapLists(whole, tidyTree);
    switch (tree.kind) {
      case 'loop':
        return [{ ...tree, body: dropTail(tree.body, 'continue', tree.label) }];
      case 'if':
        return tree.then.length + tree.else.length === 0 ? [] : [tree];
      case 'block': {
        const body = dropTail(tree.body, 'break', tree.label);
        return mentions(body, tree.label) ? [{ ...tree, body }] : body;
      }
      default:
        return [tree];
    }
  });
}

/** Turns `if (c) { A } else { jump }` into `if (!c) { jump } A`, which nests less. */
export function flattenGuards(list: readonly Tree[]): readonly Tree[] {
  return list.flatMap((tree): readonly Tree[] => {
    const inner = mapLists(tree, flattenGuards);
    if (inner.kind !== 'if') return [inner];
    const { then, else: otherwise } = inner;
    if (isJump(otherwise) && then.length > 0 && !isJump(then)) return [{ ...inner, then: [] }, ...then];
    if (isJump(then) && otherwise.length > 0) return [{ ...inner, else: [] }, ...otherwise];
    return [inner];
  });
}

/** Whether a list consists of moves and a jump. */
function isJump(list: readonly Tree[]): boolean {
  const last = list[list.length - 1];
  return (
    (last?.kind === 'break' || last?.kind === 'continue') && list.slice(0, -1).every(({ kind }) => kind === 'move')
  );
}

/**
 * The maximum length of a chain of conditions that becomes arms. Longer chains would nest too
 * deeply.
 */
const maxArms = 16;

function endsWithBreak(list: readonly Tree[], label: Label): boolean {
  const last = list[list.length - 1];
  return last?.kind === 'break' && last.label === label;
}

/**
 * Turns `if (p) { X; break L } Y` into `if (p) { X; break L } else { Y }`. Then the break is at the
 * end of L.
 */
function sink(list: readonly Tree[], label: Label): readonly Tree[] {
  const breaks = list.filter(
    (tree) => tree.kind === 'if' && (endsWithBreak(tree.then, label) || endsWithBreak(tree.else, label)),
  );
  if (breaks.length > maxArms) return list;
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

/** Removes jumps to the place that the end of the list reaches anyway. */
function dropTail(whole: readonly Tree[], kind: 'break' | 'continue', label: Label): readonly Tree[] {
  const list = kind === 'break' ? sink(whole, label) : whole;
  const last = list[list.length - 1];
  const before = list.slice(0, -1);
  switch (last?.kind) {
    case 'break':
    case 'continue':
      return last.kind === kind && last.label === label ? dropTail(before, kind, label) : list;
    case 'if': {
      const dropped = { ...last, then: dropTail(last.then, kind, label), else: dropTail(last.else, kind, label) };
      return dropped.then.length + dropped.else.length === 0 ? dropTail(before, kind, label) : [...before, dropped];
    }
    case 'switch':
      return [
        ...before,
        { ...last, arms: last.arms.map((arm) => ({ ...arm, body: dropTail(arm.body, kind, label) })) },
      ];
    case 'block':
      return [...before, { ...last, body: dropTail(last.body, kind, label) }];
    case 'loop':
      // At the end of a block, a jump out of a loop can leave the block at the same time.
      return kind === 'break' && mentions(last.body, label)
        ? [...before, { ...last, exits: [...last.exits, label] }]
        : list;
    default:
      return list;
  }
}

/** Whether a tree of the list jumps to `label`, apart from exits of a loop. */
export function mentions(list: readonly Tree[], label: Label): boolean {
  // Walk the nested lists directly: lists of lists for each construct would double the time.
  for (const tree of list) {
    switch (tree.kind) {
      case 'break':
      case 'continue':
        if (tree.label === label) return true;
        break;
      case 'if':
        if (mentions(tree.then, label) || mentions(tree.else, label)) return true;
        break;
      case 'loop':
        if (!tree.exits.includes(label) && mentions(tree.body, label)) return true;
        break;
      case 'block':
        if (mentions(tree.body, label)) return true;
        break;
      case 'switch':
        if (tree.arms.some(({ body }) => mentions(body, label))) return true;
        break;
      default:
    }
  }
  return false;
}
