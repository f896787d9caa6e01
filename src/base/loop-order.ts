// Orders a control-flow graph so that each loop's nodes are contiguous and every node follows its
// predecessors, except along back edges. This is a weak topological order (Bourdoncle, 1993). The
// graph may be irreducible.

export interface LoopOrder {
  /** The rank of each node; -1 for unreachable nodes. */
  readonly ranks: Int32Array;
  /**
   * For the head of each loop that contains a relevant node: a rank that is greater than the ranks
   * of all nodes of the loop.
   */
  readonly turns: ReadonlyMap<number, number>;
}

/**
 * Returns the rank of the back edge from `from` to `to`. Returns undefined for other edges, and for
 * loops without a relevant node.
 */
export function turnRank({ ranks, turns }: LoopOrder, from: number, to: number): number | undefined {
  const turn = turns.get(to);
  if (turn === undefined) return undefined;
  const rank = ranks[from] ?? -1;
  return rank >= (ranks[to] ?? 0) && rank < turn ? turn : undefined;
}

/**
 * A nesting level during the search: the components that are still to be ordered, of which the last
 * is the first in the order, and the head whose back edge follows them.
 */
interface Level {
  readonly components: number[][];
  readonly head: number | undefined;
}

/** Orders the nodes that are reachable from `entry`. */
export function loopOrder(
  count: number,
  entry: number,
  successors: (node: number) => readonly number[],
  matters: (node: number) => boolean,
): LoopOrder {
  const ranks = new Int32Array(count).fill(-1);
  const turns = new Map<number, number>();
  /**
   * For each node, the innermost component that is known to contain it. Edges that leave this
   * component are relevant only for outer levels.
   */
  const home = new Int32Array(count);
  let homes = 0;
  let next = 0;
  const levels: Level[] = [{ components: componentsFrom(entry, count, successors), head: undefined }];
  while (levels.length > 0) {
    const level = levels.at(-1);
    const component = level?.components.pop();
    if (component === undefined) {
      levels.pop();
      if (level?.head !== undefined) turns.set(level.head, next++);
      continue;
    }
    const [head = 0] = component;
    const isLoop = component.length > 1 || (level?.head !== head && successors(head).includes(head));
    if (!isLoop || !component.some(matters)) {
      for (const node of component) ranks[node] = next++;
      continue;
    }
    homes += 1;
    const own = homes;
    for (const node of component) home[node] = own;
    const within = (node: number) => successors(node).filter((to) => home[to] === own && to !== head);
    levels.push({ components: componentsFrom(head, count, within), head });
  }
  return { ranks, turns };
}

/**
 * Finds the strongly connected components of the nodes that are reachable from `entry`, by Tarjan's
 * algorithm. A component follows its successors. Each component begins with the node that is
 * reached first.
 */
export function componentsFrom(
  entry: number,
  count: number,
  successors: (node: number) => readonly number[],
): number[][] {
  const found = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const isOpen = new Uint8Array(count);
  const open: number[] = [];
  const components: number[][] = [];
  const path: { readonly node: number; readonly to: readonly number[]; at: number }[] = [];
  let time = 0;
  const enter = (node: number) => {
    found[node] = time;
    low[node] = time++;
    isOpen[node] = 1;
    open.push(node);
    path.push({ node, to: successors(node), at: 0 });
  };
  enter(entry);
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const { node } = step;
    const to = step.to[step.at++];
    if (to !== undefined) {
      if ((found[to] ?? -1) === -1) enter(to);
      else if (isOpen[to] === 1) low[node] = Math.min(low[node] ?? 0, found[to] ?? 0);
      continue;
    }
    path.pop();
    const before = path.at(-1)?.node;
    if (before !== undefined) low[before] = Math.min(low[before] ?? 0, low[node] ?? 0);
    if (low[node] !== found[node]) continue;
    const component = open.splice(open.lastIndexOf(node));
    for (const each of component) isOpen[each] = 0;
    components.push(component);
  }
  return components;
}
