// Control-flow graph to nested statements. Follows the dominator tree (N. Ramsey, "Beyond Relooper", ICFP 2022): a block with several
// forward predecessors goes after a labelled construct that its predecessors break out of. Blocks that leave a loop are placed behind it.
import type { Guard, Instruction, Operand, Span } from '../ptx/ast.ts';
import { findLoops, immediateDominators } from './dominators.ts';
import { type Block, blockAt, predecessors, successors } from './ir.ts';

export type Tree =
  | { readonly kind: 'code'; readonly block: number }
  | {
      readonly kind: 'if';
      readonly guard: Guard;
      readonly then: readonly Tree[];
      readonly else: readonly Tree[];
      readonly span: Span;
    }
  | { readonly kind: 'switch'; readonly selector: Operand; readonly arms: readonly SwitchArm[]; readonly span: Span }
  /// Endless; left by a `break` to one of `exits`. Reaching the end of the body starts it again.
  | { readonly kind: 'loop'; readonly label: number; readonly exits: readonly number[]; readonly body: readonly Tree[] }
  /// Runs once; `break` to its label leaves it.
  | { readonly kind: 'block'; readonly label: number; readonly body: readonly Tree[] }
  | { readonly kind: 'break'; readonly label: number }
  | { readonly kind: 'continue'; readonly label: number }
  | { readonly kind: 'exit' }
  | { readonly kind: 'trap'; readonly span: Span }
  /// The lane takes no part any more, until the construct called `until` ends; undefined: for good.
  | { readonly kind: 'leave'; readonly until: Jump | undefined }
  /// A run of instructions of one block.
  | { readonly kind: 'run'; readonly code: readonly Instruction[] };

export interface Jump {
  readonly kind: 'break' | 'continue';
  readonly label: number;
}

/// Table positions of a brx.idx that lead to `body`; the last arm also takes every other value.
export interface SwitchArm {
  readonly values: readonly number[];
  readonly body: readonly Tree[];
}

/// Constructs inside each other at most; WGSL compilers limit how deep statements nest.
const deepest = 100;

/// The tree of a reducible graph; undefined for an irreducible one, and for one that nests too deeply. Labels: `2 * header` for loops,
/// `2 * follow + 1` for blocks.
export function structure(blocks: readonly Block[]): readonly Tree[] | undefined {
  const idom = immediateDominators(blocks);
  const loops = findLoops(blocks, idom);
  if (!loops.reducible) return undefined;
  const incoming = predecessors(blocks);
  const forward = incoming.map((from, node) => from.filter((source) => source < node).length);

  // Where each block is placed: inside or behind the construct of which block.
  const inside: number[][] = blocks.map(() => []);
  const behind: number[][] = blocks.map(() => []);
  const loopsAround: number[][] = blocks.map(() => []);
  for (const header of [...loops.bodies.keys()].sort((a, b) => a - b)) {
    for (const node of loops.bodies.get(header) ?? []) loopsAround[node]?.push(header);
  }
  const outermostLoopLeft = (from: number, node: number) =>
    loopsAround[from]?.find((header) => !loops.bodies.get(header)?.has(node)) ?? -1;
  const merges = new Set<number>();
  blocks.forEach((_, node) => {
    if (node === 0) return;
    const parent = idom[node] ?? 0;
    const left = outermostLoopLeft(parent, node);
    if (left !== -1) {
      behind[left]?.push(node);
      merges.add(node);
    } else {
      inside[parent]?.push(node);
      if ((forward[node] ?? 0) > 1) merges.add(node);
    }
  });

  const codeOf = (node: number): Tree[] =>
    blockAt(blocks, node).code.length > 0 ? [{ kind: 'code', block: node }] : [];
  const loopLabel = (header: number) => 2 * header;
  const blockLabel = (follow: number) => 2 * follow + 1;

  let depth = 0;
  let tooDeep = false;
  const place = (first: number, next: number, loopEntered = false): Tree[] => {
    depth += 1;
    if (depth > deepest) tooDeep = true;
    const list = tooDeep ? [] : placeList(first, next, loopEntered);
    depth -= 1;
    return list;
  };

  /// A block, its loop, and all that is placed behind, as one list. `next` is the block reached by falling off its end, -1 for none.
  /// The last follower continues the list instead of nesting, and so does what stands behind a jump away: a long chain of joins or breaks
  /// is flat.
  const placeList = (first: number, next: number, loopEntered: boolean): Tree[] => {
    const list: Tree[] = [];
    let node = first;
    let entered = loopEntered;
    for (;;) {
      const loop = loops.bodies.has(node) && !entered;
      const followers = loop ? (behind[node] ?? []) : (inside[node] ?? []).filter((child) => merges.has(child));
      followers.sort((a, b) => a - b);
      const after = followers[0] ?? next;
      const onward = loop || followers.length > 0 ? undefined : flatEnding(node, next);
      if (onward) {
        list.push(...codeOf(node), ...onward.trees);
        node = onward.to;
        entered = false;
        continue;
      }
      let body: Tree[] = loop
        ? [{ kind: 'loop', label: loopLabel(node), exits: [], body: place(node, node, true) }]
        : [...codeOf(node), ...ending(node, after)];
      // `{ { first } F0 } F1`: one labelled block a follower.
      followers.forEach((follow, index) => {
        body = [{ kind: 'block', label: blockLabel(follow), body }];
        const following = followers[index + 1];
        if (following !== undefined) body.push(...place(follow, following));
      });
      for (const tree of body) list.push(tree);
      const last = followers[followers.length - 1];
      if (last === undefined) return list;
      node = last;
      entered = false;
    }
  };

  /// An ending with one way on, besides jumps away.
  const flatEnding = (node: number, next: number): { trees: Tree[]; to: number } | undefined => {
    const { end } = blockAt(blocks, node);
    const isPlaced = (to: number) => to !== next && to > node && !merges.has(to);
    const away = (to: number): Tree[] => {
      if (to === next && to > node) return [{ kind: 'break', label: blockLabel(to) }];
      return to === next ? [{ kind: 'continue', label: loopLabel(to) }] : jump(node, to, next);
    };
    if (end.kind === 'jump') return isPlaced(end.to) ? { trees: [], to: end.to } : undefined;
    if (end.kind !== 'branch' || isPlaced(end.then) === isPlaced(end.else)) return undefined;
    const { guard, span } = end;
    return isPlaced(end.else)
      ? { trees: [{ kind: 'if', guard, then: away(end.then), else: [], span }], to: end.else }
      : { trees: [{ kind: 'if', guard, then: [], else: away(end.else), span }], to: end.then };
  };

  const ending = (node: number, next: number): Tree[] => {
    const { end } = blockAt(blocks, node);
    if (end.kind === 'exit') return [{ kind: 'exit' }];
    if (end.kind === 'trap') return [{ kind: 'trap', span: end.span }];
    if (end.kind === 'jump') return jump(node, end.to, next);
    if (end.kind === 'branch') {
      return [
        {
          kind: 'if',
          guard: end.guard,
          then: jump(node, end.then, next),
          else: jump(node, end.else, next),
          span: end.span,
        },
      ];
    }
    const arms = successors(end).map((target) => ({
      values: end.targets.flatMap((to, index) => (to === target ? [index] : [])),
      body: jump(node, target, next),
    }));
    return [{ kind: 'switch', selector: end.selector, arms, span: end.span }];
  };

  const jump = (from: number, to: number, next: number): Tree[] => {
    if (to === next) return [];
    if (to <= from) return [{ kind: 'continue', label: loopLabel(to) }];
    if (merges.has(to)) return [{ kind: 'break', label: blockLabel(to) }];
    return place(to, next);
  };

  const tree = place(0, -1);
  return tooDeep ? undefined : tree;
}
