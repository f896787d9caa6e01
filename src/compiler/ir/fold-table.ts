// Constant folding: the bits of results for constant arguments, by operation. Operations that are not here are left to run time.
import type { Attributes, OpName } from './operations.ts';
import type { Type } from './types.ts';

type Fold<Op extends OpName> = (
  bits: readonly bigint[],
  types: readonly Type[],
  attrs: Attributes[Op],
) => readonly bigint[] | undefined;

export const foldTable: { readonly [Op in OpName]?: Fold<Op> } = {};
