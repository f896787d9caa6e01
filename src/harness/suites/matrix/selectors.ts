// The operands of products with a sparse A: the metadata, and their selector.
import { at } from '../../../base/invariants.ts';
import { fragmentWords, type MatrixForm } from '../../../isa/fragments.ts';
import type { Mods } from '../../../isa/index.ts';
import { lastSelector } from '../../../isa/sparsity-selectors.ts';

/**
 * Adds a selector to the modifiers of a sparse product. It is an operand of the instruction. `turn`
 * chooses one of the form's selectors.
 */
export const withSelector = (mods: Mods, turn: number): Mods =>
  mods.metadata === undefined ? mods : { ...mods, selector: `${turn % (lastSelector(mods) + 1)}` };

/**
 * Returns the metadata and the selector of a sparse product as operands of all lanes; none for a
 * dense product. The words of each lane begin with A.
 */
export function sparsitySources(
  form: MatrixForm,
  words: readonly Uint32Array[],
): Readonly<Record<string, Uint32Array>> {
  const { selector } = form;
  if (selector === undefined) return {};
  const metadata = fragmentWords(form, 'a') - 1;
  return {
    e: Uint32Array.from(words, (own) => at(own, metadata, 'the metadata')),
    f: Uint32Array.from(words, () => selector),
  };
}
