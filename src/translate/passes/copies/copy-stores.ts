// The stores of asynchronous copies, and the places to which they may move.

import { type Inst, type InstNamed, isCollective } from '../../ir/nodes.ts';

export type Copy = InstNamed<'store'>;

/** Whether a store is that of a copy that may complete later. */
export const isCopy = (inst: Inst): inst is Copy =>
  inst.op === 'store' && (inst.attrs.delay !== undefined || inst.attrs.around !== undefined);

const isBarrier = ({ op }: Inst): boolean => op === 'barrier';

export const barriersIn = (insts: readonly Inst[]): number => insts.filter(isBarrier).length;

/**
 * Returns the index of the barrier before which a store may execute; undefined if there is no
 * barrier.
 */
export function lastPlace(insts: readonly Inst[], start: number, delay: number): number | undefined {
  let place: number | undefined;
  let passed = 0;
  for (let at = start; at < insts.length && passed < delay; at++) {
    const inst = insts[at];
    if (inst === undefined || !isBarrier(inst)) continue;
    place = at;
    passed += 1;
  }
  return place;
}

/**
 * Whether the instructions contain a collective, and so enough work to justify the occupied
 * registers.
 */
export const isWork = (insts: readonly Inst[]): boolean => insts.some(isCollective);
