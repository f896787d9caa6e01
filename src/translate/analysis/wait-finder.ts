// Finds the waits of a kernel with strong reads (waits.ts).

import { gridBarrierBytes } from '../../isa/special-registers.ts';
import { blocksOfInsts, type Dominators, dominatorsOf, type FlowGraph, flowGraph, loopsOf } from '../graph/index.ts';
import { type Block, constantOf, type Inst, type Program } from '../ir/nodes.ts';
import { gridBarrier } from '../layout.ts';
import { type AccessInst, addressOf } from './accesses.ts';
import { LoopSlices } from './loop-slice.ts';
import { type KernelView, LoopWaits, type Read } from './loop-waits.ts';
import { OtherBlocks } from './other-blocks.ts';
import { findPointsTo, type PointsTo, type PointsToResult } from './points-to.ts';
import { isStrongRead, isYield, type Wait, type Waits, type Yield } from './wait.ts';

export class WaitFinder implements KernelView {
  private readonly program: Program;
  private readonly graph: FlowGraph;
  private readonly dominators: Dominators;
  private readonly mayWait: (inst: Inst) => inst is Read;
  private foundPoints: PointsToResult | undefined;
  private readonly yields = new Map<Inst, Yield>();
  private readonly otherBlocks: OtherBlocks;

  constructor(program: Program, mayWait: (inst: Inst) => inst is Read) {
    this.program = program;
    for (const { insts } of program.kernel.blocks)
      insts.forEach((inst, index) => {
        const next = insts[index + 1];
        if (isYield(next)) this.yields.set(inst, next);
      });
    this.mayWait = mayWait;
    this.graph = flowGraph(program.kernel);
    this.dominators = dominatorsOf(this.graph);
    this.otherBlocks = new OtherBlocks(program.kernel);
  }

  find(): Waits {
    const found = new Map<Inst, Wait>();
    const looks = new Set<Inst>();
    const loops = loopsOf(this.graph, this.dominators);
    const homes = blocksOfInsts(this.program.kernel);
    // The innermost loop that depends on a read determines how the wait ends.
    for (const loop of [...loops.all].reverse()) {
      const reads = loop.blocks().flatMap(({ insts }) => insts.filter(this.mayWait));
      if (!reads.some((inst) => !found.has(inst))) continue;
      const waits = new LoopWaits(this, new LoopSlices(loop, this.graph, homes), reads);
      const { yields, others } = waits.find();
      for (const inst of others) looks.add(inst);
      for (const inst of yields) {
        const block = homes.get(inst);
        if (block && !found.has(inst))
          found.set(inst, { inst, block, ends: waits.ends, yieldPoint: this.yields.get(inst) });
      }
    }
    // In a graph with irreducible cycles, every other strong read counts as a wait that ends. Such
    // a kernel is always dispatched.
    if (!loops.reducible)
      for (const block of this.graph.blocks)
        for (const inst of block.insts)
          if (isStrongRead(inst) && !found.has(inst) && !this.isGridBarrier(inst))
            found.set(inst, { inst, block, ends: true, yieldPoint: this.yields.get(inst) });
    return { waits: [...found.values()], looks };
  }

  dominates(a: Block, b: Block): boolean {
    const [first, second] = [this.graph.numberOf(a), this.graph.numberOf(b)];
    return first !== undefined && second !== undefined && this.dominators.dominates(first, second);
  }

  private get points(): PointsToResult {
    this.foundPoints ??= findPointsTo(this.program);
    return this.foundPoints;
  }

  hasYield(inst: Read): boolean {
    return this.yields.has(inst);
  }

  isShared(inst: Read): boolean {
    if (inst.op === 'call') return false;
    const { root } = inst.attrs.place;
    if (root.kind !== 'address') return false;
    if (root.space !== 'generic') return root.space === 'shared';
    const address = addressOf(inst);
    const origins = address === undefined ? [] : [...this.points.of(address).origins];
    return origins.some((origin) => origin.kind === 'variable' && origin.variable.space === 'shared');
  }

  mayLookAtOtherBlocks(inst: Read): boolean {
    if (inst.op === 'call') return true;
    if (inst.attrs.order !== 'weak' && inst.attrs.order !== 'volatile' && inst.attrs.scope === 'cta') return false;
    if (this.isWrittenHere(inst)) return false;
    const address = addressOf(inst);
    return address === undefined || this.otherBlocks.mayConcern(address);
  }

  /**
   * Whether the block itself stores to the location of a read, through the same address value. A
   * read of another block's state uses a different location.
   */
  private isWrittenHere(inst: AccessInst): boolean {
    const address = addressOf(inst);
    return this.program.kernel.blocks.some(({ insts }) =>
      insts.some(
        (other) =>
          (other.op === 'store' || other.op === 'atomic') &&
          other !== inst &&
          addressOf(other) === address &&
          other.attrs.place.offset === inst.attrs.place.offset,
      ),
    );
  }

  /**
   * Whether the instruction reads the grid barrier. All blocks of a cooperative launch arrive
   * there, so its waits end.
   */
  isGridBarrier(inst: Read): boolean {
    if (this.program.gridBarrier === undefined || inst.op === 'call') return false;
    const base = constantOf(addressOf(inst));
    const at = base === undefined ? undefined : Number(base) + inst.attrs.place.offset;
    return at !== undefined && at >= gridBarrier && at < gridBarrier + gridBarrierBytes;
  }

  /** Whether two accesses may overlap, judged by the origins and offsets of their addresses. */
  mayMeet(a: AccessInst, b: AccessInst): boolean {
    const [one, other] = [addressOf(a), addressOf(b)];
    if (one === other) return a.attrs.place.offset === b.attrs.place.offset;
    if (one === undefined || other === undefined) return true;
    const [points, otherPoints] = [this.points.of(one), this.points.of(other)];
    const isKnown = ({ origins, untracked, anyVariable }: PointsTo) => origins.size > 0 && !untracked && !anyVariable;
    return (
      !isKnown(points) || !isKnown(otherPoints) || [...points.origins].some((origin) => otherPoints.origins.has(origin))
    );
  }
}
