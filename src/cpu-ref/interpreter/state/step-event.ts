// The events that the observer of a launch receives.
import type { Instruction, Span, StateSpace } from '../../../ptx/ast.ts';
import type { Dim3 } from './findings.ts';

/** An access of one lane to memory within bounds. */
export interface StepAccess {
  /** The lane. */
  readonly lane: number;
  /** Whether the lane loads, stores, or updates atomically. */
  readonly verb: 'load' | 'store' | 'atomic';
  /** The state space of the accessed memory, even for a generic address. */
  readonly space: StateSpace;
  /** The address in the state space. */
  readonly address: number;
  /** The number of bytes, over all elements of a vector. */
  readonly bytes: number;
}

/** Masks of the lanes that wait after a step. */
export interface WaitingLanes {
  /** Lanes at a `.sync` warp instruction, which wait for the lanes of its membermask. */
  readonly sync: number;
  /**
   * Lanes at a warp instruction without `.sync`, or at a loop, which wait for other lanes of the
   * warp.
   */
  readonly converge: number;
  /** Lanes at a barrier of the block or cluster. */
  readonly barrier: number;
}

/** The memory of a block and the positions of a warp's lanes, after a step. */
export interface StepState {
  /**
   * For each lane, the position of its next instruction in the PTX; undefined after the lane's
   * exit.
   */
  readonly next: readonly (Span | undefined)[];
  /** The shared memory of the block. */
  readonly shared: {
    readonly bytes: Uint8Array;
    /** 1 for each byte that a thread has written or PTX defines, and otherwise 0. */
    readonly defined: Uint8Array;
    /** The arrays in `bytes`. */
    readonly arrays: readonly { readonly name: string; readonly start: number; readonly bytes: number }[];
  };
  /** By parameter number: the contents of a buffer and its first address. */
  readonly buffers: ReadonlyMap<number, { readonly bytes: Uint8Array; readonly address: number }>;
}

/** An instruction that lanes of a warp have just executed. */
export interface StepEvent {
  /** The instruction. */
  readonly instruction: Instruction;
  /** The position of the block. */
  readonly block: Dim3;
  /** The number of the warp in its block. */
  readonly warp: number;
  /** The mask of lanes that executed the instruction, because their guard was true. */
  readonly lanes: number;
  /** The mask of lanes that have exited or do not have a thread. */
  readonly exited: number;
  readonly waiting: WaitingLanes;
  /** The depth of calls: 0 in the kernel itself. */
  readonly depth: number;
  /** The number of the function that contains the instruction: 0 for the kernel. */
  readonly function: number;
  /** Whether the lanes of the group continue at different instructions. */
  readonly diverges: boolean;
  /** Whether the instruction waits at a barrier of the block. */
  readonly atBarrier: boolean;
  /** The accesses of the lanes to memory. */
  readonly accesses: readonly StepAccess[];
  /**
   * Returns the bits of a register of the current function in each lane, and the mask of the lanes
   * in which PTX leaves the register undefined. Returns undefined for an unknown register.
   */
  read(register: string): { readonly values: readonly bigint[]; readonly undefinedLanes: number } | undefined;
  /**
   * Returns copies of memory, and the positions of the lanes. May be called only during the event.
   */
  inspect(): StepState;
}

/** Receives each step of a launch. */
export type Observer = (event: StepEvent) => void;
