// The text of an instruction that copies a box.
import { get } from '../../../base/invariants.ts';
import type { IsaRow, Mods } from '../../../isa/index.ts';
import { instructionText, splitSyntax } from '../rows/instruction-text.ts';

/** The registers and variables of a copy. */
export interface CopyOperands {
  /** The address of the box in shared memory. */
  readonly at: string;
  readonly map: string;
  readonly coordinates: readonly string[];
  readonly offsets: readonly string[];
  readonly bar: string;
  readonly mask: string;
  readonly policy: string;
}

/** Returns the instruction without its semicolon. */
export function copyText(row: IsaRow, mods: Mods, { coordinates, offsets, ...operands }: CopyOperands): string {
  const [pattern, list] = splitSyntax(row.syntax);
  const { at, map, bar, mask, policy } = operands;
  const vector = (names: readonly string[]) => `{${names.join(', ')}}`;
  const texts = new Map(
    Object.entries({ to: at, from: at, a: map, c: vector(coordinates), offsets: vector(offsets), bar, mask, policy }),
  );
  const given = list.replace(/\{(, policy)\}/, mods.level === undefined ? '' : '$1');
  const opcode = instructionText({ ...row, syntax: pattern }, mods, {});
  return `${opcode} ${given.replace(/\w+/g, (name) => get(texts, name, 'an operand'))}`;
}
