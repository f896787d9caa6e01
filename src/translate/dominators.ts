// Dominators, postdominators and natural loops of a graph whose nodes are numbered in reverse postorder.
import { type Block, predecessors, successors } from './ir.ts';

/// Immediate dominator of each block (0 for the entry itself). Cooper, Harvey and Kennedy's iteration.
export function immediateDominators(blocks: readonly Block[]): number[] {
  return solve(predecessors(blocks), blocks.length);
}

function solve(incoming: readonly (readonly number[])[], count: number): number[] {
  const idom: number[] = new Array(count).fill(-1);
  idom[0] = 0;
  const up = (node: number) => idom[node] ?? -1;
  const meet = (first: number, second: number) => {
    let a = first;
    let b = second;
    while (a !== b) {
      while (a > b) a = up(a);
      while (b > a) b = up(b);
    }
    return a;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (let node = 1; node < count; node++) {
      let best = -1;
      for (const from of incoming[node] ?? []) {
        if (up(from) === -1) continue;
        best = best === -1 ? from : meet(from, best);
      }
      if (best !== -1 && idom[node] !== best) {
        idom[node] = best;
        changed = true;
      }
    }
  }
  return idom;
}

export function dominates(idom: readonly number[], a: number, b: number): boolean {
  let node = b;
  while (node > a) node = idom[node] ?? 0;
  return node === a;
}

/// As `dominates`, for many questions: in constant time each.
export function dominatorTree(idom: readonly number[]): (a: number, b: number) => boolean {
  const size: number[] = idom.map(() => 1);
  const at = (list: readonly number[], node: number) => list[node] ?? 0;
  for (let node = idom.length - 1; node > 0; node--) {
    const up = at(idom, node);
    size[up] = at(size, up) + at(size, node);
  }
  // Numbered so that a node's descendants are the `size` numbers from its own on.
  const first: number[] = [0];
  const next: number[] = [1];
  for (let node = 1; node < idom.length; node++) {
    const up = at(idom, node);
    first[node] = at(next, up);
    next[node] = at(first, node) + 1;
    next[up] = at(next, up) + at(size, node);
  }
  return (a, b) => at(first, a) <= at(first, b) && at(first, b) < at(first, a) + at(size, a);
}

/// Immediate postdominators; `blocks.length` stands for the end of all lanes. Blocks that never reach the end get it too.
export function immediatePostdominators(blocks: readonly Block[]): number[] {
  const count = blocks.length;
  const incoming = predecessors(blocks);
  const outgoing = blocks.map((block) => successors(block.end));
  // Number the reversed graph in its own reverse postorder, from a virtual end node.
  const order: number[] = [];
  const seen = new Set<number>();
  const visit = (root: number) => {
    const stack = [{ node: root, next: 0 }];
    seen.add(root);
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (top === undefined) break;
      const from = incoming[top.node]?.[top.next];
      top.next += 1;
      if (from === undefined) {
        if (top.next > (incoming[top.node]?.length ?? 0)) {
          order.push(top.node);
          stack.pop();
        }
      } else if (!seen.has(from)) {
        seen.add(from);
        stack.push({ node: from, next: 0 });
      }
    }
  };
  const ends = outgoing.flatMap((to, node) => (to.length === 0 ? [node] : []));
  for (const node of ends) visit(node);
  // Endless loops: let each such region end at its last block.
  for (let node = count - 1; node >= 0; node--) {
    if (!seen.has(node)) {
      ends.push(node);
      visit(node);
    }
  }
  const numbered = [count, ...order.reverse()];
  const place = new Map(numbered.map((node, index) => [node, index]));
  const at = (node: number) => place.get(node) ?? 0;
  const reversed: number[][] = numbered.map(() => []);
  for (const node of ends) reversed[at(node)]?.push(0);
  outgoing.forEach((targets, node) => {
    for (const to of targets) reversed[at(node)]?.push(at(to));
  });
  const idom = solve(reversed, numbered.length);
  return blocks.map((_, node) => numbered[idom[at(node)] ?? 0] ?? count);
}

export interface LoopInfo {
  /// Blocks of each natural loop, by its header.
  readonly bodies: ReadonlyMap<number, ReadonlySet<number>>;
  readonly reducible: boolean;
}

export function findLoops(blocks: readonly Block[], idom: readonly number[]): LoopInfo {
  const incoming = predecessors(blocks);
  const bodies = new Map<number, Set<number>>();
  let reducible = true;
  blocks.forEach((block, from) => {
    for (const to of successors(block.end)) {
      if (to > from) continue;
      if (!dominates(idom, to, from)) {
        reducible = false;
        continue;
      }
      const body = bodies.get(to) ?? new Set([to]);
      bodies.set(to, body);
      const stack = [from];
      while (stack.length > 0) {
        const node = stack.pop();
        if (node === undefined || body.has(node)) continue;
        body.add(node);
        stack.push(...(incoming[node] ?? []));
      }
    }
  });
  return { bodies, reducible };
}
