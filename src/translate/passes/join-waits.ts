// Removes the yields of waits for mbarriers that all threads of a block reach together, so that the
// kernel need not be dispatched. Between two block barriers, all threads read the same word. Writes
// that precede the word's last change are visible after the barriers.
import { at } from '../../base/invariants.ts';
import { analyzeUniformity } from '../analysis/uniformity.ts';
import { isYield, type Yield } from '../analysis/wait.ts';
import type { Builder } from '../ir/builder.ts';
import type { Block, Inst, InstNamed, Program } from '../ir/nodes.ts';
import type { MemoryPlan } from '../memory-plan.ts';

type Load = InstNamed<'load'>;

interface Wait {
  readonly load: Load;
  readonly yieldPoint: Yield;
}

/** Joins all waits of the kernel, or none, because one divergent wait requires a dispatch. */
export function joinWaits(
  program: Program,
  b: Builder,
  memory: MemoryPlan,
  block: readonly [number, number, number],
): void {
  const { kernel } = program;
  const yields = kernel.blocks.flatMap(({ insts }) => insts.filter(isYield));
  if (yields.length === 0) return;
  const waits = kernel.blocks.flatMap(waitsIn);
  if (waits.length < yields.length) return;
  const before = kernel.blocks.map(({ insts }) => insts);
  const orders = waits.map(({ load }) => load.attrs);
  const loads = new Map(waits.map(({ load }): [Inst, Load] => [load, load]));
  for (const each of kernel.blocks) if (each.insts.some(isYield)) each.insts = joined(each.insts, loads, b);
  for (const { load, yieldPoint } of waits)
    load.attrs = { ...load.attrs, order: 'weak', ...(yieldPoint.args.length > 0 ? { polls: true } : {}) };
  const { obstacle, hasInactiveThreads } = analyzeUniformity(program, memory, block);
  // Threads that have exited or left may still arrive at the mbarrier. So the joined waits are
  // correct only if no thread is inactive.
  if (obstacle === undefined && !hasInactiveThreads) return;
  kernel.blocks.forEach((each, index) => {
    each.insts = at(before, index, 'the instructions of a block');
  });
  waits.forEach(({ load }, index) => {
    load.attrs = at(orders, index, 'the attributes of a load');
  });
}

/** Returns the yields of a block that follow a load without another effect between them. */
function waitsIn({ insts }: Block): readonly Wait[] {
  return insts.flatMap((yieldPoint, index) => {
    if (!isYield(yieldPoint) || yieldPoint.when !== undefined) return [];
    const load = insts.slice(0, index).findLast(({ operation }) => operation.effect !== 'pure');
    if (load?.op !== 'load' || load.when !== undefined) return [];
    // If all threads wait for a word of global memory, they wait for other blocks.
    return yieldPoint.args.length === 0 || load.attrs.place.root.kind === 'array' ? [{ load, yieldPoint }] : [];
  });
}

function joined(insts: readonly Inst[], loads: ReadonlyMap<Inst, Load>, b: Builder): Inst[] {
  const list: Inst[] = [];
  b.into(list);
  const barrier = () => b.emit('barrier', { kind: 'sync', counted: false }, [b.i32(0)]);
  for (const inst of insts) {
    b.span = inst.span;
    if (isYield(inst)) {
      barrier();
      continue;
    }
    if (loads.has(inst)) barrier();
    list.push(inst);
  }
  return list;
}
