// Copies instructions with other arguments. The builder folds copies whose arguments are constants.
import type { Builder } from '../../ir/builder.ts';
import type { Definition, Edge, Inst, Value } from '../../ir/nodes.ts';

/** Maps definitions to the values of a copy. */
export type Copied = Map<Definition, Value>;

export const lookUp =
  (copied: ReadonlyMap<Definition, Value>) =>
  (value: Value): Value =>
    value.kind === 'result' || value.kind === 'param' ? (copied.get(value) ?? value) : value;

/** Appends copies of instructions at the builder's position, and records their results. */
export function copyInsts(b: Builder, insts: readonly Inst[], copied: Copied): void {
  const value = lookUp(copied);
  for (const inst of insts) {
    b.span = inst.span;
    const args = inst.args.map(value);
    const [first, ...others] = inst.results;
    const isPure = inst.operation.effect === 'pure' && inst.when === undefined;
    if (isPure && first !== undefined && others.length === 0) {
      copied.set(first, b.value(inst.op, inst.attrs as never, args, { hint: first.hint }));
      continue;
    }
    const results = b.clone(inst, args, {
      when: inst.when && value(inst.when),
      otherwise: inst.otherwise.map(value),
    });
    results.forEach((result, index) => {
      const original = inst.results[index];
      if (original) copied.set(original, result);
    });
  }
}

export const copyEdge = ({ to, args }: Edge, copied: ReadonlyMap<Definition, Value>): Edge => ({
  to,
  args: args.map(lookUp(copied)),
});
