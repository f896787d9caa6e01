// The events that the observer of a launch receives.
import type { Instruction } from '../../../ptx/ast.ts';
import type { Dim3 } from './findings.ts';

/** An instruction that lanes of a warp just executed. */
export interface StepEvent {
  /** The instruction. */
  readonly instruction: Instruction;
  /** The position of the block. */
  readonly block: Dim3;
  /** The number of the warp in its block. */
  readonly warp: number;
  /** The mask of lanes that executed it: not predicated off. */
  readonly lanes: number;
  /** The mask of lanes that exited or never existed. */
  readonly exited: number;
  /**
   * Returns the bits of a register of the current function in each lane, and the mask of the lanes
   * in which PTX leaves it undefined. Returns undefined for an unknown register.
   */
  read(register: string): { readonly values: readonly bigint[]; readonly undefinedLanes: number } | undefined;
}

/** Receives each step of a launch. */
export type Observer = (event: StepEvent) => void;
