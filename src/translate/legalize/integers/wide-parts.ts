// A 64-bit integer is a pair of words, and a 128-bit integer is a pair of 64-bit integers. The low
// part is first.
import { InternalError } from '../../../base/invariants.ts';
import type { Inst, Value } from '../../ir/nodes.ts';
import type { Lowering } from '../lowering.ts';

export type Pair = readonly [Value, Value];

/** Returns the low and the high part of an argument. */
export function pairOf(lowering: Lowering, inst: Inst, index: number): Pair {
  const arg = inst.args[index];
  const [low, high] = arg ? lowering.parts(arg) : [];
  if (low === undefined || high === undefined) throw new InternalError(`${inst.op} has no wide argument ${index + 1}`);
  return [low, high];
}

export const isWords = ([low]: Pair): boolean => low.type === 'i32';
