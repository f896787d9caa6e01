// Uniformity analysis: whether a kernel's warp instructions and barriers can be emitted in
// structured code, or must wait for lanes at other instructions.

import { getOrInsert } from '../../base/maps.ts';
import type { BarrierKind } from '../ir/attributes.ts';
import type { Root } from '../ir/memory.ts';
import {
  type Block,
  type Func,
  type Inst,
  type InstNamed,
  isCollective,
  isMatrixInst,
  type Program,
  type Value,
} from '../ir/nodes.ts';
import { type WarpInst, warpFacts } from '../ir/warp-facts.ts';
import type { MemoryPlan } from '../memory-plan.ts';
import { changingLoads } from './changing-loads.ts';
import { controlGraph } from './control-dependence.ts';
import { LaneSets } from './lane-sets.ts';
import { LaunchFacts } from './launch-facts.ts';
import { everyLane, type Level, levelOf, rank } from './levels.ts';
import { ValueLevels } from './value-levels.ts';

export interface Uniformity {
  /** Returns the level of a value among all lanes, wherever it is read. */
  readonly level: (value: Value) => Level;
  readonly isUniform: (value: Value, among: 'warp' | 'block') => boolean;
  /** Whether WGSL's own analysis can prove that a value is uniform in the block. */
  readonly isProvable: (value: Value) => boolean;
  /**
   * The reason why the kernel's collectives cannot be emitted in structured code; undefined if they
   * can.
   */
  readonly obstacle: string | undefined;
  /**
   * Whether lanes may be inactive while other lanes of their warp execute: they exited, left for
   * code without collectives, or the warp has fewer than 32 threads.
   */
  readonly hasInactiveLanes: boolean;
  /**
   * Whether the lanes of each warp, or all threads of the block, execute a block of code together.
   * False for code that precedes no collective, because lanes need not reconverge there.
   */
  readonly isTogether: (block: Block, among: 'warp' | 'block') => boolean;
  /** Whether threads may be inactive while other threads of their block execute. */
  readonly hasInactiveThreads: boolean;
  /**
   * Whether inactive lanes may be in the membermask of a warp instruction. If not, all lanes of the
   * mask execute the instruction together.
   */
  readonly mayMiss: (inst: WarpInst) => boolean;
}

type BlockSize = readonly [number, number, number];

/** Returns the name of a barrier for the description of an obstacle. */
function barrierName(kind: BarrierKind): string {
  if (kind === 'yield') return 'a wait for other threads';
  return kind.startsWith('cluster.') ? `barrier.${kind}` : `bar.${kind}`;
}

export function analyzeUniformity(
  program: Pick<Program, 'kernel' | 'functions'>,
  memory: Pick<MemoryPlan, 'arrays'>,
  block: BlockSize,
): Uniformity {
  const { kernel } = program;
  const functions = new Functions(program, memory, block);
  const control = controlGraph(kernel);
  const facts = new LaunchFacts(control, block);
  let values: ValueLevels | undefined;
  const lanes = new LaneSets(control, facts, () => {
    values ??= functions.levelsOf(kernel, control, facts);
    return values;
  });
  // Without branches, the levels of values may not be needed. Avoid computing them, because the
  // time is linear in the size of the kernel.
  const isStraight = control.graph.blocks.every(({ end }) => end.kind !== 'branch' && end.kind !== 'switch');
  const levelOfValue = (value: Value): number => lanes.levels(everyLane).value(value);
  const controlOf = (block: number): number => (isStraight ? rank.provable : lanes.levels(everyLane).control(block));
  const hasInactiveLanes = lanes.mayBeInactive([everyLane]);
  const present = new Set<Inst>();
  const placeWarp = (inst: WarpInst, block: number, index: number): string | undefined => {
    const { membermask, waits, ballot } = warpFacts(inst.attrs.row);
    const guard = inst.when === undefined ? rank.provable : levelOfValue(inst.when);
    const isApart = controlOf(block) < rank.warp;
    const named = lanes.namedBy(inst);
    // Lanes that skip a guarded `.sync` instruction may execute a later one together with lanes
    // that did not skip it.
    if (!isApart && (guard >= rank.warp || !waits)) {
      if (!hasInactiveLanes || (named && !lanes.mayBeInactive(named))) present.add(inst);
      return undefined;
    }
    if (waits) {
      if (named && lanes.comeTogether(named, inst, block)) {
        if (!hasInactiveLanes || !lanes.mayBeInactive(named)) present.add(inst);
        return undefined;
      }
      if (lanes.shareBallot(inst, { block, index })) {
        if (!hasInactiveLanes) present.add(inst);
        return undefined;
      }
    }
    // An instruction that only reads the active mask does not wait.
    if (membermask === undefined && ballot === 'all' && lanes.executesInEveryIteration(inst, block)) return undefined;
    return `${inst.attrs.row} under a divergent ${isApart ? 'branch' : 'guard'}`;
  };
  const placeBarrier = ({ attrs, when }: InstNamed<'barrier'>, block: number): string | undefined => {
    const name = barrierName(attrs.kind);
    if (controlOf(block) < rank.block) return `${name} under a divergent branch`;
    if (when === undefined || levelOfValue(when) >= rank.block) return undefined;
    return `${name} under a guard that threads take differently`;
  };
  let obstacle: string | undefined;
  control.graph.blocks.forEach(({ insts }, block) => {
    insts.forEach((inst, index) => {
      if (inst.op === 'warp') obstacle ??= placeWarp(inst, block, index);
      else if (inst.op === 'barrier') obstacle ??= placeBarrier(inst, block);
      else if (isMatrixInst(inst)) {
        if (controlOf(block) < (inst.operation.effect === 'block' ? rank.block : rank.warp))
          obstacle ??= `${inst.op} under a divergent branch`;
      } else if (isCollective(inst)) obstacle ??= `${inst.op} is not known`;
    });
  });
  return {
    level: (value) => levelOf(levelOfValue(value)),
    isUniform: (value, among) => levelOfValue(value) >= rank[among],
    isProvable: (value) => levelOfValue(value) >= rank.provable,
    obstacle,
    isTogether: (block, among) => {
      const number = control.graph.numberOf(block);
      return number !== undefined && control.core[number] === 1 && controlOf(number) >= rank[among];
    },
    hasInactiveLanes,
    hasInactiveThreads:
      hasInactiveLanes || control.departures.some((block) => lanes.levels(everyLane).branch(block) < rank.block),
    mayMiss: (inst) => !present.has(inst),
  };
}

/** The device functions of a program. Each is analyzed once for each queried set of lanes. */
class Functions {
  private readonly byName: ReadonlyMap<string, Func>;
  private readonly memory: Pick<MemoryPlan, 'arrays'>;
  private readonly block: BlockSize;
  private readonly values = new Map<string, ValueLevels>();
  private readonly results = new Map<string, (index: number) => number>();
  private readonly mayChange: (load: InstNamed<'load'>) => boolean;

  constructor(program: Pick<Program, 'kernel' | 'functions'>, memory: Pick<MemoryPlan, 'arrays'>, block: BlockSize) {
    const { functions } = program;
    this.mayChange = changingLoads(program);
    this.byName = new Map(functions.map((func) => [func.name, func]));
    this.memory = memory;
    this.block = block;
    // `functions` lists callees before callers, so the levels of a callee's results are known when
    // a caller is analyzed.
    for (const { name } of functions) this.resultsOf(name, everyLane);
  }

  levelsOf(func: Func, control: ReturnType<typeof controlGraph>, facts: LaunchFacts): ValueLevels {
    const memory = { mayBeLocal: (root: Root) => this.mayBeLocal(root), mayChange: this.mayChange };
    return new ValueLevels(func, control, facts, memory, (callee, members) => this.resultsOf(callee, members));
  }

  private resultsOf(name: string, members: number): (index: number) => number {
    const key = `${members} ${name}`;
    const known = this.results.get(key);
    if (known !== undefined) return known;
    const func = this.byName.get(name);
    if (func === undefined) return () => rank.divergent;
    const values = getOrInsert(this.values, name, () => {
      const control = controlGraph(func);
      return this.levelsOf(func, control, new LaunchFacts(control, this.block));
    });
    const { returned } = values.among(members);
    this.results.set(key, returned);
    return returned;
  }

  private mayBeLocal(root: Root): boolean {
    const { arrays } = this.memory;
    switch (root.kind) {
      case 'array':
        return arrays[root.array]?.space !== 'shared';
      case 'generic':
        return arrays.some(({ space }) => space === 'local');
      case 'address':
        return root.space === 'local' || root.space === 'generic';
      default:
        return false;
    }
  }
}
