// Finds reads by which a lane waits for other lanes, warps or blocks: strong reads in a loop whose
// exit depends on them. Not every such loop waits. A compare-and-swap that expects the value last
// read from its location fails only if another lane succeeded. A counter that the loop itself
// advances makes progress without other lanes. A search that reads a new location in each iteration
// never waits for a change. A loop that passes a barrier of the block yields there. A loop that
// passes a warp instruction waits for another warp or another block. Published kernels with
// look-back in global memory wait for other blocks in such loops, and are not changed. Their
// addresses depend on the block index or on a ticket. With any other address, or with block scope,
// the wait is within the block.

import { isFence } from '../ir/access-orders.ts';
import type { Func, Inst, InstNamed, Program } from '../ir/nodes.ts';
import type { Read } from './loop-waits.ts';
import { isStrongRead, type Waits } from './wait.ts';
import { waitPart } from './wait-part.ts';

/** Finds the kernel's waits. The program's addresses must not be resolved yet. */
export function findWaits(program: Program): Waits {
  const { kernel } = program;
  const calls = callsThatRead(program.functions);
  const mayRead = (inst: Inst): inst is Read =>
    isStrongRead(inst) || (inst.op === 'call' && calls.has(inst.attrs.callee));
  const hasFences = kernel.blocks.some(({ insts }) => insts.some(isFence));
  const mayWait = (inst: Inst): inst is Read => mayRead(inst) || (hasFences && isWeakRead(inst));
  if (!kernel.blocks.some(({ insts }) => insts.some(mayWait))) return { waits: [], looks: new Set() };
  return new waitPart.content.WaitFinder(program, mayWait).find();
}

function isWeakRead(inst: Inst): inst is InstNamed<'load'> {
  if (inst.op !== 'load' || inst.attrs.order !== 'weak') return false;
  const { root } = inst.attrs.place;
  return root.kind === 'address' && (root.space === 'global' || root.space === 'shared' || root.space === 'generic');
}

/**
 * Returns the device functions with strong reads, directly or through calls. Callees precede
 * callers.
 */
function callsThatRead(functions: readonly Func[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { name, blocks } of functions) {
    const reads = (inst: Inst) => isStrongRead(inst) || (inst.op === 'call' && found.has(inst.attrs.callee));
    if (blocks.some(({ insts }) => insts.some(reads))) found.add(name);
  }
  return found;
}
