// Finds loads from memory that the kernel cannot change: from buffers with their own binding that
// the kernel only reads. WebGPU does not permit another binding to overlap such a buffer.
import type { Inst, Program } from '../ir/nodes.ts';
import type { BufferPlan, MemoryPlan } from '../memory-plan.ts';
import { type BindingOptions, bindingsFor, findAccesses } from './accesses.ts';

/**
 * Whether an instruction loads from memory that the kernel cannot change. The memory of the program
 * must be resolved.
 */
export function isReadOnlyLoad(inst: Inst, plan: MemoryPlan): boolean {
  return bufferOfWeakLoad(inst, plan)?.written === false;
}

/** Returns the buffer that a weak load reads. Undefined for other instructions and other memory. */
export function bufferOfWeakLoad(inst: Inst, plan: MemoryPlan): BufferPlan | undefined {
  if (inst.op !== 'load' || inst.attrs.order !== 'weak') return undefined;
  const { root } = inst.attrs.place;
  return root.kind === 'buffer' ? plan.buffers.get(root.param) : undefined;
}

/**
 * Returns a function that tests whether an instruction loads from memory that the kernel cannot
 * change. The memory need not be resolved. The first test analyzes the program. After it, passes
 * may only add copies of existing instructions.
 */
export function readOnlyLoads(program: Program, options: BindingOptions): (inst: Inst) => boolean {
  let found: ReadonlySet<Inst> | undefined;
  return (inst) => {
    if (inst.op !== 'load') return false;
    found ??= findReadOnly(program, options);
    return found.has(inst);
  };
}

function findReadOnly(program: Program, options: BindingOptions): ReadonlySet<Inst> {
  const { accesses } = findAccesses(program, bindingsFor(program, options), options.heapParams);
  const written = new Set<number>();
  for (const { inst, target } of accesses)
    if (target.kind === 'buffer' && inst.op !== 'load') written.add(target.param);
  const loads = new Set<Inst>();
  for (const { inst, target } of accesses) {
    const isWeak = inst.op === 'load' && inst.attrs.order === 'weak';
    if (isWeak && target.kind === 'buffer' && !written.has(target.param)) loads.add(inst);
  }
  return loads;
}
