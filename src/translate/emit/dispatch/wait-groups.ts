// The operands that lanes of a dispatch store for the instruction of their wait class, and the
// variables in which the instruction stores its results.
import { at, get } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { WarpValue } from '../../../wgsl/warp/index.ts';
import type { WaitClass } from '../../control/waits.ts';
import { constantOf, type Value } from '../../ir/nodes.ts';
import type { Type } from '../../ir/types.ts';
import { warpFacts } from '../../ir/warp-facts.ts';
import type { Emitter, LaneVariable } from '../values/emitter.ts';
import { wgslTypeOf } from '../values/held-values.ts';

export interface WaitGroup {
  readonly class: WaitClass;
  /**
   * The variables of the operands, by index. An operand that is the same constant everywhere has no
   * variable.
   */
  readonly staged: ReadonlyMap<number, LaneVariable>;
  /** The indexes of the results that are read anywhere. */
  readonly wanted: ReadonlySet<number>;
  /** `mask`: the member mask that the executing group shares. */
  readonly sources: (mask: Expr) => readonly WarpValue[];
}

export function groupOf(emitter: Emitter, group: WaitClass): WaitGroup {
  const { first, members } = group;
  const hasMask = warpFacts(first.attrs.row).membermask !== undefined;
  const maskIndex = hasMask ? first.args.length - 1 : undefined;
  const constants = new Map<number, bigint>();
  const staged = new Map<number, LaneVariable>();
  first.args.forEach((arg, index) => {
    const value = commonConstant(members.map(({ args }) => args[index]));
    if (index === maskIndex) {
      // Masks distinguish groups, so a lane always stores its member mask.
      staged.set(index, maskVariable(emitter));
    } else if (value !== undefined && arg.type === 'i32') {
      constants.set(index, value);
    } else {
      const type = wgslTypeOf(arg.type);
      const variable = emitter.once(`dispatch operand ${index} ${type}`, () => emitter.laneVariable('operand', type));
      staged.set(index, variable);
    }
  });
  const wanted = new Set(
    first.results.flatMap((_, index) => (members.some(({ results }) => emitter.isRead(results[index])) ? [index] : [])),
  );
  const sources = (mask: Expr) =>
    first.args.map((arg, index): WarpValue => {
      const value = constants.get(index);
      if (value !== undefined) return { type: 'u32', at: () => w.u32(value), constant: value };
      if (index === maskIndex) return { type: 'u32', at: () => mask, shared: true };
      return { type: wgslTypeOf(arg.type), at: get(staged, index, 'an operand of a wait class') };
    });
  return { class: group, staged, wanted, sources };
}

function commonConstant(args: readonly (Value | undefined)[]): bigint | undefined {
  const [first] = args;
  const bits = constantOf(first);
  return bits !== undefined && args.every((arg) => constantOf(arg) === bits) ? bits : undefined;
}

const resultHints = { bool: 'result_p', u32: 'result_d', i32: 'result_d', f32: 'result_f' } as const;

/**
 * Returns the variable of one result of an instruction whose results have these types. Instructions
 * share these variables: the nth result of a WGSL type has the same variable in all of them.
 */
export function resultVariable(emitter: Emitter, types: readonly Type[], index: number): LaneVariable {
  const held = wgslTypeOf(at(types, index, 'a result'));
  const number = types.slice(0, index).filter((type) => wgslTypeOf(type) === held).length;
  return emitter.once(`dispatch ${held} ${number}`, () => emitter.laneVariable(resultHints[held], held));
}

/** Returns the variable of the member mask of a waiting lane. */
export const maskVariable = (emitter: Emitter): LaneVariable =>
  emitter.once('dispatch mask', () => emitter.laneVariable('operand_membermask', 'u32'));
