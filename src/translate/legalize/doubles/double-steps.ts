// Emits f64 operations as a loop with one operation of each kind. This is for rarely executed code,
// which would otherwise be as long as the rest of the kernel.
import { at as element } from '../../../base/invariants.ts';
import type { Builder } from '../../ir/builder.ts';
import { type Inst, undef, type Value } from '../../ir/nodes.ts';
import { type Copied, copyInsts, lookUp } from '../../passes/copy-insts.ts';
import type { PathSplitter } from '../../passes/fast-paths/splitter.ts';
import { nameOf } from './double-groups.ts';

/** The maximum number of words in an operation's operands. */
const mostWords = 6;

/**
 * Emits a loop with one operation of each kind. An iteration executes all instructions between the
 * operations, and then one of `ops`. After the loop, the instructions between the operations
 * execute once more. Returns a map to the results.
 */
export function inSteps(
  members: readonly Inst[],
  ops: readonly Inst[],
  paths: PathSplitter,
  builder: Builder,
): (value: Value) => Value {
  const [head, chosen, done, end] = [builder.block(), builder.block(), builder.block(), builder.block()];
  const span = members[0]?.span;
  builder.span = span;
  const step = builder.param(head, 'i32', 'step');
  const copied: Copied = new Map();
  const value = lookUp(copied);
  const results = ops.flatMap((op) => op.results);
  for (const result of results) copied.set(result, builder.param(head, result.type, result.hint));
  const starts = [paths.hidden.of(0n, 'i32'), ...results.map(({ type }) => undef(type))];
  paths.current.end = { kind: 'jump', to: { to: head, args: starts }, span };
  // Select the operands and the kind of the iteration's operation.
  paths.enter(head);
  const own = new Set(ops);
  const between = members.filter((inst) => !own.has(inst));
  const copyBetween = () => copyInsts(builder, between, copied, (inst, args) => builder.clone(inst, args));
  copyBetween();
  const kinds = [...new Map(ops.map((op) => [nameOf(op), op])).values()];
  const kind = builder.param(chosen, 'i32', 'kind');
  const words = Array.from({ length: mostWords }, () => builder.param(chosen, 'i32'));
  const edges = ops.map((op) => {
    const number = kinds.findIndex((one) => nameOf(one) === nameOf(op));
    // Absent: the operation has fewer operands.
    const operands = words.map((_, at) => value(op.args[at] ?? undef('i32')));
    return { to: chosen, args: [builder.i32(number), ...operands] };
  });
  head.end = { kind: 'switch', selector: step, edges, span };
  paths.enter(chosen);
  // The operation.
  const made = [builder.param(done, 'i32'), builder.param(done, 'i32')];
  const ways = kinds.map((inst) => {
    const block = builder.block();
    paths.enter(block);
    const pair = builder.clone(inst, words.slice(0, inst.args.length), { hints: [] });
    block.end = { kind: 'jump', to: { to: done, args: pair }, span };
    return { to: block, args: [] };
  });
  const [only] = ways;
  if (ways.length === 1 && only) chosen.end = { kind: 'jump', to: only, span };
  else chosen.end = { kind: 'switch', selector: kind, edges: ways, span };
  // Store the result of the current operation.
  paths.enter(done);
  const next = ops.flatMap(({ results: pair }, number) => {
    const isIt = builder.icmp('eq', step, builder.i32(number));
    return pair.map((result, at) => builder.select(isIt, element(made, at, 'a word of a result'), value(result)));
  });
  const following = builder.iadd(step, builder.i32(1));
  const condition = builder.icmp('ult', following, builder.i32(ops.length));
  const again = { to: head, args: [following, ...next] };
  done.end = { kind: 'branch', condition, then: again, else: { to: end, args: [] }, span };
  // Compute the instructions between the operations from the latest results.
  paths.enter(end);
  results.forEach((result, at) => void copied.set(result, element(next, at, 'a word of a result')));
  copyBetween();
  return value;
}
