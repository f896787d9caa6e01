// What an operation comes to without being executed: constants folded, and algebra that needs nothing but the arguments.
import type { Builder } from './builder.ts';
import { constant, type Value } from './nodes.ts';
import { type Attributes, type OpName, operations } from './operations.ts';

/// The one result as a value that is there already, a constant, or something simpler that the builder makes; undefined where there is nothing to gain.
export function simplify<Op extends OpName>(
  _builder: Builder,
  op: Op,
  attrs: Attributes[Op],
  args: readonly Value[],
): Value | undefined {
  const { fold, results } = operations[op];
  const bits = args.flatMap((arg) => (arg.kind === 'constant' ? [arg.bits] : []));
  if (fold === undefined || bits.length !== args.length) return undefined;
  const types = args.map(({ type }) => type);
  const [folded] = fold(bits, types, attrs as never) ?? [];
  const [type] = results(types, attrs as never);
  return folded === undefined || type === undefined ? undefined : constant(type, folded);
}
