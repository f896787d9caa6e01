// Emits f64 operations as a loop with one operation of each kind. This is for rarely executed code,
// which would otherwise be as long as the rest of the kernel.
import { at as element } from '../../../base/invariants.ts';
import type { Builder } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import { type Block, type Definition, type Inst, undef, type Value } from '../../ir/nodes.ts';
import { type Copies, copyInto, copyOf, nameOf } from './double-copies.ts';

/** The maximum number of words in an operation's operands. */
const mostWords = 6;

interface Steps {
  /** The block after the loop. */
  readonly end: Block;
  readonly copies: Copies;
  /** The new blocks; the last one is `end`. */
  readonly blocks: readonly Block[];
}

/**
 * Emits a loop whose iterations each execute one of the operations; the loop contains one operation
 * of each kind. Each iteration computes all instructions between the operations.
 */
export function inSteps(
  members: readonly Inst[],
  ops: readonly Inst[],
  from: Block,
  zero: Value,
  builder: Builder,
): Steps {
  const blocks: Block[] = [];
  const [head, chosen, done, end] = [builder.block(), builder.block(), builder.block(), builder.block()];
  const span = members[0]?.span;
  builder.span = span;
  const step = builder.param(head, 'i32', 'step');
  const copies: Copies = new IdMap<Definition, Value>();
  const results = ops.flatMap((op) => op.results);
  for (const result of results) copies.set(result, builder.param(head, result.type, result.hint));
  const starts = [zero, ...results.map(({ type }) => undef(type))];
  from.end = { kind: 'jump', to: { to: head, args: starts }, span };
  // The operands and the kind of the iteration's operation.
  builder.into(head.insts);
  const own = new Set(ops);
  const between = members.filter((inst) => !own.has(inst));
  copyInto(copies, between, builder, false);
  const kinds = [...new Map(ops.map((op) => [nameOf(op), op])).values()];
  const kind = builder.param(chosen, 'i32', 'kind');
  const words = Array.from({ length: mostWords }, () => builder.param(chosen, 'i32'));
  const edges = ops.map((op) => {
    const number = kinds.findIndex((one) => nameOf(one) === nameOf(op));
    const operands = words
      .map((_, at) => op.args[at])
      .map((arg) => (arg === undefined ? undef('i32') : copyOf(copies, arg)));
    return { to: chosen, args: [builder.i32(number), ...operands] };
  });
  head.end = { kind: 'switch', selector: step, edges, span };
  blocks.push(head, chosen);
  // The operation.
  const made = [builder.param(done, 'i32'), builder.param(done, 'i32')];
  const ways = kinds.map((inst) => {
    const block = builder.block();
    builder.into(block.insts);
    const pair = builder.clone(inst, words.slice(0, inst.args.length), { hints: [] });
    block.end = { kind: 'jump', to: { to: done, args: pair }, span };
    blocks.push(block);
    return { to: block, args: [] };
  });
  const [only] = ways;
  if (ways.length === 1 && only) chosen.end = { kind: 'jump', to: only, span };
  else chosen.end = { kind: 'switch', selector: kind, edges: ways, span };
  // Stores the result of the current operation.
  builder.into(done.insts);
  const next = ops.flatMap(({ results: pair }, number) => {
    const isIt = builder.icmp('eq', step, builder.i32(number));
    return pair.map((result, at) =>
      builder.select(isIt, element(made, at, 'a word of a result'), copyOf(copies, result)),
    );
  });
  const following = builder.iadd(step, builder.i32(1));
  const condition = builder.icmp('ult', following, builder.i32(ops.length));
  done.end = {
    kind: 'branch',
    condition,
    then: { to: head, args: [following, ...next] },
    else: { to: end, args: [] },
    span,
  };
  blocks.push(done, end);
  // The instructions between the operations, computed from the latest results.
  results.forEach((result, at) => {
    const last = next[at];
    if (last) copies.set(result, last);
  });
  builder.into(end.insts);
  copyInto(copies, between, builder, false);
  return { end, copies, blocks };
}
