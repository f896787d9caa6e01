// The parts of an instruction that the page's controls change: its modifiers and its constant
// operands. A change is an edit of the text.
import type { ShownInstruction } from './trace.ts';

/** Replaces a piece of the editor's text. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

export interface ConstantOperand {
  readonly name: string;
  readonly value: number;
  /** Offsets in the editor's text. */
  readonly from: number;
  readonly to: number;
}

export interface ModifierSlot {
  readonly name: string;
  readonly value: string;
  readonly values: readonly string[];
}

/**
 * Returns an instruction's constant operands, with their names in the row and their positions in
 * the editor's text. `offset` is added to the positions in the instruction.
 */
export function constantOperands(instruction: ShownInstruction, offset: number): ConstantOperand[] {
  return Object.entries(instruction.operands).flatMap(([name, operand]) => {
    if (operand.kind !== 'immediate' || operand.span.end <= operand.span.start) return [];
    const value = Number(BigInt.asUintN(32, operand.bits));
    return [{ name, value, from: operand.span.start - offset, to: operand.span.end - offset }];
  });
}

/**
 * Returns the edit that sets a constant operand. Like in the manual, masks and `c` are hexadecimal.
 */
export function setConstant({ name, from, to }: ConstantOperand, value: number): Edit {
  const word = value >>> 0;
  const digits = name === 'membermask' ? 8 : 1;
  const text = name === 'b' ? String(word) : `0x${word.toString(16).padStart(digits, '0')}`;
  return { from, to, insert: text };
}

/**
 * Returns the opcode's modifiers that have several values. Returns an empty list for SASS, whose
 * notation differs.
 */
export function modifierSlots({ row, mods }: ShownInstruction, isSass: boolean): ModifierSlot[] {
  if (isSass) return [];
  return Object.entries(row.where ?? {}).flatMap(([name, values]) => {
    const value = mods[name];
    return value === undefined || values.length < 2 ? [] : [{ name, value, values }];
  });
}

/** Returns the edit that sets a modifier. `start` is the offset of the instruction in `text`. */
export function setModifier(
  text: string,
  start: number,
  end: number,
  slot: ModifierSlot,
  value: string,
): Edit | undefined {
  const word = new RegExp(`\\.${slot.value}(?![\\w])`).exec(text.slice(start, end));
  if (!word) return undefined;
  const from = start + word.index + 1;
  return { from, to: from + slot.value.length, insert: value };
}
