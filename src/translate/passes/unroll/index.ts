// Gives the driver's compiler what ptxas does by itself. A loop that runs a known number of times becomes that many copies of its body, with
// counters and addresses that are constants then; one that loads runs several iterations at once while it is certain to need them.

import type { FloatProfile } from '../../../base/float-profile.ts';
import { at, get } from '../../../base/invariants.ts';
import { flowGraph, incomingEdges } from '../../graph/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Block, Definition, Func, Inst, Param, Value } from '../../ir/nodes.ts';
import type { OpName } from '../../ir/operations.ts';
import { warpFacts } from '../../ir/warp-facts.ts';
import { closeLoop } from './close-loop.ts';
import { type Copied, copyEdge, copyInsts, lookUp } from './copy.ts';
import { controlOf, type SelfLoop, selfLoop, testedLoop, tripCount } from './counted-loops.ts';
import { gainsFromGroups, groupSize, runInGroups } from './group-iterations.ts';
import { rotate } from './rotate.ts';

/**
 * Instructions that the copies of one loop may come to, and those of all loops of a kernel: what software adapters take to compile a shader
 * grows with its length.
 */
const maxOfLoop = 512;
const maxOfKernel = 1024;

export interface UnrollOptions {
  readonly float: FloatProfile;
  /** Tells which loads read memory that nothing in the kernel writes; asked only where it matters. */
  readonly readOnly: (inst: Inst) => boolean;
}

/** Whether anything was unrolled. */
export function unrollLoops(func: Func, b: Builder, options: UnrollOptions): boolean {
  let graph = flowGraph(func);
  const { blocks } = graph;
  const constants = constantsBefore(func);
  let grown = 0;
  for (const block of blocks) {
    // As the loop is now: what is done to others changes the values that it reads.
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

/** A loop that runs this often, as that many copies. Loops that test first may run not at all: the test in front of them stays. */
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

/** Warp instructions without a member mask mean the lanes that are at the same place. */
const mayBeCopied = (inst: Inst): boolean => inst.op !== 'warp' || warpFacts[inst.attrs.row].membermask !== undefined;

/** Arithmetic that is a function where hardware does not do it as PTX wants it. */
const floatCosts: Readonly<Partial<Record<OpName, 'simple' | 'fused' | 'division'>>> = {
  fadd: 'simple',
  fsub: 'simple',
  fmul: 'fused',
  ffma: 'fused',
  fdiv: 'division',
  fsqrt: 'division',
};

/**
 * Instructions of a shader that one of the IR comes to. What lanes do together takes several, and f32 arithmetic that hardware does not do as PTX
 * wants it is a function, of hundreds where it goes by integers.
 */
function costOf(inst: Inst, float: FloatProfile): number {
  if (inst.operation.effect === 'warp') return 16;
  const kind = floatCosts[inst.op];
  if (kind === undefined || float.mode === 'fast') return 1;
  if (kind === 'division' || (kind === 'fused' && (float.fma === 'unfused' || float.contracts))) return 128;
  // Where subnormals are flushed, those next to each other share a guard (passes/share-guards), and mostly are as they are.
  const isShared = float.fma === 'fused' && !float.contracts;
  return float.denormals === 'kept' || isShared ? 1 : 16;
}

/** What a parameter of a loop's first block is when the loop is entered, where that is one constant. */
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
