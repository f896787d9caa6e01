// Creates the instructions that the text implies: additions for operands such as `%r1+4`, and moves
// for vectors that exchange elements.
import type { Instruction, Operand, Register, RegisterOperand, Span, VectorOperand } from '../ast.ts';
import { makeInstruction, registerOperand } from '../make-instruction.ts';
import { isInteger, isUntyped, widthOf } from '../types.ts';

/** Whether ptxas accepts `register+constant` for a register of this type. */
export const takesConstant = ({ type }: Register): boolean =>
  (isInteger(type) || isUntyped(type)) && [16, 32, 64].includes(widthOf(type));

/**
 * Creates the addition for a `register+constant` operand. The sum wraps at the register's width.
 */
export function additionOf(sum: Register, register: Register, constant: bigint, span: Span): Instruction {
  const width = widthOf(register.type);
  const type = width === 16 ? 'u16' : width === 32 ? 'u32' : 'u64';
  const b = { kind: 'immediate', bits: BigInt.asUintN(width, constant), type, span } as const;
  return makeInstruction(`add.${type}`, { d: registerOperand(sum, span), a: registerOperand(register, span), b }, span);
}

const copyOf = (copy: Register, register: Register, span: Span): Instruction =>
  makeInstruction(
    `mov.b${widthOf(register.type)}`,
    { d: registerOperand(copy, span), a: registerOperand(register, span) },
    span,
  );

/**
 * Sequentializes parallel moves: adds a copy of each register that an earlier move writes and a
 * later move reads.
 */
export function moveAtOnce(
  moves: readonly Instruction[],
  makeRegister: (like: Register, span: Span) => Register,
): readonly Instruction[] {
  const written = new Set<Register>();
  const copies = new Map<Register, { readonly copy: Register; readonly instruction: Instruction }>();
  const read = (register: Register, span: Span): Register => {
    if (!written.has(register)) return register;
    const known = copies.get(register);
    if (known !== undefined) return known.copy;
    const copy = makeRegister(register, span);
    copies.set(register, { copy, instruction: copyOf(copy, register, span) });
    return copy;
  };
  const ordered = moves.map((move): Instruction => {
    const operands = Object.fromEntries(
      Object.entries(move.operands).map(([name, operand]) => [
        name,
        name === 'd' ? operand : mapRegisters(operand, (register) => read(register, move.span)),
      ]),
    );
    for (const { register } of registersOf(move.operands.d)) written.add(register);
    return { ...move, operands };
  });
  return [...[...copies.values()].map(({ instruction }) => instruction), ...ordered];
}

function mapRegisters(operand: Operand, change: (register: Register) => Register): Operand {
  if (operand.kind === 'register') return { ...operand, register: change(operand.register) };
  if (operand.kind !== 'vector') return operand;
  const elements = operand.elements.map((element): VectorOperand['elements'][number] =>
    element.kind === 'register' ? { ...element, register: change(element.register) } : element,
  );
  return { ...operand, elements };
}

function registersOf(operand: Operand | undefined): readonly RegisterOperand[] {
  const elements = operand?.kind === 'vector' ? operand.elements : operand === undefined ? [] : [operand];
  return elements.filter((element) => element.kind === 'register');
}
