// Chooses how a kernel is written, and writes it.

import type { FloatProfile } from '../../base/float-profile.ts';
import { exchangesInWorkgroup, type LanePlan, workgroupSize } from '../../base/lane-plan.ts';
import type { Workarounds } from '../../base/workarounds.ts';
import { dominatorsOf, type FlowGraph, flowGraph, type Loops, loopsOf } from '../graph/index.ts';
import { IdMap } from '../ir/id-map.ts';
import {
  type Block,
  type Definition,
  edgesOf,
  type Inst,
  type InstNamed,
  isCollective,
  isDefinition,
  type Program,
  type Value,
} from '../ir/nodes.ts';
import type { MemoryPlan } from '../memory-plan.ts';
import type { WgslProgram } from '../program.ts';
import { structure } from '../structure/structure.ts';
import { alwaysLeaves, type Label, listsOf, type Tree } from '../structure/tree.ts';
import { isWholeBarrier } from './barrier.ts';
import { Dispatch } from './dispatch.ts';
import { Emitter } from './emitter.ts';
import { findConvergedLoops } from './find-converged-loops.ts';
import { writeFunction } from './functions.ts';
import { instWriter } from './insts.ts';
import { LaneCode } from './lane-code.ts';
import { planKernel } from './plan.ts';
import { assemble } from './program.ts';
import { ProgramUses } from './program-uses.ts';
import { shareArrays } from './share-arrays.ts';
import { writeTrap } from './status.ts';
import { type Facts, type Needs, noNeeds, type Step } from './steps.ts';
import { Structured } from './structured.ts';

/// What the uniformity analysis and the ranges say of a kernel.
export interface KernelFacts {
  readonly isUniform: (value: Value, among: 'warp' | 'block') => boolean;
  readonly isProvable: (value: Value) => boolean;
  /// Why collectives cannot stand in place; undefined where they can.
  readonly obstacle: string | undefined;
  readonly mayMiss: (inst: InstNamed<'warp'>) => boolean;
  readonly bitsOf: (value: Value) => number;
  readonly neverSubnormal: (value: Value) => boolean;
}

export interface EmitOptions {
  readonly plan: LanePlan;
  readonly float: FloatProfile;
  readonly workarounds: Workarounds;
  readonly block: readonly [number, number, number];
  readonly foldedGrid: readonly [number, number, number] | undefined;
  readonly heapStart: number;
  readonly maxPolls: number;
  readonly maxInvocations: number;
  readonly memory: MemoryPlan;
  /// Why the plan has its shape.
  readonly shapeReason: string | undefined;
  /// Asked where lanes do things together.
  readonly facts: () => KernelFacts;
}

/// Dawn takes 127 statements inside each other, where a construct and its `{ }` count apart.
const maxNesting = 56;

/// A program; or why the kernel cannot be written for a plan whose lanes exchange through the workgroup's memory.
export type Emitted = { readonly program: WgslProgram } | { readonly obstacle: string };

export function emitProgram(program: Program, options: EmitOptions): Emitted {
  const { plan, block } = options;
  const { kernel } = program;
  const threads = block[0] * block[1] * block[2];
  const hasInst = (test: (inst: Inst) => boolean) => kernel.blocks.some(({ insts }) => insts.some(test));
  const usesWarps = hasInst(({ operation }) => operation.effect === 'warp');
  const exchanges = exchangesInWorkgroup(plan);
  const isLarge = threads > options.maxInvocations;
  if (exchanges && isLarge) return { obstacle: `the adapter takes ${options.maxInvocations} invocations at most` };
  // Invocations of such a plan are threads in order, where no warp lacks lanes.
  const mapping = (usesWarps && !(exchanges && threads % 32 === 0)) || isLarge ? 'warps' : 'threads';
  const graph = flowGraph(kernel);
  const dominators = dominatorsOf(graph);
  const loops = loopsOf(graph, dominators);
  const tree = structure(graph, dominators, loops);
  const together = hasInst(isCollective) || mapping === 'warps';
  const makeUses = () =>
    new ProgramUses({
      program,
      memory: options.memory,
      plan,
      mapping,
      float: options.float,
      workarounds: options.workarounds,
      shapeReason: options.shapeReason,
      block,
      workgroupSize: mapping === 'warps' ? workgroupSize(plan, threads) : threads,
      foldedGrid: options.foldedGrid,
      heapStart: options.heapStart,
      maxPolls: options.maxPolls,
    });
  const start = (dispatched: boolean, masked: boolean): Emitter => {
    const uses = makeUses();
    for (const func of program.functions) {
      if (!writeFunction(uses, func)) throw new Error(`${func.name} has no structure`);
    }
    // Lanes that are masked go on over what those that are there overwrite.
    const sharing = masked ? undefined : graph;
    return new Emitter(kernel, uses, instWriter, {
      slots: uses.slots,
      dispatched,
      sharing,
      repeatsConditions: together,
    });
  };
  const finish = (emitter: Emitter, mode: WgslProgram['mode'], reason?: string): Emitted => {
    emitter.settle();
    const { stmts } = emitter.writer.scope;
    return { program: assemble(emitter.uses, { body: emitter.slots > 1 ? shareArrays(stmts) : stmts, mode, reason }) };
  };
  const dispatch = (reason: string): Emitted => {
    if (exchanges && usesWarps) return { obstacle: reason };
    const emitter = start(true, false);
    new Dispatch(emitter, graph, findConvergedLoops(loops)).write();
    return finish(emitter, 'dispatch', reason);
  };
  if (tree === undefined) return dispatch('its control flow is irreducible or nests too deeply');
  if (!together) {
    if (depthOf(tree) > maxNesting) return dispatch('it nests too deeply');
    const emitter = start(false, false);
    writeThreads(emitter, tree);
    return finish(emitter, 'threads');
  }
  const facts = options.facts();
  const obstacle = facts.obstacle ?? obstacleOf(hasInst, tree, threads);
  if (obstacle !== undefined) return dispatch(obstacle);
  const planFacts: Facts = {
    isUniform: facts.isUniform,
    isProvable: (value) => facts.isProvable(value) && (mapping === 'threads' || plan.slots === 1),
    warpsInSubgroup: plan.kind === 'wide' ? plan.subgroupSize / 32 : 1,
    exchangesInWorkgroup: exchanges,
    keptUntil: keptUntil(graph, loops),
    sinksRest: options.workarounds.has('sink-rest'),
  };
  const partial = mapping === 'warps' && (threads % 32 !== 0 || threads % Math.max(plan.subgroupSize, 32) !== 0);
  const allUniform = kernel.blocks.every(({ end }) => end.kind !== 'branch' || facts.isUniform(end.condition, 'block'));
  const first: Needs = { ...noNeeds, live: partial, masked: plan.kind === 'wide' && !allUniform };
  const { steps, needs } = planKernel(tree, planFacts, first);
  if (depthOfSteps(steps) > maxNesting) return dispatch('it nests too deeply');
  const emitter = start(false, needs.live || needs.masked);
  const knowledge = {
    mayMiss: facts.mayMiss,
    isUniform: (value: Value) => facts.isUniform(value, 'warp'),
    bitsOf: facts.bitsOf,
    neverSubnormal: facts.neverSubnormal,
  };
  new Structured(emitter, needs, knowledge).write(steps);
  return finish(emitter, 'structured');
}

/// A kernel without collectives: each thread is an invocation that may return.
function writeThreads(emitter: Emitter, tree: readonly Tree[]): void {
  const leave = () => {
    emitter.writer.push({ kind: 'return', value: undefined });
  };
  const code = new LaneCode(emitter, {
    insts: (insts) => emitter.insts(insts),
    exit: leave,
    trap: () => {
      writeTrap(emitter);
      leave();
    },
    leave: () => undefined,
    result: leave,
  });
  code.list(dropLastExit(tree));
}

/// `exit` at the very end says nothing.
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
  if (hasInst((inst) => inst.op === 'barrier' && inst.attrs.kind === 'turn')) return 'a wait for other threads';
  if (hasInst((inst) => inst.op === 'barrier' && !isWholeBarrier(inst, threads)))
    return 'a barrier of part of the block';
  return tree.some((item) => switchesAroundCollectives(item, false))
    ? 'a brx.idx around a warp instruction'
    : undefined;
}

function switchesAroundCollectives(tree: Tree, inside: boolean): boolean {
  if (tree.kind === 'code') return inside && tree.insts.some(isCollective);
  return listsOf(tree).some((list) =>
    list.some((inner) => switchesAroundCollectives(inner, inside || tree.kind === 'switch')),
  );
}

const depthOf = (list: readonly Tree[]): number =>
  list.reduce((depth, tree) => Math.max(depth, ...listsOf(tree).map((inner) => 1 + depthOf(inner))), 0);

function depthOfSteps(steps: readonly Step[]): number {
  return steps.reduce((depth, step) => Math.max(depth, depthOfStep(step)), 0);
}

function depthOfStep(step: Step): number {
  switch (step.kind) {
    case 'lanes':
      return 2 + depthOf(step.body);
    case 'if':
      return 1 + Math.max(depthOfSteps(step.then), depthOfSteps(step.else));
    case 'arms':
      return 1 + Math.max(depthOfSteps(step.then.steps), depthOfSteps(step.else.steps));
    case 'loop':
    case 'block':
      return 1 + depthOfSteps(step.body);
    default:
      return 1;
  }
}

/// What lanes that wait until a label is reached read there: the parameters of its block, and what the loops that they left define. Other lanes go on in
/// these loops, and must leave both alone.
function keptUntil(graph: FlowGraph, loops: Loops): (label: Label) => ReadonlySet<Definition> {
  let escaping: ReadonlyMap<Definition, Block> | undefined;
  const known = new Map<Label, ReadonlySet<Definition>>();
  return (label) => {
    const found = known.get(label);
    if (found !== undefined) return found;
    escaping ??= readBehindLoops(graph, loops);
    const { target } = label;
    const kept = new Set<Definition>(target?.params ?? []);
    for (const [value, from] of escaping) {
      const loop = loops.loopOf(from);
      if (target && loop && !loop.contains(target)) kept.add(value);
    }
    known.set(label, kept);
    return kept;
  };
}

/// What a loop defines and other blocks read, with the block that defines it.
function readBehindLoops(graph: FlowGraph, loops: Loops): ReadonlyMap<Definition, Block> {
  const escaping = new Map<Definition, Block>();
  const placeOf = new IdMap<Definition, Block>();
  for (const block of graph.blocks) {
    for (const param of block.params) placeOf.set(param, block);
    for (const { results } of block.insts) for (const result of results) placeOf.set(result, block);
  }
  for (const block of graph.blocks) {
    const read = (value: Value) => {
      if (!isDefinition(value)) return;
      const from = placeOf.get(value);
      const loop = from && loops.loopOf(from);
      if (from && loop && !loop.contains(block)) escaping.set(value, from);
    };
    for (const inst of block.insts) {
      inst.args.forEach(read);
      if (inst.when) read(inst.when);
      inst.otherwise.forEach(read);
    }
    if (block.end.kind === 'branch') read(block.end.condition);
    if (block.end.kind === 'switch') read(block.end.selector);
    for (const { args } of edgesOf(block.end)) args.forEach(read);
  }
  return escaping;
}
