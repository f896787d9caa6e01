// Which operand of an instruction stands for which of its row's.
import { groupsFor, type OperandSlot } from '../isa/match.ts';
import { diagnostics } from './diagnostics.ts';
import { SyntaxFailure } from './reporter.ts';
import type { RawInstruction, RawOperand } from './syntax.ts';

export interface Binding {
  readonly slot: OperandSlot;
  readonly raw: RawOperand;
}

function countText(least: number, most: number): string {
  const plural = (count: number) => `${count === 0 ? 'no' : count} operand${count === 1 ? '' : 's'}`;
  return least === most ? plural(most) : `${least} to ${plural(most)}`;
}

/// Pairs operands with the row's slots. Throws `SyntaxFailure` when there are too many, too few, or a pair where none belongs.
export function bindOperands(instruction: RawInstruction): readonly Binding[] {
  const { operands, opcode } = instruction;
  const { pattern } = instruction.match;
  const groups = groupsFor(pattern, operands.length);
  if (groups === undefined) {
    const least = pattern.groups.filter((group) => !group.optional).length;
    const wanted = countText(least, pattern.groups.length);
    throw new SyntaxFailure(
      diagnostics.operandCount(opcode.span, opcode.text, wanted, operands.length, pattern.row.syntax),
    );
  }
  const bindings: Binding[] = [];
  for (let index = 0; index < groups.length; index++) {
    const [group, raw] = [groups[index], operands[index]];
    if (group === undefined || raw === undefined) continue;
    if (raw.kind !== 'pair') {
      if (group.second !== undefined && !group.secondOptional)
        throw new SyntaxFailure(diagnostics.wantsPair(raw.span, pattern.row.syntax));
      bindings.push({ slot: group.first, raw });
      continue;
    }
    if (group.second === undefined) throw new SyntaxFailure(diagnostics.pairNotAllowed(raw.span));
    bindings.push({ slot: group.first, raw: raw.first }, { slot: group.second, raw: raw.second });
  }
  return bindings;
}
