// Builds the operands and the instructions of the single turn that replaces many turns.
import { at as element } from '../../../base/invariants.ts';
import type { Builder } from '../../ir/builder.ts';
import { type Block, type Inst, type Param, sameValue, type Value } from '../../ir/nodes.ts';
import type { Type } from '../../ir/types.ts';
import type { Repeat, RepeatedOperand } from './double-repeats.ts';

/** The operands that differ between turns. */
export class TurnOperands {
  /** The results that the next turn reads. */
  readonly passed: { readonly at: number; readonly index: number; readonly first: Value; readonly param: Param }[] = [];
  private readonly each: { readonly values: readonly Value[]; readonly param: Param }[] = [];
  private readonly head: Block;
  private readonly body: Block;
  private readonly builder: Builder;
  private readonly starts: Value[];

  /** `starts` receives the initial values of the head's parameters. */
  constructor(head: Block, body: Block, builder: Builder, starts: Value[]) {
    this.head = head;
    this.body = body;
    this.builder = builder;
    this.starts = starts;
  }

  /** Returns the result of the previous turn. */
  before(operand: Extract<RepeatedOperand, { readonly kind: 'before' }>): Value {
    const { at, index, first } = operand;
    const same = this.passed.find((one) => one.at === at && one.index === index && sameValue(one.first, first));
    if (same) return same.param;
    const param = this.builder.param(this.head, first.type);
    this.passed.push({ at, index, first, param });
    this.starts.push(first);
    return param;
  }

  /** Selects the current turn's value from a list with one value per turn. */
  of(values: readonly Value[], type: Type): Value {
    const same = this.each.find((one) =>
      one.values.every((value, at) => sameValue(value, element(values, at, 'the value of a turn'))),
    );
    if (same) return same.param;
    const param = this.builder.param(this.body, type);
    this.each.push({ values, param });
    return param;
  }

  ofTurn(number: number): readonly Value[] {
    return this.each.map(({ values }) => element(values, number, 'the value of a turn'));
  }
}

/** Creates the instructions of one turn, without inserting them. */
export function template(
  members: readonly Inst[],
  repeat: Repeat,
  operands: TurnOperands,
  builder: Builder,
): readonly Inst[] {
  const turn: Inst[] = [];
  for (const [place, each] of repeat.operands.entries()) {
    const inst = members[place];
    if (inst === undefined) break;
    const args = each.map((operand, at): Value => {
      if (operand.kind === 'same') return operand.value;
      if (operand.kind === 'before') return operands.before(operand);
      const old = element(inst.args, at, 'an operand');
      if (operand.kind === 'each') return operands.of(operand.values, old.type);
      return element(element(turn, operand.at, 'an instruction of a turn').results, operand.index, 'a result');
    });
    builder.span = inst.span;
    builder.within(turn, () => builder.clone(inst, args));
  }
  return turn;
}
