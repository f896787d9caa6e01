// Lowers a kernel's graph to the control tree that becomes WGSL: structures it, then places active
// masks or makes a dispatch.

import type { LanePlan } from '../../base/lane-plan.ts';
import { dominatorsOf, type FlowGraph, flowGraph, loopsOf } from '../graph/index.ts';
import { isWholeBarrier } from '../ir/barriers.ts';
import { constant, type Func, type Inst, isCollective, isMatrixInst, type Value } from '../ir/nodes.ts';
import type { WgslProgram } from '../program.ts';
import { Holding } from './holding.ts';
import { type Needs, noNeeds } from './masks.ts';
import { controlPart } from './part.ts';
import { withScopes } from './scopes.ts';
import { structure } from './structure.ts';
import { alwaysLeaves, depthOf, mapLists, maxNesting, type Scope, some, type Tree } from './tree.ts';

/** The results of the uniformity analysis that the lowering needs. */
export interface ControlFacts {
  readonly isUniform: (value: Value, among: 'warp' | 'block') => boolean;
  readonly isProvable: (value: Value) => boolean;
  /**
   * The reason why the kernel must be dispatched because of a collective; undefined if all
   * collectives can be structured.
   */
  readonly obstacle: string | undefined;
}

export interface ControlOptions {
  readonly plan: LanePlan;
  readonly block: readonly [number, number, number];
  /**
   * Whether the lane plan maps invocations to lanes of warps, or each invocation is a thread, in
   * order.
   */
  readonly mapping: 'warps' | 'threads';
  readonly sinksRest: boolean;
  /** Returns the facts. Called only if the kernel has collectives or its mapping is `warps`. */
  readonly facts: () => ControlFacts;
  /** Called with the tree after each pass. */
  readonly observe?: ((pass: 'structure' | 'lower-control', tree: readonly Tree[]) => void) | undefined;
}

export interface LoweredControl {
  readonly mode: WgslProgram['mode'];
  /** The reason why the kernel is dispatched; undefined if it is not. */
  readonly reason: string | undefined;
  readonly graph: FlowGraph;
  readonly tree: readonly Tree[];
  /** Whether the kernel has collectives or its mapping is `warps`. */
  readonly together: boolean;
  /** Whether lanes execute while others of their warp are inactive. */
  readonly masked: boolean;
}

export function lowerControl(kernel: Func, options: ControlOptions): LoweredControl {
  const { plan, block, mapping, observe } = options;
  const graph = flowGraph(kernel);
  const dominators = dominatorsOf(graph);
  const loops = loopsOf(graph, dominators);
  const hasInst = (test: (inst: Inst) => boolean) => kernel.blocks.some(({ insts }) => insts.some(test));
  const together = hasInst(isCollective) || mapping === 'warps';
  const finish = (lowered: Omit<LoweredControl, 'graph' | 'together'>): LoweredControl => {
    observe?.('lower-control', lowered.tree);
    return { ...lowered, graph, together };
  };
  const dispatch = (reason: string): LoweredControl => {
    // The caller translates the kernel again, without matrices.
    if (hasInst(isMatrixInst)) return finish({ mode: 'dispatch', reason, tree: [], masked: false });
    const tree: Tree = { kind: 'dispatch', dispatch: controlPart.content.dispatchKernel(graph, loops) };
    return finish({ mode: 'dispatch', reason, tree: [tree], masked: false });
  };
  const structured = structure(graph, dominators, loops);
  if (structured === undefined) return dispatch('its control flow is irreducible or nests too deeply');
  if (!together) {
    observe?.('structure', structured);
    if (depthOf(structured) > maxNesting) return dispatch('it nests too deeply');
    const tree = endAtTraps(dropLastExit(structured));
    return finish({ mode: 'threads', reason: undefined, tree, masked: false });
  }
  const facts = options.facts();
  const scopeOf = (condition: Value): Scope => {
    if (facts.isProvable(condition) && (mapping === 'threads' || plan.slots === 1)) return 'proven';
    if (facts.isUniform(condition, 'block')) return 'block';
    return facts.isUniform(condition, 'warp') ? 'warp' : 'lane';
  };
  const scoped = withScopes(structured, scopeOf);
  observe?.('structure', scoped);
  const threads = block[0] * block[1] * block[2];
  const obstacle = facts.obstacle ?? obstacleOf(hasInst, scoped, threads);
  if (obstacle !== undefined) return dispatch(obstacle);
  const partial = mapping === 'warps' && (threads % 32 !== 0 || threads % Math.max(plan.subgroupSize, 32) !== 0);
  const allUniform = kernel.blocks.every(({ end }) => end.kind !== 'branch' || facts.isUniform(end.condition, 'block'));
  const first: Needs = { ...noNeeds, live: partial, masked: plan.kind === 'wide' && !allUniform };
  const maskFacts = {
    plan,
    keptUntil: controlPart.content.keptValues(scoped),
    sinksRest: options.sinksRest,
  };
  const { tree, needs } = controlPart.content.placeMasks(scoped, maskFacts, first);
  if (depthOf(tree) > maxNesting) return dispatch('it nests too deeply');
  return finish({ mode: 'structured', reason: undefined, tree, masked: needs.live || needs.masked });
}

/**
 * Returns the tree of a device function; undefined if its control flow needs a program counter. If
 * the function ends its thread, its last result is true.
 */
export function functionControl(func: Func, graph: FlowGraph): readonly Tree[] | undefined {
  const dominators = dominatorsOf(graph);
  const tree = structure(graph, dominators, loopsOf(graph, dominators));
  const values = func.results.map((type, index) => constant(type, index === func.results.length - 1 ? 1n : 0n));
  return tree && replaceExits(endAtTraps(tree), { kind: 'return', values, span: undefined });
}

/** Adds an end of the thread after each trap, which only reports to the host. */
const endAtTraps = (list: readonly Tree[]): readonly Tree[] =>
  list.flatMap((tree): readonly Tree[] =>
    tree.kind === 'trap' ? [tree, { kind: 'exit' }] : [mapLists(tree, endAtTraps)],
  );

const replaceExits = (list: readonly Tree[], by: Tree): readonly Tree[] =>
  list.map((tree) => (tree.kind === 'exit' ? by : mapLists(tree, (inner) => replaceExits(inner, by))));

/** Removes an `exit` at the end of the kernel, which is redundant. */
function dropLastExit(list: readonly Tree[]): readonly Tree[] {
  const last = list[list.length - 1];
  if (last?.kind === 'exit') return dropLastExit(list.slice(0, -1));
  if (last?.kind !== 'if') return list;
  const [then, otherwise] = [dropLastExit(last.then), dropLastExit(last.else)];
  if (alwaysLeaves(then) !== alwaysLeaves(last.then) || then.length + otherwise.length > 0)
    return [...list.slice(0, -1), { ...last, then, else: otherwise }];
  return dropLastExit(list.slice(0, -1));
}

function obstacleOf(
  hasInst: (test: (inst: Inst) => boolean) => boolean,
  tree: readonly Tree[],
  threads: number,
): string | undefined {
  if (hasInst((inst) => inst.op === 'barrier' && inst.attrs.kind === 'yield')) return 'a wait for other threads';
  if (hasInst((inst) => inst.op === 'barrier' && !isWholeBarrier(inst, threads)))
    return 'a barrier of part of the block';
  const collectives = new Holding(isCollective);
  return some(tree, (item) => item.kind === 'switch' && collectives.in([item]))
    ? 'a brx.idx around a warp instruction'
    : undefined;
}
