// The values of special registers.
import type { Builder } from '../ir/builder.ts';
import { constant, type Value } from '../ir/nodes.ts';
import type { Type } from '../ir/types.ts';
import { type LaunchShape, specialConstant, specialName } from './launch-shape.ts';

/** Builds the value of a special register. */
export function buildSpecial(b: Builder, name: string, type: Type, launch: LaunchShape): Value {
  const inCluster = launch.cluster?.special(b, name);
  if (inCluster !== undefined) return b.resize(inCluster, type);
  const known = specialConstant(name, launch);
  if (known !== undefined) return constant(type, known);
  return b.value('special', { name: specialName(name), type }, [], { hint: name });
}
