// Exact fused multiply-adds, each the addend of the next, as one function of the prelude: where a kernel has so many that drivers, which put every call's
// function in its place, would take minutes to compile it. Of fewer, each stays on its own.
import type { HelperName } from '../../wgsl/helpers.ts';
import { useCounts } from '../graph/users.ts';
import { constantOf, type Func, type Inst, type InstNamed, type Result } from '../ir/nodes.ts';
import type { HelperType } from '../ir/operations.ts';

type HelperInst = InstNamed<'helper'>;

interface Kind {
  readonly type: HelperType;
  /// Up to so many in a function stay as they are. By hardware only the rare case is large; by integers all of it is.
  readonly few: number;
  readonly chains: readonly (readonly [length: number, name: HelperName])[];
}

/// By the multiply-add. The third argument is the addend; integers have a fourth, how to round.
const kinds: ReadonlyMap<HelperName, Kind> = new Map<HelperName, Kind>([
  ['f32_fma', { type: 'f32', few: 96, chains: [[8, 'f32_fma_chain8'], [4, 'f32_fma_chain4']] }],
  ['f32_fma_ftz', { type: 'f32', few: 96, chains: [[8, 'f32_fma_ftz_chain8'], [4, 'f32_fma_ftz_chain4']] }],
  ['soft_fma', { type: 'u32', few: 16, chains: [[8, 'soft_fma_chain8'], [4, 'soft_fma_chain4']] }],
]); // biome-ignore format: a table

const kindOf = (inst: Inst): Kind | undefined => (inst.op === 'helper' ? kinds.get(inst.attrs.name) : undefined);

/// Joins the chains of each block, if the function has many multiply-adds. What only a chain read stays for others to remove.
export function joinFmaChains(func: Func): void {
  const counts = new Map<Kind, number>();
  for (const { insts } of func.blocks) {
    for (const inst of insts) {
      const kind = kindOf(inst);
      if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  }
  const isMany = (kind: Kind | undefined): boolean => kind !== undefined && (counts.get(kind) ?? 0) > kind.few;
  if (![...counts.keys()].some(isMany)) return;
  const uses = useCounts(func);
  for (const block of func.blocks) {
    /// Of the last link of each chain so far, all of its links.
    const chains = new Map<Inst, readonly HelperInst[]>();
    for (const inst of block.insts) {
      if (inst.op !== 'helper' || !isMany(kindOf(inst)) || inst.when !== undefined) continue;
      const before = addendOf(inst, (value) => uses.get(value) === 1);
      const links = before && chains.get(before);
      if (before && links) chains.delete(before);
      chains.set(inst, links ? [...links, inst] : [inst]);
    }
    for (const links of chains.values()) join(links);
  }
}

/// The multiply-add of the same kind, and the same rounding, whose result is the addend and is needed for nothing else.
function addendOf(inst: HelperInst, isOnlyUse: (value: Result) => boolean): HelperInst | undefined {
  const how = constantOf(inst.args[3]);
  // With .ftz, the sum before is flushed already.
  const flushes = inst.attrs.name === 'f32_fma_ftz' || (how !== undefined && (how & 4n) !== 0n);
  let addend = inst.args[2];
  while (addend?.kind === 'result' && isOnlyUse(addend)) {
    const before: Inst = addend.inst;
    if (before.op === 'bitcast' || (before.op === 'helper' && before.attrs.name === 'f32_flush' && flushes)) {
      addend = before.args[0];
      continue;
    }
    const isLink =
      before.op === 'helper' && before.attrs.name === inst.attrs.name && constantOf(before.args[3]) === how;
    return isLink ? before : undefined;
  }
  return undefined;
}

/// The last link of each part becomes the whole part; those before it are read by nobody then.
function join(links: readonly HelperInst[]): void {
  let from = 0;
  while (from < links.length) {
    const first = links[from];
    const kind = first && kindOf(first);
    const chain = kind?.chains.find(([length]) => length <= links.length - from);
    if (!first || !kind || !chain) return;
    const [length, name] = chain;
    const part = links.slice(from, from + length);
    const last = part.at(-1);
    if (!last) return;
    const factors = part.flatMap(({ args }) => args.slice(0, 2));
    const rest = [...first.args.slice(2, 3), ...last.args.slice(3)];
    last.args = [...factors, ...rest];
    last.attrs = { name, params: last.args.map(() => kind.type), result: kind.type };
    from += length;
  }
}
