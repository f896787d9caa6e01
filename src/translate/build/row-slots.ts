// The operands of a row's instructions, and the functions that build them.
import type { Mods } from '../../isa/index.ts';
import type { Instruction } from '../../ptx/ast.ts';
import type { Type } from '../ir/types.ts';
import type { Registers } from './registers.ts';

/** Builds one instruction from its operands. */
export type InstructionBuild = (registers: Registers, instruction: Instruction) => void;

/** An operand of a row that has a value. */
export interface Slot {
  readonly name: string;
  readonly type: Type;
  readonly signed: boolean;
}

export interface RowSlots {
  readonly sources: readonly Slot[];
  readonly results: readonly Slot[];
}

/**
 * A row that is neither a lane instruction nor control flow. The function reads the modifiers once
 * for all instructions that share them.
 */
export type EffectRow = (mods: Mods, slots: RowSlots) => InstructionBuild;
