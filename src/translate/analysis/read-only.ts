// Loads that nothing in the kernel can change: of buffers with bindings of their own that it only reads. WebGPU lets no other binding overlap them then.
import type { Inst, Program } from '../ir/nodes.ts';
import type { MemoryPlan } from '../memory-plan.ts';
import { type BindingOptions, bindingsFor, findAccesses } from './accesses.ts';

/** Whether the instruction is such a load, once memory is resolved. */
export function isReadOnlyLoad(inst: Inst, plan: MemoryPlan): boolean {
  if (inst.op !== 'load' || inst.attrs.order !== 'weak') return false;
  const { root } = inst.attrs.place;
  return root.kind === 'buffer' && plan.buffers.get(root.param)?.written === false;
}

/**
 * Tells which loads are such before memory is resolved. The program is looked through when the first load is asked about, and must not change from then
 * on but by copies of what it has.
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
