// How accesses to memory and fences order the accesses of different threads.
import type { MemoryScope, Order } from './memory.ts';
import type { Inst, InstNamed } from './nodes.ts';

export type Access = InstNamed<'load' | 'store' | 'atomic' | 'half' | 'cell'>;

/** The orders of accesses before which all earlier accesses of the thread are performed. */
export const releases: ReadonlySet<Order> = new Set<Order>(['release', 'acq_rel', 'sc']);
/** The orders of accesses after which all later accesses of the thread are performed. */
export const acquires: ReadonlySet<Order> = new Set<Order>(['acquire', 'acq_rel', 'sc']);

export const isAccess = (inst: Inst): inst is Access =>
  inst.op === 'load' || inst.op === 'store' || inst.op === 'atomic' || inst.op === 'half' || inst.op === 'cell';

/**
 * Whether an order applies to other threads. A fence between proxies is relaxed: it orders only the
 * accesses of its thread.
 */
export const ordersThreads = (order: Order): boolean => releases.has(order) || acquires.has(order);

/** Whether an instruction is a fence of any kind, a release or an acquire. */
export const isFence = (inst: Inst): inst is Access | InstNamed<'fence'> =>
  inst.op === 'fence' || (isAccess(inst) && ordersThreads(inst.attrs.order));

/** Whether a scope contains threads of several blocks. Absent: the instruction is weak. */
export const isWideScope = (scope: MemoryScope | undefined): boolean => scope !== 'cta' && scope !== 'cluster';
