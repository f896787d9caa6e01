// What an observer of a launch is told.
import type { Instruction } from '../../../ptx/ast.ts';
import type { Dim3 } from './findings.ts';

/** One instruction just executed by some lanes of a warp. */
export interface StepEvent {
  readonly instruction: Instruction;
  readonly block: Dim3;
  readonly warp: number;
  /** Masks of lanes: those that executed it (not guarded off), and those that have exited or never existed. */
  readonly lanes: number;
  readonly exited: number;
  /** The bits of a register of the running function in each of the 32 lanes, and the mask of lanes where PTX leaves it undefined. */
  read(register: string): { readonly values: readonly bigint[]; readonly undefinedLanes: number } | undefined;
}

export type Observer = (event: StepEvent) => void;
