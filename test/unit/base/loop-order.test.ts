// The order of the nodes of control-flow graphs with loops.
import { describe, expect, test } from 'vitest';
import { loopOrder, turnRank } from '../../../src/base/loop-order.ts';

const graphs: readonly (readonly [string, readonly (readonly number[])[], string])[] = [
  ['a loop with two arms', [[1], [2, 3], [4], [4], [1, 5], []], '0 1 3 2 4 turn(1) 5'],
  ['arms with a back edge each', [[1, 4], [2, 3], [0], [0], []], '0 1 3 2 turn(0) 4'],
  ['a loop in a loop', [[1], [2], [2, 3], [1, 4], []], '0 1 2 turn(2) 3 turn(1) 4'],
  ['two entries', [[1, 2], [2, 3], [1], []], '0 1 2 turn(1) 3'],
  ['an exit that is visited first', [[2, 1], [], [3, 1], [0]], '0 2 3 turn(0) 1'],
  ['an unreachable node', [[2], [0], []], '0 2'],
  ['a node with an edge to itself', [[0, 1], []], '0 turn(0) 1'],
];

const shown = (graph: readonly (readonly number[])[], matters = (_: number) => true) => {
  const { ranks, turns } = loopOrder(graph.length, 0, (node) => graph[node] ?? [], matters);
  const nodes = [...ranks].map((rank, node) => ({ rank, text: `${node}` })).filter(({ rank }) => rank >= 0);
  const backs = [...turns].map(([head, rank]) => ({ rank, text: `turn(${head})` }));
  return [...nodes, ...backs]
    .sort((a, b) => a.rank - b.rank)
    .map(({ text }) => text)
    .join(' ');
};

describe('a loop order', () => {
  test.each(graphs)('%s', (_, graph, expected) => expect(shown(graph)).toBe(expected));

  test('has turns only for loops with a relevant node', () => {
    const graph = [[1], [2], [2, 3], [1, 4], []];
    expect(shown(graph, (node) => node === 3)).toBe('0 1 2 3 turn(1) 4');
    expect(shown(graph, () => false)).not.toContain('turn');
  });

  test('distinguishes back edges from others', () => {
    const graph = [[1], [2, 3], [1], []];
    const order = loopOrder(
      4,
      0,
      (node) => graph[node] ?? [],
      () => true,
    );
    expect([turnRank(order, 0, 1), turnRank(order, 1, 3), turnRank(order, 2, 1)]).toEqual([undefined, undefined, 3]);
  });

  test('handles a long graph', () => {
    const count = 100_000;
    const { ranks } = loopOrder(
      count,
      0,
      (node) => (node + 1 < count ? [node + 1] : [0]),
      () => true,
    );
    expect(ranks.at(-1)).toBe(count - 1);
  });
});
