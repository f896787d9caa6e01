// Copies f64 operations and the instructions between them.
import type { Builder } from '../../ir/builder.ts';
import type { IdMap } from '../../ir/id-map.ts';
import { type Definition, type Inst, isDefinition, type Value } from '../../ir/nodes.ts';
import { ordinaryOf } from './double-groups.ts';

/** The copied result for each original result. */
export type Copies = IdMap<Definition, Value>;

export const copyOf = (copies: Copies, value: Value): Value =>
  isDefinition(value) ? (copies.get(value) ?? value) : value;

export const nameOf = (inst: Inst): string => (inst.op === 'helper' ? inst.attrs.name : inst.op);

/**
 * Copies instructions to the builder's position. `asOrdinary` replaces operations by those for
 * ordinary values.
 */
export function copyInto(copies: Copies, members: readonly Inst[], builder: Builder, asOrdinary: boolean): void {
  for (const inst of members) {
    const name = asOrdinary ? ordinaryOf(inst) : undefined;
    const args = inst.args.map((arg) => copyOf(copies, arg));
    builder.span = inst.span;
    const hints = inst.results.map(({ hint }) => hint);
    const results =
      inst.op === 'helper' && name !== undefined
        ? builder.emit('helper', { ...inst.attrs, name }, args, { hints })
        : builder.clone(inst, args);
    inst.results.forEach((old, at) => {
      const result = results[at];
      if (result) copies.set(old, result);
    });
  }
}
