// Makes instructions that the text of a module does not contain.
import { InternalError } from '../base/invariants.ts';
import { matchOpcode } from '../isa/match.ts';
import type { ImmediateOperand, Instruction, Register, RegisterOperand, Span } from './ast.ts';

export const registerOperand = (register: Register, span: Span): RegisterOperand => ({
  kind: 'register',
  register,
  negated: false,
  span,
});

/** Returns a constant of type u32. */
export const wordOperand = (value: number, span: Span): ImmediateOperand => ({
  kind: 'immediate',
  bits: BigInt(value),
  type: 'u32',
  span,
});

/** Returns an instruction. Throws `InternalError` for an opcode that PTX does not have. */
export function makeInstruction(
  opcode: string,
  operands: Instruction['operands'],
  span: Span,
  guard?: Instruction['guard'],
): Instruction {
  const match = matchOpcode(opcode.split('.'));
  if (match === undefined) throw new InternalError(`no row matches ${opcode}`);
  return { kind: 'instruction', row: match.pattern.row, mods: match.mods, operands, guard, span };
}
