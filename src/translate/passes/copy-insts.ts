// Copies instructions with other arguments.
import type { Builder } from '../ir/builder.ts';
import { type Definition, type Edge, type Inst, isDefinition, type Value } from '../ir/nodes.ts';

/** Maps definitions to the values of a copy. */
export type Copied = Map<Definition, Value>;

export const lookUp =
  (copied: ReadonlyMap<Definition, Value>) =>
  (value: Value): Value =>
    isDefinition(value) ? (copied.get(value) ?? value) : value;

/** Emits the copy of one instruction at the builder's position. Returns its results. */
export type Emit = (inst: Inst, args: readonly Value[]) => readonly Value[];

/**
 * Appends copies of instructions at the builder's position, and records their results. By default,
 * the builder folds copies whose arguments are constants.
 */
export function copyInsts(b: Builder, insts: readonly Inst[], copied: Copied, emit?: Emit): void {
  const value = lookUp(copied);
  const folded: Emit = (inst, args) => {
    const [first, ...others] = inst.results;
    const isPure = inst.operation.effect === 'pure' && inst.when === undefined;
    if (isPure && first !== undefined && others.length === 0)
      return [b.value(inst.op, inst.attrs as never, args, { hint: first.hint })];
    return b.clone(inst, args, { when: inst.when && value(inst.when), otherwise: inst.otherwise.map(value) });
  };
  const make = emit ?? folded;
  for (const inst of insts) {
    b.span = inst.span;
    make(inst, inst.args.map(value)).forEach((result, index) => {
      const original = inst.results[index];
      if (original) copied.set(original, result);
    });
  }
}

export const copyEdge = ({ to, args }: Edge, copied: ReadonlyMap<Definition, Value>): Edge => ({
  to,
  args: args.map(lookUp(copied)),
});
