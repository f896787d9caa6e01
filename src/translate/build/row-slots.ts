// What a row's instructions read and write, and what builds one.
import type { Instruction } from '../../ptx/ast.ts';
import type { Type } from '../ir/types.ts';
import type { Registers } from './registers.ts';

/// Builds one instruction with what its operands hold.
export type InstructionBuild = (registers: Registers, instruction: Instruction) => void;

/// An operand that is a value.
export interface Slot {
  readonly name: string;
  readonly type: Type;
  readonly signed: boolean;
}

export interface RowSlots {
  readonly sources: readonly Slot[];
  readonly results: readonly Slot[];
}
