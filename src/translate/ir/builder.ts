// The builder is the only source of new values, instructions and blocks. It folds operations: an
// operation on constants becomes a constant, and an identity becomes its argument.
import { BaseBuilder } from './base-builder.ts';
import { IdMap, type ReadonlyIdMap } from './id-map.ts';
import { type Definition, type Func, type Inst, isDefinition, mapTerminator, readsAny, type Value } from './nodes.ts';
import type { Attributes, OpName } from './operations.ts';
import { halvesOf, simplify } from './simplify.ts';

export { Ids, type InstOptions } from './base-builder.ts';

export class Builder extends BaseBuilder {
  protected override simplified<Op extends OpName>(
    op: Op,
    attrs: Attributes[Op],
    args: readonly Value[],
  ): Value | undefined {
    return simplify(this, op, attrs, args);
  }

  protected override halves(value: Value): readonly [Value, Value] | undefined {
    return halvesOf(this, value);
  }
}

/**
 * Replaces values in all uses in a function, through chains of replacements. Returns whether it
 * replaced any use.
 */
export function replaceValues(func: Func, replacements: ReadonlyIdMap<Definition, Value>): boolean {
  if (replacements.size === 0) return false;
  let changed = false;
  // The ends of the chains that have been followed.
  const ends = new IdMap<Definition, Value>();
  const value = (old: Value): Value => {
    if (!isDefinition(old)) return old;
    let next = replacements.get(old);
    if (next === undefined) return old;
    changed = true;
    const known = ends.get(old);
    if (known) return known;
    const passed = [old];
    while (isDefinition(next)) {
      const further: Value | undefined = ends.get(next) ?? replacements.get(next);
      if (further === undefined) break;
      passed.push(next);
      next = further;
    }
    for (const definition of passed) ends.set(definition, next);
    return next;
  };
  const list = (values: readonly Value[]): readonly Value[] => {
    for (let at = 0; at < values.length; at++) {
      const old = values[at];
      if (old !== undefined && value(old) !== old) return values.map(value);
    }
    return values;
  };
  const replaceIn = (inst: Inst) => {
    inst.args = list(inst.args);
    if (inst.when === undefined) return;
    inst.when = value(inst.when);
    inst.otherwise = list(inst.otherwise);
  };
  for (const block of func.blocks) {
    const { insts } = block;
    for (let at = 0; at < insts.length; at++) {
      const inst = insts[at];
      if (inst !== undefined) replaceIn(inst);
    }
    if (readsAny(block.end, (old) => value(old) !== old)) block.end = mapTerminator(block.end, value);
  }
  return changed;
}
