// Chooses the form of a kernel and writes it.

import { missing } from '../../base/invariants.ts';
import { exchangesInWorkgroup, workgroupSize } from '../../base/lane-plan.ts';
import { shareArrays } from '../../wgsl/tree/share-arrays.ts';
import { type ControlFacts, functionControl, lowerControl } from '../control/index.ts';
import type { Tree } from '../control/tree.ts';
import type { ControlStage } from '../control/verify.ts';
import { flowGraph } from '../graph/index.ts';
import { type Inst, isMatrixInst, type Program } from '../ir/nodes.ts';
import type { WgslProgram } from '../program.ts';
import type { WarpKnowledge } from './collectives/warp.ts';
import { ControlWriter } from './control-writer.ts';
import { type StructuredFunction, writeFunction } from './functions.ts';
import { instWriter } from './lane/insts.ts';
import { assemble } from './program/assemble.ts';
import { type ProgramOptions, ProgramUses } from './program/program-uses.ts';
import { Emitter } from './values/emitter.ts';

/** Facts from the uniformity and range analyses of a kernel. */
export interface KernelFacts extends ControlFacts, Omit<WarpKnowledge, 'isUniform'> {}

export interface EmitOptions extends Omit<ProgramOptions, 'program' | 'mapping' | 'workgroupSize'> {
  readonly maxInvocations: number;
  /** The maximum number of pairs of a variable and a case in a dispatch; undefined for no limit. */
  readonly maxPairs?: number | undefined;
  /** Returns the facts. Called only if the kernel has collectives or its mapping is `warps`. */
  readonly facts: () => KernelFacts;
  /** Called after each pass over the control tree, with the pass's name and the tree. */
  readonly onControl?: ((pass: ControlStage, tree: readonly Tree[]) => void) | undefined;
}

export type Emitted =
  | { readonly program: WgslProgram }
  /** The reason why the kernel cannot run under this plan, or with subgroup matrices. */
  | { readonly obstacle: string }
  /** The dispatch exceeds `maxPairs`. */
  | { readonly isLarge: true }
  /** The function that must be inlined, because its control flow needs a program counter. */
  | { readonly unstructured: string };

export function emitProgram(program: Program, options: EmitOptions): Emitted {
  const { plan, block } = options;
  const { kernel } = program;
  const threads = block[0] * block[1] * block[2];
  const hasInst = (test: (inst: Inst) => boolean) => kernel.blocks.some(({ insts }) => insts.some(test));
  const usesWarps = hasInst(({ operation }) => operation.effect === 'warp');
  const exchanges = exchangesInWorkgroup(plan);
  const isLarge = threads > options.maxInvocations;
  if (exchanges && isLarge) return { obstacle: `the adapter takes ${options.maxInvocations} invocations at most` };
  const functions: StructuredFunction[] = [];
  for (const func of program.functions) {
    const graph = flowGraph(func);
    const tree = functionControl(func, graph);
    if (tree === undefined) return { unstructured: func.name };
    functions.push({ func, graph, tree });
  }
  // A plan that exchanges through workgroup memory can keep the invocations in thread order if
  // every warp is whole.
  const mapping = (usesWarps && !(exchanges && threads % 32 === 0)) || isLarge ? 'warps' : 'threads';
  const facts = once(options.facts);
  const control = lowerControl(kernel, {
    plan,
    block,
    mapping,
    sinksRest: options.workarounds.has('sink-rest'),
    facts,
    observe: options.onControl,
  });
  const { mode, reason, tree, graph } = control;
  if (mode === 'dispatch' && hasInst(isMatrixInst)) return { obstacle: reason ?? missing('the reason for a dispatch') };
  if (mode === 'dispatch' && exchanges && usesWarps)
    return { obstacle: reason ?? missing('the reason for a dispatch') };
  const uses = new ProgramUses({
    ...options,
    program,
    mapping,
    workgroupSize: mapping === 'warps' ? workgroupSize(plan, threads) : threads,
  });
  for (const func of functions) writeFunction(uses, func);
  const emitter = new Emitter(kernel, uses, instWriter, {
    slots: uses.slots,
    dispatched: mode === 'dispatch',
    // Inactive lanes hold values that active lanes must not overwrite, so values of masked kernels
    // do not share variables.
    sharing: control.masked ? undefined : graph,
    repeatsConditions: control.together,
  });
  const knowledge = once((): WarpKnowledge => {
    const known = facts();
    // The lanes of a dispatched kernel may diverge anywhere.
    const mayMiss = mode === 'dispatch' ? () => true : known.mayMiss;
    return { ...known, mayMiss, isUniform: (value) => known.isUniform(value, 'warp') };
  });
  new ControlWriter(emitter, { knowledge }).write(tree);
  emitter.settle();
  const { stmts } = emitter.writer.scope;
  const [first] = tree;
  if (first?.kind === 'dispatch' && options.maxPairs !== undefined) {
    const variables = stmts.filter(({ kind }) => kind === 'var').length;
    if (variables * first.dispatch.cases.length > options.maxPairs) return { isLarge: true };
  }
  return { program: assemble(uses, { body: emitter.slots > 1 ? shareArrays(stmts) : stmts, mode, reason }) };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
