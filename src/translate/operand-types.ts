// What the types of operands are, and how wide.
import type { OperandType, PtxType } from '../isa/index.ts';
import type { Instruction } from '../ptx/ast.ts';

export const bitsOf = (type: PtxType | string): number =>
  type === 'pred' ? 1 : Number(/(\d+)$/.exec(type)?.[1] ?? 32);

/// The type an operand of the instruction has: `.type` and `.type*2` stand for what the slot holds.
export function operandType(instruction: Instruction, name: string): PtxType {
  const declared: OperandType = instruction.row.types[name] ?? 'b32';
  if (!declared.startsWith('.')) return declared as PtxType;
  const [slot = '', double] = declared.slice(1).split('*');
  const type = (instruction.mods[slot] ?? 'b32') as PtxType;
  return double ? (`${type[0]}${bitsOf(type) * 2}` as PtxType) : type;
}
