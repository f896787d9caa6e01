// Structured control flow: what a function's graph is written as.
import type { Span } from '../../ptx/ast.ts';
import type { Block, Inst, Param, Value } from '../ir/nodes.ts';

export type Tree =
  /// A run of instructions.
  | { readonly kind: 'code'; readonly insts: readonly Inst[] }
  /// The parameters of a block get their values, all at once.
  | { readonly kind: 'move'; readonly params: readonly Param[]; readonly args: readonly Value[] }
  | {
      readonly kind: 'if';
      readonly condition: Value;
      readonly then: readonly Tree[];
      readonly else: readonly Tree[];
      readonly span: Span | undefined;
    }
  | {
      readonly kind: 'switch';
      readonly selector: Value;
      readonly arms: readonly SwitchArm[];
      readonly span: Span | undefined;
    }
  /// Endless; left by a `break` to one of `exits`. Reaching the end of the body starts it again.
  | { readonly kind: 'loop'; readonly label: Label; readonly exits: readonly Label[]; readonly body: readonly Tree[] }
  /// Runs once; a `break` to its label leaves it.
  | { readonly kind: 'block'; readonly label: Label; readonly body: readonly Tree[] }
  | { readonly kind: 'break'; readonly label: Label }
  | { readonly kind: 'continue'; readonly label: Label }
  | { readonly kind: 'exit' }
  | { readonly kind: 'trap'; readonly span: Span | undefined }
  | { readonly kind: 'return'; readonly values: readonly Value[]; readonly span: Span | undefined }
  /// The lane takes no part any more, until the construct that the jump leaves or continues does; undefined: for good.
  | { readonly kind: 'leave'; readonly until: Jump | undefined };

export type TreeOf<Kind extends Tree['kind']> = Extract<Tree, { readonly kind: Kind }>;
export type Jump = TreeOf<'break' | 'continue'>;

/// A construct that jumps name: where they lead to. Told apart by identity.
export interface Label {
  /// The block that is reached: the header of a loop, or the block behind a construct.
  readonly target: Block | undefined;
}

/// Values of the selector that lead to `body`; the last arm also takes every other value.
export interface SwitchArm {
  readonly values: readonly number[];
  readonly body: readonly Tree[];
}

/// Lists of trees directly inside a tree.
export function listsOf(tree: Tree): readonly (readonly Tree[])[] {
  switch (tree.kind) {
    case 'if':
      return [tree.then, tree.else];
    case 'switch':
      return tree.arms.map(({ body }) => body);
    case 'loop':
    case 'block':
      return [tree.body];
    default:
      return [];
  }
}

/// Whether a list, or what is inside it, has a tree for which `test` holds.
export function some(list: readonly Tree[], test: (tree: Tree) => boolean): boolean {
  return list.some((tree) => test(tree) || listsOf(tree).some((inner) => some(inner, test)));
}

/// Labels of the constructs in a list.
export function labelsOf(list: readonly Tree[], into = new Set<Label>()): Set<Label> {
  for (const tree of list) {
    if (tree.kind === 'loop' || tree.kind === 'block') into.add(tree.label);
    for (const inner of listsOf(tree)) labelsOf(inner, into);
  }
  return into;
}

/// Whether the list has a jump to a label that is neither inside it nor known.
export function jumpsOut(list: readonly Tree[], known: ReadonlySet<Label> = new Set()): boolean {
  return list.some((tree) => {
    switch (tree.kind) {
      case 'break':
      case 'continue':
        return !known.has(tree.label);
      case 'loop':
        return jumpsOut(tree.body, new Set([...known, tree.label, ...tree.exits]));
      case 'block':
        return jumpsOut(tree.body, new Set([...known, tree.label]));
      default:
        return listsOf(tree).some((inner) => jumpsOut(inner, known));
    }
  });
}

/// Whether no path reaches the end of the list.
export function alwaysLeaves(list: readonly Tree[]): boolean {
  const last = list[list.length - 1];
  switch (last?.kind) {
    case 'if':
      return alwaysLeaves(last.then) && alwaysLeaves(last.else);
    case 'exit':
    case 'trap':
    case 'return':
    case 'break':
    case 'continue':
      return true;
    default:
      return false;
  }
}

/// Whether some lane ends inside.
export const endsLanes = (list: readonly Tree[]): boolean =>
  some(list, ({ kind }) => kind === 'exit' || kind === 'trap' || kind === 'return');
