// Computes the lane number and thread number of a slot. Both depend on the lane plan.
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { ProgramUses } from './program-uses.ts';

/** Returns the lane's number in its warp. */
export function laneNumber(uses: ProgramUses, slot: Expr): Expr {
  const { mapping, plan } = uses.options;
  if (mapping === 'threads') return w.and(uses.builtin('thread'), w.u32(31));
  if (plan.kind === 'portable' && uses.slots > 1) return slot;
  if (plan.kind !== 'narrow') return uses.builtin('lane');
  return w.add(w.mul(slot, w.u32(plan.subgroupSize)), uses.builtin('subgroupLane'));
}

/** Returns the thread's linear number in its block. */
export function threadNumber(uses: ProgramUses, slot: Expr): Expr {
  if (uses.options.mapping === 'threads') return uses.builtin('thread');
  if (uses.slots > 1) return w.add(w.mul(uses.builtin('warp'), w.u32(32)), laneNumber(uses, slot));
  return uses.builtin('threadNumber');
}
