// Unrolls loops, as ptxas does, because drivers unroll WGSL loops less. A loop with a known trip
// count becomes copies of its body, in which counters and addresses are constants. A loop with
// loads runs several iterations together as long as it certainly needs them.

import type { FloatProfile } from '../../../base/float-profile.ts';
import { at, get } from '../../../base/invariants.ts';
import { flowGraph, incomingEdges } from '../../graph/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Block, Definition, Func, Inst, Param, Value } from '../../ir/nodes.ts';
import type { OpName } from '../../ir/operations.ts';
import { warpFacts } from '../../ir/warp-facts.ts';
import { type Copied, copyEdge, copyInsts, lookUp } from '../copy-insts.ts';
import { closeLoop } from './close-loop.ts';
import { controlOf, type SelfLoop, selfLoop, testedLoop, tripCount } from './counted-loops.ts';
import { gainsFromGroups, groupSize, runInGroups } from './group-iterations.ts';
import { rotate } from './rotate.ts';

/**
 * Limits on the number of instructions in the copies of one loop, and of all loops of a kernel. The
 * limits exist because software adapters compile long shaders slowly.
 */
const maxOfLoop = 512;
const maxOfKernel = 1024;

export interface UnrollOptions {
  readonly float: FloatProfile;
  /**
   * Tests whether a load reads memory that the kernel never writes. Called only if the result
   * matters.
   */
  readonly readOnly: (inst: Inst) => boolean;
}

const lengthOf = (functions: readonly Func[]): number =>
  functions.reduce((sum, { blocks }) => blocks.reduce((all, { insts }) => all + insts.length, sum), 0);

/**
 * Unrolls loops of functions. Returns the factor by which this lengthens the functions, or undefined
 * if it unrolled no loop.
 */
export function unrollLoops(functions: readonly Func[], b: Builder, options: UnrollOptions): number | undefined {
  const length = lengthOf(functions);
  const changed = functions.filter((func) => unrollIn(func, b, options));
  return changed.length === 0 ? undefined : lengthOf(functions) / length;
}

/** Unrolls loops of a function. Returns whether it unrolled any loop. */
function unrollIn(func: Func, b: Builder, options: UnrollOptions): boolean {
  let graph = flowGraph(func);
  const { blocks } = graph;
  const constants = constantsBefore(func);
  let grown = 0;
  for (const block of blocks) {
    // Find the loop's form again, because unrolling other loops changes the values that the loop
    // reads.
    const candidate = selfLoop(block) ?? testedLoop(block, graph);
    if (candidate === undefined) continue;
    const { iteration } = candidate;
    if (!iteration.insts.every(mayBeCopied)) continue;
    const cost = iteration.insts.reduce((sum, inst) => sum + costOf(inst, options.float), 1);
    const limit = Math.min(maxOfLoop, maxOfKernel - grown);
    const control = cost > limit ? undefined : controlOf(iteration);
    if (control === undefined) continue;
    const inside = 'block' in candidate ? [candidate.block] : [candidate.head, candidate.body];
    const trips = tripCount(iteration, control, Math.floor(limit / cost), (param) => constants(param, inside));
    const grouped =
      trips === undefined && cost * groupSize <= limit && gainsFromGroups(iteration, control, options.readOnly);
    if (trips === undefined && !grouped) continue;
    const loop = 'block' in candidate ? candidate : selfLoop(rotate(func, b, candidate));
    const own = loop && controlOf(loop.iteration);
    if (loop === undefined || own === undefined) continue;
    if (trips === undefined) runInGroups(func, b, loop, own);
    else repeat(func, b, loop, 'block' in candidate ? trips : trips - 1);
    grown += cost * (trips ?? groupSize);
    graph = flowGraph(func);
  }
  return grown > 0;
}

/**
 * Replaces a loop with this many copies. If a test precedes the loop, the test remains, because the
 * loop may not run at all.
 */
function repeat(func: Func, b: Builder, { block, again, exit }: SelfLoop, trips: number): void {
  const leaving = closeLoop(func, b, new Set([block]), block, exit);
  const insts: Inst[] = [];
  b.into(insts);
  let copied: Copied = new Map();
  let params: readonly Value[] = block.params;
  for (let copy = 0; copy < Math.max(trips, 1); copy++) {
    copied = new Map(
      block.params.map((param, index): [Definition, Value] => [param, at(params, index, 'a value of a copy')]),
    );
    copyInsts(b, block.insts, copied);
    params = again.args.map(lookUp(copied));
  }
  block.insts = insts;
  block.end = { kind: 'jump', to: copyEdge(leaving, copied), span: block.end.span };
}

/**
 * Whether an instruction may be copied. A warp instruction without a membermask includes the lanes
 * that execute the same instruction, so a copy would separate these lanes.
 */
const mayBeCopied = (inst: Inst): boolean => inst.op !== 'warp' || warpFacts(inst.attrs.row).membermask !== undefined;

/**
 * The arithmetic operations that become function calls if hardware does not compute PTX's result.
 */
const floatCosts: Readonly<Partial<Record<OpName, 'simple' | 'fused' | 'division'>>> = {
  fadd: 'simple',
  fsub: 'simple',
  fmul: 'fused',
  ffma: 'fused',
  fdiv: 'division',
  fsqrt: 'division',
};

/**
 * Estimates the number of shader instructions for an IR instruction. A collective becomes several.
 * f32 arithmetic that hardware does not compute as PTX requires becomes a function, which has
 * hundreds of instructions if it uses integers.
 */
function costOf(inst: Inst, float: FloatProfile): number {
  if (inst.operation.effect === 'warp') return 16;
  const kind = floatCosts[inst.op];
  if (kind === undefined || float.mode === 'fast') return 1;
  if (kind === 'division' || (kind === 'fused' && (float.fma === 'unfused' || float.contracts))) return 128;
  // If subnormals are flushed, adjacent operations share a guard (passes/share-guards), and are
  // mostly hardware operations.
  const isShared = float.fma === 'fused' && !float.contracts;
  return float.denormals === 'kept' || isShared ? 1 : 16;
}

/** Returns the initial value of a parameter of a loop's first block, if it is one constant. */
function constantsBefore(func: Func): (param: Param, inside: readonly Block[]) => bigint | undefined {
  const incoming = incomingEdges(func);
  return (param, inside) => {
    let found: bigint | undefined;
    const place = param.block.params.indexOf(param);
    for (const { from, args } of get(incoming, param.block, 'the edges into a block')) {
      if (inside.includes(from)) continue;
      const arg = args[place];
      if (arg?.kind !== 'constant' || (found !== undefined && found !== arg.bits)) return undefined;
      found = arg.bits;
    }
    return found;
  };
}
