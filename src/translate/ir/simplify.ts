// Simplifies operations: folds constants, and applies algebraic rules that need only the arguments.
import type { BaseBuilder } from './base-builder.ts';
import { constant, type Value } from './nodes.ts';
import { type Attributes, type OpName, operations } from './operations.ts';
import { arithmeticRules } from './simplify/arithmetic.ts';
import { bitRules } from './simplify/bits.ts';
import { compareRules } from './simplify/compare.ts';
import { convertRules } from './simplify/convert.ts';
import type { Rules } from './simplify/rule.ts';

export { halvesOf } from './simplify/convert.ts';

type AnyRule = (builder: BaseBuilder, args: readonly Value[], attrs: never) => Value | undefined;

const all: Rules = {
  ...arithmeticRules,
  ...bitRules,
  ...compareRules,
  ...convertRules,
  cvta: (_, [a], { space, direction }) => {
    const inner = a?.kind === 'result' && a.inst.when === undefined ? a.inst : undefined;
    if (inner?.op !== 'cvta' || inner.attrs.space !== space || inner.attrs.direction === direction) return undefined;
    return inner.args[0];
  },
};
const rules: Readonly<Partial<Record<OpName, AnyRule>>> = all;

/**
 * Returns the single result as an existing value, a constant, or a simpler value that the builder
 * creates. Returns undefined if no simplification applies.
 */
export function simplify<Op extends OpName>(
  builder: BaseBuilder,
  op: Op,
  attrs: Attributes[Op],
  args: readonly Value[],
): Value | undefined {
  let constants = 0;
  for (let at = 0; at < args.length; at++) if (args[at]?.kind === 'constant') constants += 1;
  if (constants === args.length && constants > 0) return folded(op, attrs, args);
  const a = args[0];
  const b = args[1];
  // Move a constant to the end.
  if (constants === 1 && a?.kind === 'constant' && b !== undefined && args.length === 2 && operations[op].commutative) {
    return builder.value(op, attrs, [b, a]);
  }
  return rules[op]?.(builder, args, attrs as never);
}

function folded<Op extends OpName>(op: Op, attrs: Attributes[Op], args: readonly Value[]): Value | undefined {
  const { fold, results } = operations[op];
  if (fold === undefined) return undefined;
  const types = args.map(({ type }) => type);
  const bits = args.flatMap((arg) => (arg.kind === 'constant' ? [arg.bits] : []));
  // Absent: the operation is not computed at compile time.
  const [known] = fold(bits, types, attrs as never) ?? [];
  const [type] = results(args, attrs as never);
  return known === undefined || type === undefined ? undefined : constant(type, known);
}
