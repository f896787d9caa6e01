// Which instructions have nothing to check but their operands, one by one, as most do.
import { type IsaRow, isCall } from '../../isa/index.ts';
import type { RowPattern } from '../../isa/match.ts';
import type { RawInstruction } from '../syntax.ts';
import { hasOperandRule } from './constraints.ts';

const plainRows = new Map<IsaRow, boolean>();

/** Whether a row has an operand for each place, and no rule but those of operands. */
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

/** Whether each operand of an instruction is checked by itself. */
export function takesPlainOperands({ match: { pattern }, operands }: RawInstruction): boolean {
  if (operands.length !== pattern.groups.length || !isPlain(pattern)) return false;
  for (const { kind } of operands) if (kind === 'pair') return false;
  return true;
}
