// Selects some suites of every instruction, for adapters that need minutes to compile all of them.
import { groupBy } from '../../base/group-by.ts';
import { textureRows, warpRows } from '../../isa/index.ts';
import { isMmaRow } from '../../isa/row-names.ts';
import type { SuiteGroup } from './types.ts';

/**
 * The warp instructions that exchange single values. A brief run includes two kernels of each of
 * them, and one kernel of every other row. The other rows either have long shaders (matrices,
 * images, asynchronous copies), or do not read other lanes.
 */
const exchanges = new Set<string>(warpRows.flatMap(({ name }) => (isMmaRow(name) ? [] : [name])));
const mostKernelsOf = (row: string): number => (exchanges.has(row) ? 2 : 1);

/**
 * Returns the maximum number of suites in a kernel of a row. It is one if a single instruction
 * needs a long shader (filtered textures, products of matrices).
 */
function mostSuitesOf(row: string): number {
  if (isMmaRow(row) || row.startsWith('wmma.mma.') || lookups.has(row)) return 1;
  // Each lane computes an exact f32 sum, which needs much code.
  return row === 'redux.sync.f32' ? 2 : 5;
}

const lookups = new Set<string>(textureRows.map(({ name }) => name));

/**
 * Returns `count` evenly spaced items of a list, beginning at `start`, and wrapping around at the
 * end.
 */
function spread<T>(list: readonly T[], count: number, start: number): T[] {
  if (list.length <= count) return [...list];
  const places = Array.from({ length: count }, (_, index) => Math.floor((index * list.length) / count) + start);
  const chosen = new Set(places.map((place) => place % list.length));
  return list.filter((_, index) => chosen.has(index));
}

/**
 * Selects a few kernels of each row, and a few suites of each kernel. Different seeds select
 * different suites, so that repeated runs eventually include all of them.
 */
export function briefGroups(groups: readonly SuiteGroup[], seed: number): SuiteGroup[] {
  const uses = groups.flatMap((group) =>
    [...new Set(group.suites.map(({ row }) => row))].map((row) => ({ row, group })),
  );
  const kernels = groupBy(uses, ({ row }) => row);
  const chosen = new Set(
    [...kernels].flatMap(([row, own]) => spread(own, mostKernelsOf(row), seed).map(({ group }) => group)),
  );
  // After all kernels of a row have been selected once, the next round selects other suites.
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
