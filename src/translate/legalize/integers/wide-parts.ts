// 64-bit integers are pairs of words, and 128-bit integers are pairs of 64-bit ones, the low part
// first.
import { InternalError } from '../../../base/invariants.ts';
import type { Inst, Value } from '../../ir/nodes.ts';
import type { Lowering } from '../lowering.ts';

export type Pair = readonly [Value, Value];

/** The low and the high part of an argument. */
export function pairOf(lowering: Lowering, inst: Inst, index: number): Pair {
  const arg = inst.args[index];
  const [low, high] = arg ? lowering.parts(arg) : [];
  if (low === undefined || high === undefined) throw new InternalError(`${inst.op} has no wide argument ${index + 1}`);
  return [low, high];
}

export const isWords = ([low]: Pair): boolean => low.type === 'i32';
