// Hoists loads. A WGSL compiler keeps a load after the stores and atomics that precede it, because
// it cannot know whether the buffers overlap. This pass knows which buffers the kernel only reads.
// In ordered memory, accesses are atomic and compilers keep their order, so each load would wait for
// the load before the last store. PTX does not order weak accesses of a thread that do not overlap.
import { addressOf, bytesOf } from '../analysis/accesses.ts';
import { bufferOfWeakLoad, isReadOnlyLoad } from '../analysis/read-only.ts';
import { forEachOperand } from '../graph/index.ts';
import type { Func, Inst, InstNamed } from '../ir/nodes.ts';
import { ordersAccesses } from '../ir/operations.ts';
import type { MemoryPlan } from '../memory-plan.ts';

/**
 * The maximum number of loads that move before one store. The limit exists because each load
 * occupies a register.
 */
const maxLoads = 16;
/** The maximum number of instructions that a load passes. */
const maxDistance = 64;
/** The maximum number of instructions of an address that move with a load. */
const maxAddress = 8;

/**
 * Moves loads of read-only buffers and of ordered buffers, with the instructions of their addresses,
 * before the first store or atomic of their block. A load never passes a collective.
 */
export function hoistLoads(func: Func, plan: MemoryPlan): void {
  for (const block of func.blocks) {
    const first = block.insts.findIndex(writesMemory);
    if (first === -1 || !block.insts.some((inst, index) => index > first && isLoad(inst, plan))) continue;
    block.insts = hoisted(block.insts, plan);
  }
}

const isLoad = (inst: Inst, plan: MemoryPlan): boolean =>
  inst.when === undefined && (isReadOnlyLoad(inst, plan) || isOrderedLoad(inst, plan));

/** Whether an instruction is a weak load of a buffer with ordered memory. */
const isOrderedLoad = (inst: Inst, plan: MemoryPlan): inst is InstNamed<'load'> =>
  bufferOfWeakLoad(inst, plan)?.ordered === true;

/** Whether a load of ordered memory may move before an instruction. */
function mayPass(load: InstNamed<'load'>, inst: Inst): boolean {
  if (!writesMemory(inst)) return true;
  if (inst.op !== 'store') return false;
  const [a, b] = [load.attrs.place, inst.attrs.place];
  if (a.root.kind !== 'buffer' || b.root.kind !== 'buffer') return false;
  // WebGPU does not permit bindings that overlap.
  if (a.root.param !== b.root.param) return true;
  const isSameIndex = a.unit === b.unit && addressOf(load) === addressOf(inst);
  return isSameIndex && (a.offset + bytesOf(load) <= b.offset || b.offset + bytesOf(inst) <= a.offset);
}

const writesMemory = ({ operation }: Inst): boolean => operation.effect === 'writes';

/** Whether no load may move before the instruction. */
function isOrdered(inst: Inst): boolean {
  if (inst.op === 'load' || inst.op === 'store') return inst.attrs.order !== 'weak';
  return ordersAccesses(inst.operation.effect);
}

function hoisted(insts: readonly Inst[], plan: MemoryPlan): Inst[] {
  const done: Inst[] = [];
  /** The position to which loads move: the first write that they may pass. */
  let place: number | undefined;
  let loads = 0;
  for (const inst of insts) {
    const ordered = isOrdered(inst);
    if (ordered || loads === maxLoads || (place !== undefined && done.length - place > maxDistance)) {
      place = undefined;
      loads = 0;
    }
    if (place === undefined && !ordered && writesMemory(inst)) place = done.length;
    const parts = place !== undefined && isLoad(inst, plan) ? partition(done.slice(place), inst, plan) : undefined;
    if (place === undefined || parts === undefined) {
      done.push(inst);
      continue;
    }
    done.splice(place, done.length, ...parts.moved, inst, ...parts.left);
    place += parts.moved.length + 1;
    loads += 1;
  }
  return done;
}

/**
 * Splits the instructions before a load into those that compute its address, and the others.
 * Returns undefined if the two lists cannot be reordered.
 */
function partition(
  between: readonly Inst[],
  load: Inst,
  plan: MemoryPlan,
): { readonly moved: readonly Inst[]; readonly left: readonly Inst[] } | undefined {
  if (isOrderedLoad(load, plan) && !between.every((inst) => mayPass(load, inst))) return undefined;
  const needed = new Set<Inst>();
  const need = (inst: Inst) =>
    forEachOperand(inst, (value) => {
      if (value.kind === 'result') needed.add(value.inst);
    });
  need(load);
  const moved: Inst[] = [];
  const left: Inst[] = [];
  for (let at = between.length - 1; at >= 0; at--) {
    const inst = between[at];
    if (inst === undefined) continue;
    if (!needed.has(inst)) {
      left.push(inst);
      continue;
    }
    if (inst.operation.effect !== 'pure' || moved.length === maxAddress) return undefined;
    need(inst);
    moved.push(inst);
  }
  return { moved: moved.reverse(), left: left.reverse() };
}
