// Some suites of every instruction, for adapters on which compiling all of them takes minutes.
import { groupBy } from '../../base/group-by.ts';
import { isMmaRow, warpRows } from '../../isa/index.ts';
import type { SuiteGroup } from './types.ts';

/// Instructions of a warp that exchange single values: two kernels each. Of all others, whose shaders are long (matrices, images, asynchronous
/// copies) or which look at no other lane, one has its turn.
const exchanges = new Set<string>(warpRows.flatMap(({ name }) => (isMmaRow(name) ? [] : [name])));
const mostKernelsOf = (row: string): number => (exchanges.has(row) ? 2 : 1);

/// Suites of a kernel; more where that many rows share one.
const mostSuites = 6;

/// `count` of a list, evenly spread, from `start` on, round the end.
function spread<T>(list: readonly T[], count: number, start: number): T[] {
  if (list.length <= count) return [...list];
  const places = Array.from({ length: count }, (_, index) => Math.floor((index * list.length) / count) + start);
  const chosen = new Set(places.map((place) => place % list.length));
  return list.filter((_, index) => chosen.has(index));
}

/// Of each row a few kernels, and of each kernel a few suites: others with another seed, so that all have their turn.
export function briefGroups(groups: readonly SuiteGroup[], seed: number): SuiteGroup[] {
  const uses = groups.flatMap((group) =>
    [...new Set(group.suites.map(({ row }) => row))].map((row) => ({ row, group })),
  );
  const chosen = new Set(
    [...groupBy(uses, ({ row }) => row).values()].flatMap((own) =>
      spread(own, mostKernelsOf(own[0]?.row ?? ''), seed).map(({ group }) => group),
    ),
  );
  return groups.filter((group) => chosen.has(group)).map((group) => withFewer(group, seed));
}

function withFewer(group: SuiteGroup, seed: number): SuiteGroup {
  const rows = [...groupBy(group.suites, ({ row }) => row).values()];
  const share = Math.max(1, Math.floor(mostSuites / rows.length));
  return { ...group, suites: rows.flatMap((suites) => spread(suites, share, seed)) };
}
