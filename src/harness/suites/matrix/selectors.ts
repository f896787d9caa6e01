// The sparsity selectors of products with a sparse A.
import type { Mods } from '../../../isa/index.ts';
import { lastSelector } from '../../../isa/sparsity-selectors.ts';

/**
 * Adds a selector to the modifiers of a sparse product. It is an operand of the instruction. `turn`
 * chooses one of the form's selectors.
 */
export const withSelector = (mods: Mods, turn: number): Mods =>
  mods.metadata === undefined ? mods : { ...mods, selector: `${turn % (lastSelector(mods) + 1)}` };
