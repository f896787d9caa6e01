// Removes instructions and block parameters that nothing needs. What has an effect is needed, and what a needed instruction reads; the rest goes, cycles
// through loops included.
import { IdMap, IdSet, type ReadonlyIdSet } from '../ir/id-map.ts';
import { forEachOperand, forEachOwnValue, incomingEdges } from '../graph/users.ts';
import {
  type Block,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  mapTerminator,
  type Param,
  type Value,
} from '../ir/nodes.ts';
import { operations } from '../ir/operations.ts';

/// Whether an instruction may go when nobody reads its results.
export function isRemovable(inst: Inst): boolean {
  const { effect } = operations[inst.op];
  if (effect === 'pure') return true;
  return effect === 'reads' && (inst.op !== 'load' || inst.attrs.order === 'weak');
}

/// Marks from the effects and the terminators, then sweeps. Returns whether a block is empty now, or has fewer parameters: then the graph may be simpler.
export function removeDeadCode(func: Func): boolean {
  const live = markLive(func);
  let emptied = false;
  for (const block of func.blocks) {
    const before = block.insts.length;
    if (!block.insts.every((inst) => live.insts.has(inst)))
      block.insts = block.insts.filter((inst) => live.insts.has(inst));
    block.insts = withoutUnusedOldValues(block.insts, live.values);
    emptied ||= block.insts.length === 0 && before > 0;
  }
  return removeParams(func, (param) => live.values.has(param)) || emptied;
}

interface Live {
  readonly values: ReadonlyIdSet<Definition>;
  readonly insts: ReadonlyIdSet<Inst>;
}

function markLive(func: Func): Live {
  const values = new IdSet<Definition>();
  const insts = new IdSet<Inst>();
  const queue: Definition[] = [];
  const mark = (value: Value) => {
    if (!isDefinition(value) || values.has(value)) return;
    values.add(value);
    queue.push(value);
  };
  const keep = (inst: Inst) => {
    if (insts.has(inst)) return;
    insts.add(inst);
    forEachOperand(inst, mark);
  };
  const incoming = incomingEdges(func);
  const places = new IdMap<Param, number>();
  for (const block of func.blocks) {
    block.params.forEach((param, index) => {
      places.set(param, index);
    });
    for (const inst of block.insts) if (!isRemovable(inst)) keep(inst);
    forEachOwnValue(block.end, mark);
  }
  for (const param of func.blocks[0]?.params ?? []) mark(param);
  for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
    if (value.kind === 'result') {
      keep(value.inst);
      continue;
    }
    const index = places.get(value) ?? 0;
    for (const { args } of incoming.get(value.block) ?? []) {
      const arg = args[index];
      if (arg) mark(arg);
    }
  }
  return { values, insts };
}

/// Removes block parameters, and what edges give for them. Returns whether there were any.
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

/// Atomics whose old value nobody reads give none.
function withoutUnusedOldValues(insts: Inst[], live: ReadonlyIdSet<Definition>): Inst[] {
  const isUnused = (inst: Inst) =>
    inst.op === 'atomic' && inst.attrs.result && !inst.results.some((value) => live.has(value));
  if (!insts.some(isUnused)) return insts;
  return insts.map((inst) =>
    inst.op === 'atomic' && isUnused(inst)
      ? { ...inst, attrs: { ...inst.attrs, result: false }, results: [], otherwise: [] }
      : inst,
  );
}
