// Removes instructions and block parameters that nothing needs. Instructions with effects are
// needed, and so are their operands. Cycles through loops are removed, too.

import { at, get } from '../../base/invariants.ts';
import { reversePostorder } from '../graph/flow-graph.ts';
import { forEachOperand, forEachOwnValue, incomingEdges } from '../graph/users.ts';
import { IdMap, IdSet, type ReadonlyIdSet } from '../ir/id-map.ts';
import {
  type Block,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  type InstNamed,
  isDefinition,
  mapTerminator,
  type Param,
  type Value,
} from '../ir/nodes.ts';

/** Whether an instruction may be removed if nothing reads its results. */
export function isRemovable(inst: Inst): boolean {
  const { effect } = inst.operation;
  if (effect === 'pure') return true;
  return effect === 'reads' && (inst.op !== 'load' || inst.attrs.order === 'weak');
}

/**
 * Marks the values that effects and terminators need, then removes the others. Also removes
 * unreachable blocks. Returns whether a block became empty or lost parameters, so that the graph
 * can be simplified further.
 */
export function removeDeadCode(func: Func): boolean {
  const order = reversePostorder(func);
  if (order.length < func.blocks.length) func.blocks = order;
  const { live, doubtful } = markLive(func, order);
  let emptied = false;
  for (const block of doubtful) {
    const { insts } = block;
    block.insts = livingOf(insts, live);
    emptied ||= block.insts.length === 0;
  }
  return removeParams(func, (param) => live.has(param)) || emptied;
}

function livingOf(insts: readonly Inst[], live: ReadonlyIdSet<Definition>): Inst[] {
  const kept: Inst[] = [];
  for (let at = 0; at < insts.length; at++) {
    const inst = insts[at];
    if (inst === undefined || !isLive(inst, live)) continue;
    kept.push(inst);
    if (inst.op === 'atomic') dropUnusedOldValue(inst, live);
  }
  return kept;
}

function isLive(inst: Inst, live: ReadonlyIdSet<Definition>): boolean {
  const { results } = inst;
  for (let at = 0; at < results.length; at++) {
    const result = results[at];
    if (result !== undefined && live.has(result)) return true;
  }
  return !isRemovable(inst);
}

class LiveSet extends IdSet<Definition> {
  mark(value: Value): void {
    if (isDefinition(value)) this.add(value);
  }

  /**
   * Marks the operands of an instruction. Uses loops, because JavaScript engines would not inline a
   * callback, and every clean-up visits every value of a function.
   */
  markOperands({ args, when, otherwise }: Inst): void {
    for (let at = 0; at < args.length; at++) {
      const arg = args[at];
      if (arg !== undefined && isDefinition(arg)) this.add(arg);
    }
    if (when === undefined) return;
    this.mark(when);
    for (const value of otherwise) this.mark(value);
  }
}

interface Marked {
  readonly live: ReadonlyIdSet<Definition>;
  /**
   * Blocks with instructions whose results or old values seem unused, but may be used around a
   * loop.
   */
  readonly doubtful: readonly Block[];
}

/**
 * Marks the values that are needed. `order` is a reverse postorder. In a walk from its end, users
 * precede definitions, except around loops.
 */
function markLive(func: Func, order: readonly Block[]): Marked {
  const doubtful: Block[] = [];
  const live = new LiveSet();
  /** Values that became live after the visit of their block. */
  const late: Definition[] = [];
  const walked = new IdSet<Block>();
  const markLate = (value: Value) => {
    if (!isDefinition(value) || live.has(value)) return;
    live.add(value);
    late.push(value);
  };
  let found: ReturnType<typeof incomingEdges> | undefined;
  const places = new IdMap<Param, number>();
  const enter = (param: Param) => {
    const index = get(places, param, 'the place of a parameter');
    found ??= incomingEdges(func);
    const incoming = found;
    for (const { from, args } of get(incoming, param.block, 'the edges into a block')) {
      const arg = args[index];
      if (arg === undefined) continue;
      if (walked.has(from)) markLate(arg);
      else live.mark(arg);
    }
  };
  for (const { params } of func.blocks) {
    params.forEach((param, index) => {
      places.set(param, index);
    });
  }
  for (const param of at(func.blocks, 0, 'the first block').params) live.add(param);
  for (let at = order.length - 1; at >= 0; at--) {
    const block = order[at];
    if (block === undefined) continue;
    walked.add(block);
    forEachOwnValue(block.end, (value) => live.mark(value));
    let isDoubtful = false;
    for (let index = block.insts.length - 1; index >= 0; index--) {
      const inst = block.insts[index];
      if (inst === undefined) continue;
      const isNeeded = isLive(inst, live);
      if (isNeeded) live.markOperands(inst);
      if (!isNeeded || inst.op === 'atomic') isDoubtful = true;
    }
    if (isDoubtful) doubtful.push(block);
    for (const param of block.params) if (live.has(param)) enter(param);
  }
  for (let value = late.pop(); value !== undefined; value = late.pop()) {
    if (value.kind === 'param') enter(value);
    else forEachOperand(value.inst, markLate);
  }
  return { live, doubtful };
}

/**
 * Removes block parameters for which `keep` is false, and their arguments on edges. Returns whether
 * there were any.
 */
export function removeParams(func: Func, keep: (param: Param) => boolean): boolean {
  const kept = new IdMap<Block, readonly boolean[]>();
  for (const block of func.blocks) {
    const flags = block.params.map(keep);
    if (!flags.includes(false)) continue;
    kept.set(block, flags);
    block.params = block.params.filter((_, index) => flags[index]);
  }
  if (kept.size === 0) return false;
  for (const block of func.blocks) {
    if (!edgesOf(block.end).some(({ to }) => kept.has(to))) continue;
    block.end = mapTerminator(
      block.end,
      (value) => value,
      (edge) => {
        const flags = kept.get(edge.to);
        return flags ? { to: edge.to, args: edge.args.filter((_, index) => flags[index]) } : edge;
      },
    );
  }
  return true;
}

/** Drops the result of an atomic whose old value nothing reads. */
function dropUnusedOldValue(inst: InstNamed<'atomic'>, live: ReadonlyIdSet<Definition>): void {
  if (!inst.attrs.result || inst.results.some((value) => live.has(value))) return;
  inst.attrs = { ...inst.attrs, result: false };
  inst.results = [];
  inst.otherwise = [];
}
