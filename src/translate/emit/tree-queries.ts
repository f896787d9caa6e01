// Questions about structured code.
import type { Instruction } from '../../ptx/ast.ts';
import type { Block } from '../ir.ts';
import type { Tree } from '../structure.ts';

export function labelsOf(list: readonly Tree[]): ReadonlySet<number> {
  return new Set(
    list.flatMap((tree): number[] => {
      if (tree.kind === 'loop' || tree.kind === 'block') return [tree.label, ...labelsOf(tree.body)];
      if (tree.kind === 'if') return [...labelsOf(tree.then), ...labelsOf(tree.else)];
      return tree.kind === 'switch' ? tree.arms.flatMap((arm) => [...labelsOf(arm.body)]) : [];
    }),
  );
}

/// Whether the list has a jump to a label that is neither inside it nor known.
export function jumpsOut(list: readonly Tree[], known: ReadonlySet<number> = new Set()): boolean {
  return list.some((tree) => {
    switch (tree.kind) {
      case 'break':
      case 'continue':
        return !known.has(tree.label);
      case 'if':
        return jumpsOut(tree.then, known) || jumpsOut(tree.else, known);
      case 'switch':
        return tree.arms.some((arm) => jumpsOut(arm.body, known));
      case 'loop':
        return jumpsOut(tree.body, new Set([...known, tree.label, ...tree.exits]));
      case 'block':
        return jumpsOut(tree.body, new Set([...known, tree.label]));
      default:
        return false;
    }
  });
}

/// Whether no path reaches the end of the list.
export function alwaysLeaves(list: readonly Tree[]): boolean {
  const last = list[list.length - 1];
  if (last === undefined) return false;
  if (last.kind === 'if') return alwaysLeaves(last.then) && alwaysLeaves(last.else);
  return last.kind === 'exit' || last.kind === 'break' || last.kind === 'continue' || last.kind === 'trap';
}

/// Whether some lane ends inside.
export function endsLanes(list: readonly Tree[]): boolean {
  return list.some((tree) => {
    if (tree.kind === 'exit' || tree.kind === 'trap') return true;
    if (tree.kind === 'if') return endsLanes(tree.then) || endsLanes(tree.else);
    if (tree.kind === 'switch') return tree.arms.some((arm) => endsLanes(arm.body));
    return (tree.kind === 'loop' || tree.kind === 'block') && endsLanes(tree.body);
  });
}

/// Whether the list holds an instruction of a kind.
export function holds(
  blocks: readonly Block[],
  list: readonly Tree[],
  which: (instruction: Instruction) => boolean,
): boolean {
  return list.some((tree) => {
    switch (tree.kind) {
      case 'code':
        return blocks[tree.block]?.code.some(which) ?? false;
      case 'run':
        return tree.code.some(which);
      case 'if':
        return holds(blocks, tree.then, which) || holds(blocks, tree.else, which);
      case 'switch':
        return tree.arms.some((arm) => holds(blocks, arm.body, which));
      case 'loop':
      case 'block':
        return holds(blocks, tree.body, which);
      default:
        return false;
    }
  });
}
