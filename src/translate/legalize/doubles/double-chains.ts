// Joins dependent fused multiply-adds of f64 into one prelude function with a loop. Each result is
// the addend or the first factor of the next multiply-add.
//
// This applies only to kernels with many multiply-adds, because drivers inline every call and the
// code would exceed the GPU's instruction cache. A few multiply-adds are 10% faster as separate
// calls.
import type { HelperName } from '../../../wgsl/helpers.ts';
import { useCounts } from '../../graph/users.ts';
import type { Func, Inst, InstNamed, Value } from '../../ir/nodes.ts';
import { pairs } from '../calls.ts';

type Helper = InstNamed<'helper'>;

/**
 * Functions with at most this many multiply-adds do not change. That many multiply-adds become
 * about 8,000 instructions.
 */
const few = 20;

/** How a link uses the previous result: the index of its first word among the arguments. */
const places = { addend: 4, factor: 0 } as const;
type Use = keyof typeof places;

interface Chain {
  readonly links: readonly Helper[];
  /** The operand through which the links use previous results; undefined for a single link. */
  readonly use: Use | undefined;
}

const names: Readonly<Record<Use, readonly (readonly [length: number, name: HelperName])[]>> = {
  addend: [[4, 'f64_fma_chain4'], [3, 'f64_fma_chain3'], [2, 'f64_fma_chain2']],
  factor: [[4, 'f64_fma_polynomial4'], [3, 'f64_fma_polynomial3'], [2, 'f64_fma_polynomial2']],
}; // biome-ignore format: a table

const isLink = (inst: Inst): inst is Helper =>
  inst.op === 'helper' && inst.attrs.name === 'f64_fma' && inst.when === undefined;

/**
 * Joins the chains of each block, if the function has many multiply-adds. A later pass removes the
 * code that becomes dead.
 */
export function joinDoubleChains(func: Func): void {
  const count = func.blocks.reduce((sum, { insts }) => sum + insts.filter(isLink).length, 0);
  if (count <= few) return;
  const uses = useCounts(func);
  for (const { insts } of func.blocks) {
    const chains = new Map<Inst, Chain>();
    for (const inst of insts) {
      if (!isLink(inst)) continue;
      const found = goesOn(inst, chains);
      if (found) chains.delete(found.before);
      // Absent: this is the first link.
      chains.set(inst, { links: [...(found?.chain.links ?? []), inst], use: found?.use });
    }
    for (const { links, use } of chains.values()) if (use !== undefined) join(links, use);
  }

  function goesOn(inst: Helper, chains: ReadonlyMap<Inst, Chain>) {
    for (const use of ['addend', 'factor'] as const) {
      const before = pairAt(inst, use);
      const chain = before && chains.get(before);
      if (before && chain && (chain.use ?? use) === use) return { before, chain, use };
    }
    return undefined;
  }

  /**
   * Returns the instruction whose result is the operand at that position, if the result has no
   * other use.
   */
  function pairAt({ args }: Helper, use: Use): Inst | undefined {
    const [low, high] = args.slice(places[use], places[use] + 2);
    if (low?.kind !== 'result' || high?.kind !== 'result' || low.inst !== high.inst || !isLink(low.inst))
      return undefined;
    const inOrder = low.inst.results[0] === low && low.inst.results[1] === high;
    return inOrder && uses.get(low) === 1 && uses.get(high) === 1 ? low.inst : undefined;
  }
}

/** Replaces the last link of each part by the whole part. The earlier links become dead. */
function join(links: readonly Helper[], use: Use): void {
  const place = places[use];
  let from = 0;
  while (from < links.length) {
    const [length, name] = names[use].find(([count]) => count <= links.length - from) ?? [1, undefined];
    const part = links.slice(from, from + length);
    const [first, last] = [part[0], part.at(-1)];
    if (name === undefined || first === undefined || last === undefined) return;
    const rest = part.flatMap(({ args }): readonly Value[] => [...args.slice(0, place), ...args.slice(place + 2)]);
    const start = first.args.slice(place, place + 2);
    const [pair] = pairs.one(name).params;
    last.args = [...rest, ...start];
    last.attrs = {
      ...pairs.one(name),
      params: pair === undefined ? [] : Array.from({ length: length * 2 + 1 }, () => pair),
    };
    from += length;
  }
}
