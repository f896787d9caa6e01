// Replaces values that can have only one number, given the size of the block. Compilers of PTX do
// not know this size. So in their code, a loop over `threadIdx.x` tests how many iterations each
// thread has.

import { unsigned } from '../analysis/range.ts';
import { findRanges, type SpecialRanges } from '../analysis/ranges.ts';
import { replaceValues } from '../ir/builder.ts';
import { IdMap } from '../ir/id-map.ts';
import { constant, type Definition, type Func, type Value } from '../ir/nodes.ts';

/**
 * Replaces the values of a function that can have only one number. Returns whether it replaced any
 * value.
 */
export function foldRanges(func: Func, special: SpecialRanges): boolean {
  const ranges = findRanges(func, special);
  const replacements = new IdMap<Definition, Value>();
  for (const { insts } of func.blocks)
    for (const { operation, results } of insts) {
      if (operation.effect !== 'pure') continue;
      for (const result of results) {
        const { min, max } = unsigned(result.type, ranges.of(result));
        if (min === max) replacements.set(result, constant(result.type, min));
      }
    }
  return replaceValues(func, replacements);
}
