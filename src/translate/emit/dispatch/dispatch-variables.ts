// Variables through which lanes of a dispatched kernel bring operands to the group that executes an instruction, and take results from it.
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { Type } from '../../ir/types.ts';
import type { Emitter } from '../values/emitter.ts';
import { wgslTypeOf } from '../values/held-values.ts';

type LaneVariable = (slot?: Expr) => Expr;

const resultHints = { bool: 'result_p', u32: 'result_d', i32: 'result_d', f32: 'result_f' } as const;

/** Where an executed instruction with results of these types leaves one of them. Instructions share variables, one for each result of a type. */
export function resultVariable(emitter: Emitter, types: readonly Type[], index: number): LaneVariable {
  const [held = 'u32', ...before] = types
    .slice(0, index + 1)
    .map(wgslTypeOf)
    .reverse();
  const number = before.filter((type) => type === held).length;
  return emitter.once(`dispatch ${held} ${number}`, () => emitter.laneVariable(resultHints[held], held));
}

/** The member mask that a waiting lane names. */
export const maskVariable = (emitter: Emitter): LaneVariable =>
  emitter.once('dispatch mask', () => emitter.laneVariable('operand_membermask', 'u32'));
