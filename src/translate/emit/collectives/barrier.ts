// Block barriers that the whole workgroup reaches.
import { countOf } from '../../../base/dim3.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import { partsOf } from '../../ir/barriers.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import { threadNumber } from '../program/lane-numbers.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Emitter } from '../values/emitter.ts';
import { warpWriter } from './warp.ts';
import { writeWorkgroupBarrier } from './workgroup-barrier.ts';

type Barrier = InstNamed<'barrier'>;

/** Returns the number of the thread's block, if the workgroup runs `blocks` blocks. */
export function blockRank({ uses, slot }: Emitter, blocks: number): Expr {
  return w.div(threadNumber(uses, slot), w.u32(lanesOf(uses, blocks)));
}

/** Returns the number of lanes of each block. */
export const lanesOf = ({ options: { block } }: ProgramUses, blocks: number): number => countOf(block) / blocks;

/** Writes a barrier. `active`: whether a lane is active; undefined if all lanes are active. */
export function writeBarrier(emitter: Emitter, inst: Barrier, active: ((slot: Expr) => Expr) | undefined): void {
  const { uses, slots } = emitter;
  const { predicate } = partsOf(inst);
  const [result] = inst.results;
  // All threads of the block execute both the arrival and the wait. So the barrier of the wait is
  // enough.
  if (inst.attrs.kind === 'cluster.arrive') return;
  if (predicate === undefined || result === undefined) {
    writeWorkgroupBarrier(emitter);
    return;
  }
  const { kind, blocks = 1 } = inst.attrs; // Absent: the workgroup runs one block.
  const counts = uses.workgroupVariable('barrier_count', blocks === 1 ? w.atomic() : w.array(w.atomic(), blocks));
  const count = blocks === 1 ? counts : w.index(counts, blockRank(emitter, blocks));
  // `and` is true if no lane votes false, so the code counts the lanes that vote false.
  const says = (slot: Expr) => {
    const own = emitter.read(predicate, slot);
    const counted = kind === 'red.and' ? w.not(own) : own;
    return active ? w.both(active(slot), counted) : counted;
  };
  const add = (number: Expr) => emitter.perform('atomicAdd', count, number);
  const isFirst = w.eq(uses.builtin('thread'), w.u32(0));
  emitter.if(isFirst, () => {
    if (blocks === 1) emitter.perform('atomicStore', counts, w.u32(0));
    else emitter.repeat('rank', blocks, (rank) => emitter.perform('atomicStore', w.index(counts, rank), w.u32(0)));
  });
  writeWorkgroupBarrier(emitter);
  if (slots === 1) {
    emitter.if(says(emitter.slot), () => add(w.u32(1)));
  } else {
    const lanes = warpWriter(emitter, undefined).ballot('lanes', says);
    const number = w.builtin('countOneBits', 'u32', lanes);
    if (uses.options.plan.kind === 'portable') add(number);
    else emitter.if(w.eq(uses.builtin('subgroupLane'), w.u32(0)), () => add(number));
  }
  writeWorkgroupBarrier(emitter);
  const total = emitter.load('count', count);
  writeWorkgroupBarrier(emitter);
  const value = kind === 'red.popc' ? total : kind === 'red.and' ? w.eq(total, w.u32(0)) : w.ne(total, w.u32(0));
  emitter.eachSlot(() => {
    if (active) emitter.if(active(emitter.slot), () => emitter.define(result, value));
    else emitter.define(result, value);
  });
}
