// A wait of a lane for others, and the instructions that it consists of.

import { isMbarrierOp } from '../ir/memory.ts';
import type { Block, Inst, InstNamed } from '../ir/nodes.ts';
import { readsStrongly } from './changing-loads.ts';

export interface Wait {
  readonly inst: Inst;
  readonly block: Block;
  /** Whether the loop also ends by itself, because it counts or reads a clock. */
  readonly ends: boolean;
  /** The yield that already follows the read, for example after each test of an mbarrier. */
  readonly yieldPoint: Yield | undefined;
}

export interface Waits {
  readonly waits: readonly Wait[];
  /** Reads by which a lane waits without a yield, for example for a store of another block. */
  readonly looks: ReadonlySet<Inst>;
}

export type Yield = InstNamed<'barrier'>;

export const isYield = (inst: Inst | undefined): inst is Yield => inst?.op === 'barrier' && inst.attrs.kind === 'yield';

export const isStrongRead = (inst: Inst): inst is InstNamed<'load' | 'atomic'> =>
  (inst.op === 'load' || (inst.op === 'atomic' && !isMbarrierOp(inst.attrs.op))) && readsStrongly(inst);
