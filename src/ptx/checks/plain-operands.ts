// Finds instructions whose operands can be checked one by one. Most instructions are of this kind.

import type { RowPattern } from '../../isa/match.ts';
import { type IsaRow, isCall } from '../../isa/row.ts';
import type { RawInstruction } from '../syntax.ts';
import { hasOperandRule } from './constraints.ts';

const plainRows = new Map<IsaRow, boolean>();

/** Whether a row has one operand in each position, and only rules about single operands. */
function isPlain({ row, groups }: RowPattern): boolean {
  const known = plainRows.get(row);
  if (known !== undefined) return known;
  const plain =
    !isCall(row) &&
    row.operandRule === undefined &&
    !hasOperandRule(row) &&
    groups.every(({ first, second }) => !second && !first.selector && !first.sign);
  plainRows.set(row, plain);
  return plain;
}

/** Whether each operand of an instruction can be checked separately. */
export function takesPlainOperands({ match: { pattern }, operands }: RawInstruction): boolean {
  if (operands.length !== pattern.groups.length || !isPlain(pattern)) return false;
  for (const { kind } of operands) if (kind === 'pair') return false;
  return true;
}
