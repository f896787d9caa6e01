// Joins dependent exact fused multiply-adds into one prelude function. Each result is the addend or
// a factor of the next multiply-add. This applies only to kernels with many multiply-adds: drivers
// inline every call, and would compile such a kernel for minutes.
import { at } from '../../../base/invariants.ts';
import { countOf } from '../../../base/maps.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import { useCounts } from '../../graph/users.ts';
import { constantOf, type Func, type Inst, type InstNamed, type Result, type Value } from '../../ir/nodes.ts';
import type { HelperType } from '../../ir/operations.ts';

type HelperInst = InstNamed<'helper'>;

interface Kind {
  readonly type: HelperType;
  /**
   * Functions with at most this many multiply-adds do not change. A multiply-add on hardware has
   * much code only for the rare case; integer arithmetic has much code for every case.
   */
  readonly few: number;
  readonly chains: readonly Chain[];
  /** The functions for chains in which each result is a factor of the next. */
  readonly polynomials: readonly Chain[];
}

type Chain = readonly [length: number, name: HelperName];

/**
 * Dependent multiply-adds. `rest` has each one's operands without the previous result: both factors
 * if that result is the addend, otherwise the other factor and the addend.
 */
export interface Links {
  readonly insts: readonly HelperInst[];
  readonly rest: readonly (readonly Value[])[];
  /** Whether results are factors; undefined for a single multiply-add. */
  readonly asFactor: boolean | undefined;
}

/**
 * Keyed by the multiply-add. The third argument is the addend. Integer functions have a fourth, the
 * rounding.
 */
const kinds: ReadonlyMap<HelperName, Kind> = new Map<HelperName, Kind>([
  ['f32_fma', { type: 'f32', few: 96, chains: [[8, 'f32_fma_chain8'], [4, 'f32_fma_chain4']], polynomials: [] }],
  ['f32_fma_ftz', { type: 'f32', few: 96, chains: [[8, 'f32_fma_ftz_chain8'], [4, 'f32_fma_ftz_chain4']], polynomials: [] }],
  ['soft_fma', { type: 'u32', few: 16, chains: [[8, 'soft_fma_chain8'], [4, 'soft_fma_chain4']],
    polynomials: [[7, 'soft_fma_polynomial7'], [5, 'soft_fma_polynomial5'], [3, 'soft_fma_polynomial3']] }],
]); // biome-ignore format: a table

const kindOf = (inst: Inst): Kind | undefined => (inst.op === 'helper' ? kinds.get(inst.attrs.name) : undefined);

/** Joins chains. A later pass removes the code that becomes dead. */
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
  const isMany = (kind: Kind | undefined): boolean => kind !== undefined && countOf(counts, kind) > kind.few;
  if (![...counts.keys()].some(isMany)) return [];
  const uses = useCounts(func);
  return func.blocks.flatMap((block) => {
    /** The links of each chain so far, keyed by the last one. */
    const chains = new Map<Inst, Links>();
    for (const inst of block.insts) {
      if (inst.op !== 'helper' || !isMany(kindOf(inst)) || inst.when !== undefined) continue;
      const found = linked(inst, chains, (value) => uses.get(value) === 1);
      if (found) chains.delete(found.before);
      const { args } = inst;
      // Absent: the first link.
      chains.set(inst, found?.links ?? { insts: [inst], rest: [args.slice(0, 2)], asFactor: undefined });
    }
    return [...chains.values()];
  });
}

/** The chain that a multiply-add extends. */
function linked(inst: HelperInst, chains: ReadonlyMap<Inst, Links>, isOnlyUse: (value: Result) => boolean) {
  const factors = kindOf(inst)?.polynomials.length ? [0, 1] : [];
  for (const place of [2, ...factors]) {
    const before = linkAt(inst, place, isOnlyUse);
    const links = before && chains.get(before);
    const asFactor = place < 2;
    if (!before || !links || (links.asFactor ?? asFactor) !== asFactor) continue;
    const rest = inst.args.slice(0, 3).filter((_, index) => index !== place);
    // A polynomial begins with a factor of its first link.
    const earlier = asFactor && links.asFactor === undefined ? [before.args.slice(1, 3)] : links.rest;
    return { before, links: { insts: [...links.insts, inst], rest: [...earlier, rest], asFactor } };
  }
  return undefined;
}

/**
 * The multiply-add of the same kind and rounding whose result is the operand at that position and
 * has no other use.
 */
function linkAt(inst: HelperInst, place: number, isOnlyUse: (value: Result) => boolean): HelperInst | undefined {
  const how = constantOf(inst.args[3]);
  // With .ftz, the previous sum is flushed already.
  const flushes = inst.attrs.name === 'f32_fma_ftz' || (how !== undefined && (how & 4n) !== 0n);
  let operand = inst.args[place];
  while (operand?.kind === 'result' && isOnlyUse(operand)) {
    const before: Inst = operand.inst;
    if (before.op === 'bitcast' || (before.op === 'helper' && before.attrs.name === 'f32_flush' && flushes)) {
      operand = before.args[0];
      continue;
    }
    const isLink =
      before.op === 'helper' && before.attrs.name === inst.attrs.name && constantOf(before.args[3]) === how;
    return isLink ? before : undefined;
  }
  return undefined;
}

/** Consecutive links that one function computes. */
interface Part {
  readonly from: number;
  readonly length: number;
  readonly name: HelperName;
  readonly type: HelperType;
}

function partsOf({ insts, asFactor }: Links): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (;;) {
    const first = insts[from];
    const kind = first && kindOf(first);
    const chain = (asFactor ? kind?.polynomials : kind?.chains)?.find(([length]) => length <= insts.length - from);
    if (!kind || !chain) return parts;
    const [length, name] = chain;
    parts.push({ from, length, name, type: kind.type });
    from += length;
  }
}

/** Replaces the last link of a part by the whole part; the earlier links become dead. */
function join({ insts, rest, asFactor }: Links, { from, length, name, type }: Part): void {
  const first = at(insts, from, 'the first link');
  const last = at(insts, from + length - 1, 'the last link');
  const parts = rest.slice(from, from + length).flat();
  // The initial value; in a later part, the previous link.
  const start = asFactor ? startOf(first, rest[from]) : first.args.slice(2, 3);
  const how = last.args.slice(3);
  last.args = asFactor ? [...start, ...parts, ...how] : [...parts, ...start, ...how];
  last.attrs = { name, params: last.args.map(() => type), result: type };
}

/** The operand of a link that is not in its `rest`. */
function startOf({ args }: HelperInst, rest: readonly Value[] = []): readonly Value[] {
  const left = [...rest];
  return args.slice(0, 3).filter((value) => {
    const index = left.indexOf(value);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}
