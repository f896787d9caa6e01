// What loads, stores and atomics say of the memory they access.
import type { AddressOperand, Instruction } from '../ptx/ast.ts';
import { bitsOf } from './operand-types.ts';

/// Words of an element of a memory.
export type Granule = 1 | 2 | 4;

export function addressOperand(instruction: Instruction): AddressOperand | undefined {
  const { a } = instruction.operands;
  return a?.kind === 'address' ? a : undefined;
}

/// Elements of the access: `.v2.u16` has two of 16 bits.
export const countOf = (instruction: Instruction): number => Number(instruction.mods.vec?.slice(1) ?? 1);

/// The state space that the instruction names.
export const spaceOf = ({ row, mods }: Instruction): string | undefined =>
  row.name === 'ld.global.nc' ? 'global' : mods.space?.split('::')[0];

export const bytesOf = (instruction: Instruction): number =>
  (countOf(instruction) * bitsOf(instruction.mods.type ?? 'b32')) / 8;

/// Whether elements are less than a word.
export const isSubword = (instruction: Instruction): boolean => bitsOf(instruction.mods.type ?? 'b32') < 32;

/// Words that one access of an instruction touches together, as far as a vector reaches.
export function accessWords(instruction: Instruction): Granule {
  if (isSubword(instruction)) return 1;
  const words = bytesOf(instruction) / 4;
  return words >= 4 ? 4 : words >= 2 ? 2 : 1;
}

/// Whether the memory must have atomic elements: for atomics, ordered accesses, and stores of less than a word, which must not lose a
/// neighbour's bytes.
export const needsAtomics = (instruction: Instruction): boolean =>
  instruction.row.kind === 'atomic' ||
  instruction.row.name.endsWith('.volatile') ||
  (instruction.row.name.startsWith('st') && isSubword(instruction));
