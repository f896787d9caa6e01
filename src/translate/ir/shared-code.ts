// Code of a dispatched kernel that several of its instructions share.
import type { Block, Edge, Func, Inst, Param } from './nodes.ts';

/**
 * A block that lanes execute in one case of a dispatch, instead of an instruction at several places.
 * A lane moves the operands of its instruction to `params`, executes the block, whose edge assigns
 * the results, and reads them. All shared code uses the same variables for operands and results,
 * which hold values only between two cases.
 */
export interface SharedCode {
  readonly params: readonly Param[];
  readonly block: Block;
  readonly results: Edge;
}

/** The instructions of a kernel that share code. */
export interface SharedCodes {
  readonly codeOf: ReadonlyMap<Inst, SharedCode>;
  /** The kernel with the blocks of shared code, and a block whose parameters are the variables. */
  readonly whole: Func;
}
