// Joins dependent exact fused multiply-adds into one prelude function. Each result is the addend of
// the next multiply-add. This applies only to kernels with many multiply-adds: drivers inline every
// call, and would compile such a kernel for minutes.
import { at } from '../../../base/invariants.ts';
import { countOf } from '../../../base/maps.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import { useCounts } from '../../graph/users.ts';
import type { Func, Inst, InstNamed, Result, Value } from '../../ir/nodes.ts';

type HelperInst = InstNamed<'helper'>;

/**
 * Functions with at most this many multiply-adds do not change, because most of the code of a
 * multiply-add on hardware is only for the rare case.
 */
const few = 96;

type Kind = readonly (readonly [length: number, name: HelperName])[];

/** Dependent multiply-adds. `factors` contains both factors of each multiply-add. */
export interface Links {
  readonly insts: readonly HelperInst[];
  readonly factors: readonly (readonly Value[])[];
}

/** The functions for chains, by the name of the multiply-add. The third argument is the addend. */
const kinds: ReadonlyMap<HelperName, Kind> = new Map<HelperName, Kind>([
  ['f32_fma', [[8, 'f32_fma_chain8'], [4, 'f32_fma_chain4']]],
  ['f32_fma_ftz', [[8, 'f32_fma_ftz_chain8'], [4, 'f32_fma_ftz_chain4']]],
]); // biome-ignore format: a table

const kindOf = (inst: Inst): Kind | undefined => (inst.op === 'helper' ? kinds.get(inst.attrs.name) : undefined);

/** Joins the links of each chain. A later pass removes the code that becomes dead. */
export function joinFmaChains(chains: readonly Links[]): void {
  for (const links of chains) for (const part of partsOf(links)) join(links, part);
}

/** Returns the calls that become dead when the chains are joined. */
export const callsJoinedBy = (chains: readonly Links[]): readonly HelperInst[] =>
  chains.flatMap((links) => partsOf(links).flatMap(({ from, length }) => links.insts.slice(from, from + length - 1)));

/** Returns the chains of each block, if the function has many multiply-adds. */
export function fmaChains(func: Func): readonly Links[] {
  const counts = new Map<Kind, number>();
  for (const { insts } of func.blocks) {
    for (const inst of insts) {
      const kind = kindOf(inst);
      if (kind) counts.set(kind, countOf(counts, kind) + 1);
    }
  }
  const isMany = (kind: Kind | undefined): boolean => kind !== undefined && countOf(counts, kind) > few;
  if (![...counts.keys()].some(isMany)) return [];
  const uses = useCounts(func);
  return func.blocks.flatMap((block) => {
    /** The links of each chain so far, by the last link. */
    const chains = new Map<Inst, Links>();
    for (const inst of block.insts) {
      if (inst.op !== 'helper' || !isMany(kindOf(inst)) || inst.when !== undefined) continue;
      const before = linkAt(inst, (value) => uses.get(value) === 1);
      const links = before && chains.get(before);
      if (before) chains.delete(before);
      // Absent: this is the first link.
      const { insts, factors } = links ?? { insts: [], factors: [] };
      chains.set(inst, { insts: [...insts, inst], factors: [...factors, inst.args.slice(0, 2)] });
    }
    return [...chains.values()];
  });
}

/** Returns the multiply-add of the same kind whose result is the addend and has no other use. */
function linkAt(inst: HelperInst, isOnlyUse: (value: Result) => boolean): HelperInst | undefined {
  // With .ftz, the previous sum is flushed already.
  const flushes = inst.attrs.name === 'f32_fma_ftz';
  let operand = inst.args[2];
  while (operand?.kind === 'result' && isOnlyUse(operand)) {
    const before: Inst = operand.inst;
    if (before.op === 'bitcast' || (before.op === 'helper' && before.attrs.name === 'f32_flush' && flushes)) {
      operand = before.args[0];
      continue;
    }
    return before.op === 'helper' && before.attrs.name === inst.attrs.name ? before : undefined;
  }
  return undefined;
}

/** Consecutive links that one function computes. */
interface Part {
  readonly from: number;
  readonly length: number;
  readonly name: HelperName;
}

function partsOf({ insts }: Links): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (;;) {
    const first = insts[from];
    const chain = first && kindOf(first)?.find(([length]) => length <= insts.length - from);
    if (!chain) return parts;
    const [length, name] = chain;
    parts.push({ from, length, name });
    from += length;
  }
}

/** Replaces the last link of a part by the whole part. The earlier links become dead. */
function join({ insts, factors }: Links, { from, length, name }: Part): void {
  const first = at(insts, from, 'the first link');
  const last = at(insts, from + length - 1, 'the last link');
  // Start with the initial addend. In a later part, it is the previous link.
  const start = at(first.args, 2, 'the addend');
  last.args = [...factors.slice(from, from + length).flat(), start];
  last.attrs = { name, params: last.args.map(() => 'f32'), result: 'f32' };
}
