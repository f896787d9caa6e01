// Puts the code of bases into the kernel, and gives accesses their places.
import type { ArrayPlace, Instruction } from '../ptx/ast.ts';
import type { BlockCluster, Places } from './array-accesses.ts';
import type { Base } from './array-bases.ts';
import { immediateDominators } from './dominators.ts';
import { type Block, blockAt, mapOperands } from './ir.ts';
import type { LinearForms } from './linear-forms.ts';
import { SumCode } from './sum-code.ts';

export interface BasedCluster {
  readonly cluster: BlockCluster;
  readonly base: Base;
}

/// A base, and where it is computed: before an instruction of a block, the one after the last at its end.
interface Site {
  readonly block: number;
  readonly index: number;
  readonly members: readonly BasedCluster[];
}

export function writeBases(
  blocks: readonly Block[],
  clusters: readonly BasedCluster[],
  constants: Places,
  forms: LinearForms,
): Block[] {
  const places = blocks.map((_, id) => new Map<number, ArrayPlace>(constants.get(id)));
  const inserted = blocks.map(() => new Map<number, Instruction[]>());
  let copies = 0;
  const freshName = () => {
    copies += 1;
    return `%index$${copies}`;
  };
  for (const { block, index, members } of hoisted(sitesOf(clusters), blocks, forms)) {
    const [first] = members;
    if (first === undefined) continue;
    const out = new SumCode(freshName, spanOf(first.cluster, blocks));
    const register = first.base.register ?? out.settled(first.base.write(out));
    const before = inserted[block]?.get(index) ?? [];
    inserted[block]?.set(index, [...before, ...out.code]);
    for (const { cluster, base } of members) {
      for (const { index: access, constant } of cluster.accesses) {
        const place = { array: cluster.array.key, base: register, unit: base.unit, offset: constant + base.offset };
        places[cluster.block]?.set(access, place);
      }
    }
  }
  return blocks.map(({ code, end }, id) => ({
    end,
    code: [
      ...code.flatMap((instruction, index) => [
        ...(inserted[id]?.get(index) ?? []),
        withPlace(instruction, places[id]?.get(index)),
      ]),
      ...(inserted[id]?.get(code.length) ?? []),
    ],
  }));
}

const firstIndex = ({ accesses }: BlockCluster): number => accesses[0]?.index ?? 0;

const spanOf = (cluster: BlockCluster, blocks: readonly Block[]) =>
  blockAt(blocks, cluster.block).code[firstIndex(cluster)]?.span ?? { start: 0, end: 0 };

function withPlace(instruction: Instruction, place: ArrayPlace | undefined): Instruction {
  if (place === undefined) return instruction;
  return mapOperands(instruction, (operand) => (operand.kind === 'address' ? { ...operand, place } : operand));
}

/// One site for clusters of a segment whose bases are the same value.
function sitesOf(clusters: readonly BasedCluster[]): readonly Site[] {
  const sites = groupBy(clusters, ({ cluster, base }) => `${cluster.segment} ${base.key}`);
  return sites.flatMap((members): Site[] => {
    const [first] = members;
    return first ? [{ block: first.cluster.block, index: firstIndex(first.cluster), members }] : [];
  });
}

/// Where blocks that exclude each other, or meet only later, need the same base of the same register, it is computed once before them, as
/// PTX computes the register.
function hoisted(sites: readonly Site[], blocks: readonly Block[], forms: LinearForms): readonly Site[] {
  const idom = immediateDominators(blocks);
  const meet = (one: number, other: number): number => {
    let [a, b] = [one, other];
    while (a !== b) {
      if (a > b) a = idom[a] ?? 0;
      else b = idom[b] ?? 0;
    }
    return a;
  };
  const alike = groupBy(sites, ({ members: [first] }, index) => {
    if (first === undefined || first.base.register) return String(index);
    const { register, atoms } = first.cluster;
    return forms.isLasting(register) && forms.areLasting(atoms) ? `${register.name} ${first.base.key}` : String(index);
  });
  return alike.flatMap((group): readonly Site[] => {
    const block = group.map((site) => site.block).reduce(meet);
    if (group.some((site) => site.block === block)) return group;
    return [{ block, index: blockAt(blocks, block).code.length, members: group.flatMap(({ members }) => members) }];
  });
}

function groupBy<T>(items: readonly T[], key: (item: T, index: number) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  items.forEach((item, index) => {
    const name = key(item, index);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  });
  return [...groups.values()];
}
