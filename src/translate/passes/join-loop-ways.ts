// Gives a loop a single entry edge and a single back edge, if the merged edges pass the same value
// for a parameter. The entry edges meet in a block before the loop, and the back edges in a block
// at its end. Then no arm of a branch assigns a parameter of the loop.
//
// If an edge into the loop leaves another loop, it gets such a block even if it is the only one.
// The value is then assigned after that loop, instead of at the point where threads leave it one by
// one.
//
// WGSL's uniformity analysis treats a variable that is assigned in divergent control flow as
// divergent. It would reject a barrier that depends on the loop's condition.
import { at } from '../../base/invariants.ts';
import { dominatorsOf, flowGraph, loopsOf } from '../graph/index.ts';
import type { Builder } from '../ir/builder.ts';
import { type Block, type Edge, edgesOf, type Func, isCollective, mapTerminator, sameValue } from '../ir/nodes.ts';

/**
 * Joins the edges into loops. Changes only functions with collectives, because uniformity does not
 * matter in other functions.
 */
export function joinLoopWays(func: Func, builder: Builder): void {
  if (!func.blocks.some(({ insts }) => insts.some(isCollective))) return;
  const graph = flowGraph(func);
  const loops = loopsOf(graph, dominatorsOf(graph));
  for (const { header, latches } of loops.all) {
    if (header.params.length === 0) continue;
    const back = new Set(latches);
    const entering = graph.predecessorsOf(header).filter((block) => !back.has(block));
    const leavesLoop = (block: Block): boolean => loops.loopOf(block)?.contains(header) === false;
    for (const ways of [entering, latches]) join(func, builder, header, ways, ways.some(leavesLoop));
  }
}

/**
 * Redirects all edges from `from` to the header through one block, if they pass the same value for
 * a parameter. With `evenOne`, also redirects a single edge.
 */
function join(func: Func, builder: Builder, header: Block, from: readonly Block[], evenOne: boolean): void {
  const edges = from.flatMap(({ end }) => edgesOf(end).filter(({ to }) => to === header));
  const [first, ...rest] = edges;
  if (first === undefined || (rest.length === 0 && !evenOne)) return;
  const isShared = first.args.map((arg, index) =>
    rest.every(({ args }) => args[index] !== undefined && sameValue(arg, args[index])),
  );
  if (!isShared.includes(true)) return;
  const meeting = builder.block();
  const chosen = header.params.filter((_, index) => !isShared[index]);
  const params = chosen.map(({ type, hint }) => builder.param(meeting, type, hint));
  let next = 0;
  const args = first.args.map((arg, index) =>
    isShared[index] ? arg : at(params, next++, 'a parameter of the meeting block'),
  );
  meeting.end = { kind: 'jump', to: { to: header, args }, span: from[0]?.end.span };
  const lead = (edge: Edge): Edge =>
    edge.to === header ? { to: meeting, args: edge.args.filter((_, index) => !isShared[index]) } : edge;
  for (const block of from) block.end = mapTerminator(block.end, (value) => value, lead);
  func.blocks.push(meeting);
}
