// Which instructions have nothing to check but their operands, one by one, as most do.
import { type IsaRow, isaRows } from '../isa/index.ts';
import { patternOf } from '../isa/match.ts';
import { hasOperandRule } from './constraints.ts';
import { isCopy } from './copy-constraints.ts';
import type { RawInstruction } from './syntax.ts';

/// Rows whose barrier's number and threads are checked together.
export const isBarrier = (row: string): boolean => /^(bar|barrier)\.(sync|arrive|red)/.test(row);

/// Rows with an operand for each place, and no rule but those of operands.
const plainRows: ReadonlySet<IsaRow> = new Set(
  isaRows.filter(
    (row) =>
      row.name !== 'call' &&
      !isBarrier(row.name) &&
      !isCopy(row) &&
      !hasOperandRule(row) &&
      patternOf(row).groups.every(({ first, second }) => !second && !first.selector && !first.sign),
  ),
);

/// Whether each operand of an instruction is checked by itself.
export function takesPlainOperands({ match: { pattern }, operands }: RawInstruction): boolean {
  if (operands.length !== pattern.groups.length || !plainRows.has(pattern.row)) return false;
  for (const { kind } of operands) if (kind === 'pair') return false;
  return true;
}
