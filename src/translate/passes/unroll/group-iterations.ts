// Runs four iterations of a loop together as long as the loop certainly needs all of them, so that
// their loads are in flight together. The order of dependent instructions, and the result of every
// test, do not change.
import { at } from '../../../base/invariants.ts';
import type { Builder } from '../../ir/builder.ts';
import { type Block, constant, type Definition, type Func, type Inst, type Value } from '../../ir/nodes.ts';
import { type OpName, operations, ordersAccesses } from '../../ir/operations.ts';
import { type Copied, copyEdge, copyInsts, lookUp } from '../copy-insts.ts';
import { closeLoop } from './close-loop.ts';
import type { Control, Iteration, SelfLoop } from './counted-loops.ts';

/**
 * The number of iterations that run together. `maxControl` is the maximum number of instructions in
 * the exit test.
 */
export const groupSize = 4;
const maxControl = 6;

/** Whether no load may move across the instruction. */
function isOrdered(inst: Inst): boolean {
  if (inst.op === 'load' || inst.op === 'store') return inst.attrs.order !== 'weak';
  return ordersAccesses(inst.operation.effect);
}

const writesMemory = ({ op }: { readonly op: OpName }): boolean => operations[op].effect === 'writes';

function loadsFar(inst: Inst): boolean {
  if (inst.op !== 'load') return false;
  const { root } = inst.attrs.place;
  return root.kind !== 'param' && !(root.kind === 'address' && (root.space === 'local' || root.space === 'param'));
}

/**
 * Whether the loads of several iterations can overlap: at least one load must not depend on values
 * that the previous iteration computes or stores. `readOnly` tests whether a load may move before
 * every store.
 */
export function gainsFromGroups(iteration: Iteration, { insts }: Control, readOnly: (inst: Inst) => boolean): boolean {
  const code = iteration.insts;
  if (insts.length === 0 || insts.length > maxControl || code.some(isOrdered)) return false;
  const late = dependsOnLoads(iteration);
  const free = code.filter((inst) => loadsFar(inst) && inst.args.every((arg) => !late.has(arg)));
  return code.some(writesMemory) ? free.some(readOnly) : free.length > 0;
}

/** Returns the values that, in some iteration, depend on other instructions than arithmetic. */
function dependsOnLoads({ params, insts, next }: Iteration): ReadonlySet<Value> {
  const late = new Set<Value>();
  for (let before = -1; before !== late.size; ) {
    before = late.size;
    params.forEach((param, index) => {
      const following = next[index];
      if (following && late.has(following)) late.add(param);
    });
    for (const inst of insts) {
      const { effect } = inst.operation;
      const steady =
        effect === 'pure' || inst.op === 'special' || (inst.op === 'load' && inst.attrs.place.root.kind === 'param');
      if (steady && !inst.args.some((arg) => late.has(arg)) && !(inst.when && late.has(inst.when))) continue;
      for (const result of inst.results) late.add(result);
    }
  }
  return late;
}

/**
 * Replaces the loop. `more` is the combined result of the next three tests:
 *
 *     if (more) {
 *       loop { four iterations; if (!(stays && more)) { break; } }
 *       if (stays) { the loop }
 *     } else { the loop }
 */
export function runInGroups(func: Func, b: Builder, loop: SelfLoop, control: Control): void {
  const { block, end, again } = loop;
  const { stays } = loop.iteration;
  const leaving = closeLoop(func, b, new Set([block]), block, loop.exit);
  block.end = { ...end, then: stays ? again : leaving, else: stays ? leaving : again };

  const [ahead, four, rest] = [b.block(), b.block(), b.block()];
  const enter = (target: Block) => block.params.map((param) => b.param(target, param.type, param.hint));
  const first = enter(ahead);
  b.into(ahead.insts);
  b.span = undefined;
  const moreAtFirst = testsAhead(b, loop, control, first, undefined);
  const copiesFrom = enter(four);
  ahead.end = {
    kind: 'branch',
    condition: moreAtFirst,
    then: { to: four, args: first },
    else: { to: block, args: first },
    span: end.span,
  };

  b.into(four.insts);
  let params: readonly Value[] = copiesFrom;
  let copied: Copied = new Map();
  for (let copy = 0; copy < groupSize; copy++) {
    copied = new Map(
      block.params.map((param, index): [Definition, Value] => [param, at(params, index, 'a value of a copy')]),
    );
    copyInsts(b, block.insts, copied);
    params = again.args.map(lookUp(copied));
  }
  b.span = undefined;
  const condition = lookUp(copied)(end.condition);
  const goesOn = stays ? condition : b.not(condition);
  const more = testsAhead(b, loop, control, params, goesOn);
  four.end = {
    kind: 'branch',
    condition: more,
    then: { to: four, args: params },
    else: { to: rest, args: [] },
    span: end.span,
  };
  rest.end = {
    kind: 'branch',
    condition: goesOn,
    then: { to: block, args: params },
    else: copyEdge(leaving, copied),
    span: end.span,
  };

  // Every edge to the loop now leads to the advance test.
  for (const from of func.blocks) {
    if (from !== block) from.end = redirect(from.end, block, ahead);
  }
  func.blocks = [...func.blocks, ahead, four, rest];
}

function redirect(end: Block['end'], from: Block, to: Block): Block['end'] {
  const edge = (old: { readonly to: Block; readonly args: readonly Value[] }) =>
    old.to === from ? { ...old, to } : old;
  switch (end.kind) {
    case 'jump':
      return { ...end, to: edge(end.to) };
    case 'branch':
      return { ...end, then: edge(end.then), else: edge(end.else) };
    case 'switch':
      return { ...end, edges: end.edges.map(edge) };
    default:
      return end;
  }
}

/**
 * Computes whether the loop continues at its next three tests, starting from these parameters. If
 * `first` is present, the result is true only if `first` is true, too.
 */
function testsAhead(
  b: Builder,
  { block, end, again, iteration: { stays } }: SelfLoop,
  { insts }: Control,
  from: readonly Value[],
  first: Value | undefined,
): Value {
  let all = first ?? constant('i1', 1); // Absent: there is no other condition.
  let params = from;
  for (let step = 1; step < groupSize; step++) {
    const copied: Copied = new Map(
      block.params.map((param, index): [Definition, Value] => [param, at(params, index, 'a value of a copy')]),
    );
    copyInsts(b, insts, copied);
    const test = lookUp(copied)(end.condition);
    all = b.and(all, stays ? test : b.not(test));
    params = again.args.map(lookUp(copied));
  }
  return all;
}
