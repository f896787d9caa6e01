// The place of an access in its memory.

import type { AccessInst } from '../../analysis/accesses.ts';
import type { Place, Root } from '../../ir/memory.ts';
import type { Value } from '../../ir/nodes.ts';
import type { Granule } from '../../memory-plan.ts';

/** The binary logarithm of a granule's size in bytes. */
export const log2Of: Readonly<Record<Granule, number>> = { 1: 2, 2: 3, 4: 4 };

/** Sets the access's place, and replaces its address with its index. */
export function setPlace(inst: AccessInst, root: Root, unit: number, offset: number, index: Value | undefined): void {
  const rest = inst.attrs.place.indexed ? inst.args.slice(1) : inst.args;
  const place: Place = { root, unit, offset, indexed: index !== undefined };
  if (inst.op === 'load') inst.attrs = { ...inst.attrs, place };
  else if (inst.op === 'store') inst.attrs = { ...inst.attrs, place };
  else inst.attrs = { ...inst.attrs, place };
  inst.args = index === undefined ? rest : [index, ...rest];
}
