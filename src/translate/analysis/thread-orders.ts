// How the threads of a program order their accesses, except by barriers of the block.
import { isAccess, isFence, isWideScope, ordersThreads } from '../ir/access-orders.ts';
import type { Program } from '../ir/nodes.ts';
import { warpFacts } from '../ir/warp-facts.ts';

export interface ThreadOrders {
  /** Whether instructions order the accesses of a warp's lanes. */
  readonly warp: boolean;
  /** Whether there are fences, releases or acquires that apply to other threads. */
  readonly fence: boolean;
  /**
   * Which threads can synchronize without a barrier of the block: they need a fence, a release or
   * an acquire, and an access that is not weak.
   */
  readonly threads: 'none' | 'block' | 'grid';
}

export function threadOrders({ kernel, functions, gridBarrier }: Program): ThreadOrders {
  const insts = [kernel, ...functions].flatMap(({ blocks }) => blocks.flatMap((block) => block.insts));
  const scopes = insts.filter(isFence).flatMap(({ attrs }) => (ordersThreads(attrs.order) ? [attrs.scope] : []));
  const isWide = gridBarrier !== undefined || scopes.some(isWideScope);
  const isStrong = insts.some((inst) => isAccess(inst) && inst.attrs.order !== 'weak');
  return {
    warp: insts.some((inst) => inst.op === 'warp' && warpFacts(inst.attrs.row).orders),
    fence: scopes.length > 0,
    threads: !isStrong || (scopes.length === 0 && !isWide) ? 'none' : isWide ? 'grid' : 'block',
  };
}
