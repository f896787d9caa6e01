// Combinations of modifiers, selectors and signs that the rows of video instructions allow but PTX
// does not.
import type { IsaRow, Mods } from '../../isa/index.ts';
import { type Rule, when } from './objection.ts';

export const clampedPair: Rule = ({ relu, type = '' }) =>
  when(relu !== undefined && type !== 's16x2', `\`.relu\` applies to \`.s16x2\`, not \`.${type}\``);

export const saturatesOrAdds: Rule = ({ sat, add }) =>
  when(sat !== undefined && add !== undefined, '`.sat` and `.add` exclude each other');

/** Checks negations: only the product or its addend may be negated. */
export const plusOne: Rule = ({ po, aneg, bneg, cneg }) => {
  const isProduct = (aneg === undefined) !== (bneg === undefined);
  return (
    when(
      po !== undefined && (aneg !== undefined || bneg !== undefined || cneg !== undefined),
      '`.po` takes no negated operands',
    ) ?? when(isProduct && cneg !== undefined, 'either the product is negated or `c`')
  );
};

/**
 * Checks the presence of a third operand. A second operation, or a selected part of the
 * destination, requires a third operand: the operand of that operation, or the source of the parts
 * that are not selected. Otherwise, a third operand is an error.
 */
export function partObjection({ selectors }: IsaRow, { op2, dsel }: Mods, hasThird: boolean): string | undefined {
  if (selectors?.dsel === undefined) return undefined;
  if (op2 !== undefined && dsel !== undefined) return `\`.${op2}\` and a part of the destination exclude each other`;
  if (hasThird === (op2 !== undefined || dsel !== undefined)) return undefined;
  if (hasThird) return 'a third operand goes with a second operation or a part of the destination';
  return op2 === undefined ? 'a part of the destination takes a third operand' : `\`.${op2}\` takes a third operand`;
}
