// What a row's instructions read and write, and what builds one.
import type { Mods } from '../../isa/index.ts';
import type { Instruction } from '../../ptx/ast.ts';
import type { Type } from '../ir/types.ts';
import type { Registers } from './registers.ts';

/** Builds one instruction with what its operands hold. */
export type InstructionBuild = (registers: Registers, instruction: Instruction) => void;

/** An operand that is a value. */
export interface Slot {
  readonly name: string;
  readonly type: Type;
  readonly signed: boolean;
}

export interface RowSlots {
  readonly sources: readonly Slot[];
  readonly results: readonly Slot[];
}

/** Reads the modifiers of a row that is neither of one lane's values nor of control flow, once for all instructions that have them. */
export type EffectRow = (mods: Mods, slots: RowSlots) => InstructionBuild;
