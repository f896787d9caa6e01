// What lanes of a dispatch bring to the instruction of their wait class, and which results they take.

import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { WarpValue } from '../../../wgsl/warp/index.ts';
import type { WaitClass } from '../../control/waits.ts';
import { constantOf, type InstNamed, type Value } from '../../ir/nodes.ts';
import { warpFacts } from '../../ir/warp-facts.ts';
import type { Emitter } from '../values/emitter.ts';
import { wgslTypeOf } from '../values/held-values.ts';
import { maskVariable } from './dispatch-variables.ts';

type Warp = InstNamed<'warp'>;

/** An operand that lanes bring along, in a variable. */
export interface StagedOperand {
  readonly index: number;
  readonly at: (slot?: Expr) => Expr;
}

export interface WaitGroup {
  readonly class: WaitClass;
  /** Operands that are the same constant everywhere need not be brought. */
  readonly staged: readonly StagedOperand[];
  /** Results that somebody wants. */
  readonly wanted: ReadonlySet<number>;
  /** `mask`: the member mask that the executing group shares. */
  readonly sources: (mask: Expr) => readonly WarpValue[];
}

const maskIndexOf = ({ attrs, args }: Warp): number | undefined => {
  const index = warpFacts[attrs.row].membermask;
  return index === undefined ? undefined : args.length - 1;
};

export function groupOf(emitter: Emitter, group: WaitClass): WaitGroup {
  const { first, members } = group;
  const maskIndex = maskIndexOf(first);
  const constants = new Map<number, bigint>();
  const staged: StagedOperand[] = [];
  first.args.forEach((arg, index) => {
    const value = commonConstant(members.map(({ args }) => args[index]));
    if (index === maskIndex) {
      // The masks tell groups apart, so lanes always bring theirs.
      staged.push({ index, at: maskVariable(emitter) });
    } else if (value !== undefined && arg.type === 'i32') {
      constants.set(index, value);
    } else {
      const type = wgslTypeOf(arg.type);
      const at = emitter.once(`dispatch operand ${index} ${type}`, () => emitter.laneVariable('operand', type));
      staged.push({ index, at });
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
      const operand = staged.find((candidate) => candidate.index === index);
      return { type: wgslTypeOf(arg.type), at: (slot) => operand?.at(slot) ?? w.u32(0) };
    });
  return { class: group, staged, wanted, sources };
}

function commonConstant(args: readonly (Value | undefined)[]): bigint | undefined {
  const [first] = args;
  const bits = constantOf(first);
  return bits !== undefined && args.every((arg) => constantOf(arg) === bits) ? bits : undefined;
}
