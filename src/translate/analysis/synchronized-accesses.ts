// Accesses that fences, releases, acquires and barriers can order with accesses of other threads.
import { at } from '../../base/invariants.ts';
import { flowGraph } from '../graph/index.ts';
import { isFence, ordersThreads } from '../ir/access-orders.ts';
import type { Inst, Program } from '../ir/nodes.ts';
import { warpFacts } from '../ir/warp-facts.ts';

export interface SynchronizedAccesses {
  /** Whether a fence, an acquire or a barrier may precede the access in its thread. */
  readonly preceded: (inst: Inst) => boolean;
  /** Whether a fence, a release or a barrier may follow the access in its thread. */
  readonly followed: (inst: Inst) => boolean;
}

/**
 * Whether an instruction orders the accesses before it and after it, also for other threads. After
 * a barrier, another thread may release the accesses of this thread.
 */
const synchronizes = (inst: Inst): boolean =>
  (isFence(inst) && ordersThreads(inst.attrs.order)) ||
  (inst.op === 'barrier' && inst.attrs.kind !== 'yield') ||
  (inst.op === 'warp' && warpFacts(inst.attrs.row).orders);

/**
 * Finds the instructions before and after which a thread synchronizes. PTX orders two accesses to
 * one memory only if a release may follow the first, and an acquire may precede the second.
 */
export function synchronizedAccesses({ kernel, functions }: Program): SynchronizedAccesses {
  // The caller of a device function may synchronize before and after it.
  if (functions.length > 0) return { preceded: () => true, followed: () => true };
  const { blocks, successors, predecessors } = flowGraph(kernel);
  const lists = blocks.map(({ insts }) => insts);
  const preceded = instsAfter(lists, successors);
  const backward = lists.map((insts) => [...insts].reverse());
  const followed = instsAfter(backward, predecessors);
  return { preceded: (inst) => preceded.has(inst), followed: (inst) => followed.has(inst) };
}

/** Returns the synchronizing instructions of the blocks, and all that may execute after one. */
function instsAfter(lists: readonly (readonly Inst[])[], next: readonly (readonly number[])[]): ReadonlySet<Inst> {
  const found = new Set<Inst>();
  const work: number[] = [];
  const reached = new Set<number>();
  for (const [block, insts] of lists.entries()) {
    const first = insts.findIndex(synchronizes);
    if (first < 0) continue;
    for (const inst of insts.slice(first)) found.add(inst);
    work.push(...at(next, block, 'the neighbors of a block'));
  }
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    if (reached.has(block)) continue;
    reached.add(block);
    for (const inst of at(lists, block, 'a block')) found.add(inst);
    work.push(...at(next, block, 'the neighbors of a block'));
  }
  return found;
}
