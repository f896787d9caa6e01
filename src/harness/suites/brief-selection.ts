// Some suites of every instruction, for adapters on which compiling all of them takes minutes.
import { groupBy } from '../../base/group-by.ts';
import { isMmaRow, textureRows, warpRows } from '../../isa/index.ts';
import type { SuiteGroup } from './types.ts';

/**
 * Instructions of a warp that exchange single values: two kernels each. Of all others, whose shaders are long (matrices, images, asynchronous
 * copies) or which look at no other lane, one has its turn.
 */
const exchanges = new Set<string>(warpRows.flatMap(({ name }) => (isMmaRow(name) ? [] : [name])));
const mostKernelsOf = (row: string): number => (exchanges.has(row) ? 2 : 1);

/** Suites of a kernel of a row: one where a single instruction is a long shader (filtered textures, products of matrices), some of others. */
function mostSuitesOf(row: string): number {
  if (isMmaRow(row) || row.startsWith('wmma.mma.') || lookups.has(row)) return 1;
  // Their sums are in f32, which each lane makes exact.
  return row === 'redux.sync.f32' ? 2 : 5;
}

const lookups = new Set<string>(textureRows.map(({ name }) => name));

/** `count` of a list, evenly spread, from `start` on, round the end. */
function spread<T>(list: readonly T[], count: number, start: number): T[] {
  if (list.length <= count) return [...list];
  const places = Array.from({ length: count }, (_, index) => Math.floor((index * list.length) / count) + start);
  const chosen = new Set(places.map((place) => place % list.length));
  return list.filter((_, index) => chosen.has(index));
}

/** Of each row a few kernels, and of each kernel a few suites: others with another seed, so that all have their turn. */
export function briefGroups(groups: readonly SuiteGroup[], seed: number): SuiteGroup[] {
  const uses = groups.flatMap((group) =>
    [...new Set(group.suites.map(({ row }) => row))].map((row) => ({ row, group })),
  );
  const kernels = groupBy(uses, ({ row }) => row);
  const chosen = new Set(
    [...kernels].flatMap(([row, own]) => spread(own, mostKernelsOf(row), seed).map(({ group }) => group)),
  );
  // When all kernels of a row have had their turn, other suites have theirs.
  const roundOf = (row: string): number => Math.floor(seed / (kernels.get(row)?.length ?? 1));
  return groups.filter((group) => chosen.has(group)).map((group) => withFewer(group, roundOf));
}

function withFewer(group: SuiteGroup, roundOf: (row: string) => number): SuiteGroup {
  const rows = groupBy(group.suites, ({ row }) => row);
  const suites = [...rows].flatMap(([row, own]) => {
    const most = Math.max(1, Math.floor(mostSuitesOf(row) / rows.size));
    return spread(own, most, roundOf(row));
  });
  return { ...group, suites };
}
