// Which instructions order the accesses of different threads, and how far.
import type { MemoryScope, Order } from '../ir/memory.ts';
import type { Inst, InstNamed, Program } from '../ir/nodes.ts';
import { warpFacts } from '../ir/warp-facts.ts';

type Access = InstNamed<'load' | 'store' | 'atomic' | 'half' | 'cell'>;

const ordering: Readonly<Record<Order, boolean>> = {
  weak: false, volatile: false, relaxed: false, acquire: true, release: true, acq_rel: true, sc: true,
}; // biome-ignore format: one line

export const isAccess = (inst: Inst): inst is Access =>
  inst.op === 'load' || inst.op === 'store' || inst.op === 'atomic' || inst.op === 'half' || inst.op === 'cell';

/** Whether an instruction is a fence of any kind, a release or an acquire. */
export const isFence = (inst: Inst): boolean => inst.op === 'fence' || (isAccess(inst) && ordering[inst.attrs.order]);

/** Whether a scope contains threads of several blocks. Absent: the instruction is weak. */
export const isWideScope = (scope: MemoryScope | undefined): boolean => scope !== 'cta' && scope !== 'cluster';

/** How fences, releases and acquires order the accesses of a program. */
export interface ThreadOrders {
  /** Whether instructions order the accesses of a warp's lanes. */
  readonly warp: boolean;
  /** Whether there are fences, releases or acquires. */
  readonly fence: boolean;
  /**
   * Which threads can synchronize without a barrier of the block: they need a fence, a release or
   * an acquire, and an access that is not weak.
   */
  readonly threads: 'none' | 'block' | 'grid';
}

export function threadOrders(program: Program): ThreadOrders {
  let [warp, fence, strong, ordered, wide] = [false, false, false, false, program.gridBarrier !== undefined];
  for (const func of [program.kernel, ...program.functions]) {
    for (const inst of func.blocks.flatMap(({ insts }) => insts)) {
      if (inst.op === 'warp') warp ||= warpFacts(inst.attrs.row).orders;
      strong ||= isAccess(inst) && inst.attrs.order !== 'weak';
      if (!isFence(inst)) continue;
      fence = true;
      // A fence between proxies is relaxed: it orders only the accesses of its thread.
      const { order, scope } = (inst as Access | InstNamed<'fence'>).attrs;
      ordered ||= ordering[order];
      wide ||= ordering[order] && isWideScope(scope);
    }
  }
  const threads = !strong || !(ordered || wide) ? 'none' : wide ? 'grid' : 'block';
  return { warp, fence, threads };
}
