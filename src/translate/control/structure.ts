// Turns a control-flow graph into nested statements. Follows the dominator tree (N. Ramsey, "Beyond
// Relooper", ICFP 2022): the target of several edges follows a labeled construct that the edges
// break out of. Blocks that leave a loop are placed after it.
import { at, missing } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { Dominators, FlowGraph, Loops } from '../graph/index.ts';
import { type Block, type Edge, edgesOf, type Terminator } from '../ir/nodes.ts';
import { flattenGuards, tidyTree } from './tidy.ts';
import { depthOf, type Label, maxNesting, moveOf, type Tree } from './tree.ts';

/** The maximum depth of nested constructs while the tree is made. */
const maxDepth = 100;

/** A condition whose scope a later pass sets. */
const unknown = { scope: 'lane', vote: 'none' } as const;

class TooDeep extends Error {}

/**
 * Returns the tree of a reducible graph; undefined if the graph is irreducible or nests too deeply.
 * After an arm in which the lane ends, the other arm nests if possible: `if (c) { exit } else { B
 * }` needs no mask if all lanes agree on the condition.
 */
export function structure(graph: FlowGraph, dominators: Dominators, loops: Loops): readonly Tree[] | undefined {
  if (!loops.reducible) return undefined;
  const place = (endsFlat: boolean): readonly Tree[] | undefined => {
    try {
      return flattenGuards(tidyTree(new Structurer(graph, dominators, loops, endsFlat).place(0, -1)));
    } catch (failure) {
      if (failure instanceof TooDeep) return undefined;
      throw failure;
    }
  };
  const nested = place(false);
  return nested !== undefined && depthOf(nested) <= maxNesting ? nested : (place(true) ?? nested);
}

class Structurer {
  private readonly graph: FlowGraph;
  private readonly loops: Loops;
  private readonly blocks: readonly Block[];
  /**
   * For each block: the blocks that are placed inside its construct, and the blocks that are placed
   * after its loop.
   */
  private readonly inside: number[][];
  private readonly behind: number[][];
  private readonly merges = new Set<number>();
  private readonly loopLabels = new Map<number, Label>();
  private readonly blockLabels = new Map<number, Label>();
  private depth = 0;
  /** Whether `if (c) { exit } B` replaces `if (c) { exit } else { B }`. */
  private readonly endsFlat: boolean;

  constructor(graph: FlowGraph, dominators: Dominators, loops: Loops, endsFlat: boolean) {
    this.graph = graph;
    this.loops = loops;
    this.endsFlat = endsFlat;
    this.blocks = graph.blocks;
    this.inside = this.blocks.map(() => []);
    this.behind = this.blocks.map(() => []);
    const forward = this.blocks.map(() => 0);
    this.blocks.forEach((block, from) => {
      for (const { to } of edgesOf(block.end)) {
        const target = this.numberOf(to);
        if (target > from) forward[target] = at(forward, target, 'the forward edges into a block') + 1;
      }
    });
    this.blocks.forEach((_, node) => {
      if (node === 0) return;
      const parent = at(dominators.parents, node, 'the dominator of a block');
      const left = this.outermostLoopLeft(parent, node);
      if (left !== undefined) {
        at(this.behind, left, 'the blocks after a loop').push(node);
        this.merges.add(node);
      } else {
        at(this.inside, parent, 'the blocks inside a construct').push(node);
        if (at(forward, node, 'the forward edges into a block') > 1) this.merges.add(node);
      }
    });
  }

  private numberOf(block: Block): number {
    return this.graph.numberOf(block) ?? missing('the number of a block', block);
  }

  private block(node: number): Block {
    return at(this.blocks, node, 'a block');
  }

  /** Returns the header of the outermost loop that contains `from` and not `node`. */
  private outermostLoopLeft(from: number, node: number): number | undefined {
    const target = this.block(node);
    let found: number | undefined;
    for (let loop = this.loops.loopOf(this.block(from)); loop !== undefined; loop = loop.parent) {
      if (loop.contains(target)) break;
      found = this.numberOf(loop.header);
    }
    return found;
  }

  private isLoop(node: number): boolean {
    return this.loops.loopAt(this.block(node)) !== undefined;
  }

  private loopLabel(header: number): Label {
    return getOrInsert(this.loopLabels, header, () => ({ params: this.block(header).params }));
  }

  private blockLabel(follow: number): Label {
    return getOrInsert(this.blockLabels, follow, () => ({ params: this.block(follow).params }));
  }

  private codeOf(node: number): Tree[] {
    const { insts } = this.block(node);
    return insts.length > 0 ? [{ kind: 'code', insts }] : [];
  }

  place(first: number, next: number, loopEntered = false): Tree[] {
    this.depth += 1;
    if (this.depth > maxDepth) throw new TooDeep();
    const list = this.placeList(first, next, loopEntered);
    this.depth -= 1;
    return list;
  }

  /**
   * Returns the code of a block and its loop, and of the blocks placed after it, as one list.
   * `next` is the block that follows the list, -1 for none. The last follower continues the list
   * instead of nesting, and so does code after a jump. So a long chain of joins or breaks is flat.
   */
  private placeList(first: number, next: number, loopEntered: boolean): Tree[] {
    const list: Tree[] = [];
    let node = first;
    let entered = loopEntered;
    for (;;) {
      const loop = this.isLoop(node) && !entered;
      const followers = loop
        ? [...at(this.behind, node, 'the blocks after a loop')]
        : at(this.inside, node, 'the blocks inside a construct').filter((child) => this.merges.has(child));
      followers.sort((a, b) => a - b);
      if (followers.length > maxDepth) throw new TooDeep();
      const after = followers[0] ?? next;
      const onward = loop || followers.length > 0 ? undefined : this.flatEnding(node, next);
      if (onward) {
        list.push(...this.codeOf(node), ...onward.trees);
        node = onward.to;
        entered = false;
        continue;
      }
      let body: Tree[] = loop
        ? [
            {
              kind: 'loop',
              label: this.loopLabel(node),
              exits: [],
              vote: 'none',
              body: this.place(node, node, true),
              continuing: [],
            },
          ]
        : [...this.codeOf(node), ...this.ending(node, after)];
      // `{ { first } F0 } F1`: one labeled block for each follower.
      followers.forEach((follow, index) => {
        body = [{ kind: 'block', label: this.blockLabel(follow), body }];
        const following = followers[index + 1];
        if (following !== undefined) body.push(...this.place(follow, following));
      });
      for (const tree of body) list.push(tree);
      const last = followers[followers.length - 1];
      if (last === undefined) return list;
      node = last;
      entered = false;
    }
  }

  /**
   * Returns the code of a block's end and the one successor that continues the list. All other
   * successors must be jumps, or end the lane; otherwise returns undefined.
   */
  private flatEnding(node: number, next: number): { trees: readonly Tree[]; to: number } | undefined {
    const { end } = this.block(node);
    const isPlaced = ({ to }: Edge) => {
      const target = this.numberOf(to);
      return target !== next && target > node && !this.merges.has(target);
    };
    const continues = (edge: Edge) => isPlaced(edge) && !(this.endsFlat && edgesOf(edge.to.end).length === 0);
    const away = (edge: Edge): readonly Tree[] => {
      const target = this.numberOf(edge.to);
      if (isPlaced(edge)) return [...moveOf(edge), ...this.codeOf(target), ...this.ending(target, next)];
      if (target !== next) return this.jump(node, edge, next);
      const away: Tree =
        target > node
          ? { kind: 'break', label: this.blockLabel(target) }
          : { kind: 'continue', label: this.loopLabel(target) };
      return [...moveOf(edge), away];
    };
    if (end.kind === 'jump') {
      return isPlaced(end.to) ? { trees: moveOf(end.to), to: this.numberOf(end.to.to) } : undefined;
    }
    if (end.kind !== 'branch' || continues(end.then) === continues(end.else)) return undefined;
    const { condition, span } = end;
    return continues(end.else)
      ? {
          trees: [{ kind: 'if', condition, ...unknown, then: away(end.then), else: [], span }, ...moveOf(end.else)],
          to: this.numberOf(end.else.to),
        }
      : {
          trees: [{ kind: 'if', condition, ...unknown, then: [], else: away(end.else), span }, ...moveOf(end.then)],
          to: this.numberOf(end.then.to),
        };
  }

  private ending(node: number, next: number): readonly Tree[] {
    const { end } = this.block(node);
    switch (end.kind) {
      case 'jump':
        return this.jump(node, end.to, next);
      case 'branch':
        return [
          {
            kind: 'if',
            condition: end.condition,
            ...unknown,
            then: this.jump(node, end.then, next),
            else: this.jump(node, end.else, next),
            span: end.span,
          },
        ];
      case 'switch':
        return [this.switchOf(node, end, next)];
      case 'return':
        return [{ kind: 'return', values: end.values, span: end.span }];
      case 'trap':
        return [{ kind: 'trap', span: end.span }];
      case 'exit':
        return [{ kind: 'exit' }];
    }
  }

  /**
   * Returns the tree of a `switch`. Edges to the same block without arguments share an arm. The arm
   * of the last edge is last, because a value without an edge leads to the last arm.
   */
  private switchOf(node: number, end: Extract<Terminator, { kind: 'switch' }>, next: number): Tree {
    const arms: { readonly edge: Edge; readonly values: number[] }[] = [];
    const plain = new Map<Block, { readonly edge: Edge; readonly values: number[] }>();
    [...end.edges.entries()].reverse().forEach(([value, edge]) => {
      const known = edge.args.length === 0 ? plain.get(edge.to) : undefined;
      if (known) {
        known.values.push(value);
        return;
      }
      const arm = { edge, values: [value] };
      arms.push(arm);
      if (edge.args.length === 0) plain.set(edge.to, arm);
    });
    return {
      kind: 'switch',
      selector: end.selector,
      arms: arms.reverse().map(({ edge, values }) => ({ values: values.reverse(), body: this.jump(node, edge, next) })),
      span: end.span,
    };
  }

  private jump(from: number, edge: Edge, next: number): readonly Tree[] {
    const move = moveOf(edge);
    const to = this.numberOf(edge.to);
    if (to === next) return move;
    if (to <= from) return [...move, { kind: 'continue', label: this.loopLabel(to) }];
    if (this.merges.has(to)) return [...move, { kind: 'break', label: this.blockLabel(to) }];
    return [...move, ...this.place(to, next)];
  }
}
