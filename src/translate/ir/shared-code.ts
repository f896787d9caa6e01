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

/** The code that executes each of the instructions that share code. */
export type SharedCodes = ReadonlyMap<Inst, SharedCode>;

/** Returns the kernel with the blocks of shared code, and a block whose parameters are the variables. */
export function withSharedCode(kernel: Func, shared: SharedCodes | undefined): Func {
  const codes = [...new Set(shared?.values())];
  const [first] = codes;
  if (first === undefined) return kernel;
  const params = [...new Set(codes.flatMap((code) => [...code.params, ...code.results.to.params]))];
  const variables: Block = { ...first.block, params, insts: [], end: { kind: 'exit', span: undefined } };
  return { ...kernel, blocks: [...kernel.blocks, variables, ...codes.map(({ block }) => block)] };
}
