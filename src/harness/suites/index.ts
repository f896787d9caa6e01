// Every validation suite, and the launches that a selection of them takes.
import { alignUp } from '../../base/align.ts';
import { asyncGroups } from './async/async-suites.ts';
import { briefGroups } from './brief-selection.ts';
import { exampleGroups } from './examples.ts';
import { querySuiteGroups } from './image/query-suites.ts';
import { surfaceSuiteGroups } from './image/surface-suites.ts';
import { textureSuiteGroups } from './image/texture-suites.ts';
import { matrixAccessGroups } from './matrix/access-suites.ts';
import { productGroups } from './matrix/product-suites.ts';
import { type Selection, selectSuites } from './query.ts';
import { laneFamilyGroups } from './rows/lane-families.ts';
import { rowSuiteGroups } from './rows/row-suites.ts';
import { shuffleSweepGroups } from './shuffle-sweep.ts';
import { specialRegisterGroups } from './special-registers.ts';
import type { Batch, Choice, Suite, SuiteGroup } from './types.ts';
import { warpBarrierGroups } from './warp-barrier.ts';
import { wmmaSuiteGroups } from './wmma-suites.ts';

export { sentinel } from './geometry.ts';
export { QueryError } from './query.ts';
export { freshSeed } from './random.ts';
export { type Batch, hex, type NativeNote, roleNames, type Slot, type Suite, state } from './types.ts';

let known: readonly SuiteGroup[] | undefined;

/** The same ones each time: to make all of them takes a while. */
export function suiteGroups(): readonly SuiteGroup[] {
  known ??= [
    ...shuffleSweepGroups(),
    ...rowSuiteGroups(),
    ...laneFamilyGroups(),
    ...productGroups(),
    ...matrixAccessGroups(),
    ...wmmaSuiteGroups(),
    ...asyncGroups(),
    ...textureSuiteGroups(),
    ...surfaceSuiteGroups(),
    ...querySuiteGroups(),
    ...warpBarrierGroups(),
    ...specialRegisterGroups(),
    ...exampleGroups(),
  ];
  return known;
}

/** The groups that queries may select from; without queries, those of a run by default. */
export function groupsFor(queries: readonly string[], exhaustive = false): SuiteGroup[] {
  const all = exhaustive || queries.length > 0;
  return suiteGroups().filter(({ onlyAsked }) => all || !onlyAsked);
}

/** A launch to come: suites of one group and the cases of them to compare. */
export interface PlannedLaunch {
  readonly suites: readonly Suite[];
  readonly choice: Choice;
  /** The single case asked for (`#17`), or undefined for all. */
  readonly only: number | undefined;
  /** Launches of the same kernel have the same name here. */
  readonly kernel: string;
  /** Of an instruction in a warp, as `SuiteGroup.cost`. */
  readonly cost: number;
  build(): Batch;
  /** The same cases in a kernel for each suite: to tell which of several a failure belongs to. */
  split(): PlannedLaunch[];
}

export interface PlanOptions {
  readonly queries: readonly string[];
  readonly seed: number;
  readonly exhaustive: boolean;
  /** Some suites of every instruction only; other ones with another seed. */
  readonly brief?: boolean;
}

/** The launches of a run, in order. Throws `QueryError` for a query that selects nothing. */
export function planLaunches({ queries, seed, exhaustive, brief = false }: PlanOptions): PlannedLaunch[] {
  const all = groupsFor(queries, exhaustive);
  const groups = brief ? briefGroups(all, seed) : all;
  const selection = selectSuites(
    groups.flatMap(({ suites }) => suites),
    queries,
  );
  return groups.flatMap((group) => [
    ...wholeSuites(group, selection, seed, exhaustive),
    ...singleCases(group, selection, seed),
  ]);
}

function wholeSuites(group: SuiteGroup, selection: Selection, seed: number, exhaustive: boolean): PlannedLaunch[] {
  const suites = group.suites.filter(({ id }) => selection.suites.get(id) === 'all');
  if (suites.length === 0) return [];
  const total = alignUp(exhaustive ? group.warps.exhaustive : group.warps.sample, group.blockWarps);
  const step = alignUp(group.launchWarps, group.blockWarps);
  const launches: PlannedLaunch[] = [];
  for (let firstWarp = 0; firstWarp < total; firstWarp += step) {
    const warps = Math.min(step, total - firstWarp);
    launches.push(planned(group, suites, { variant: undefined, firstWarp, warps, seed }, undefined));
  }
  return launches;
}

/** The block that holds the case, with the kernel's other instructions left out. */
function singleCases(group: SuiteGroup, selection: Selection, seed: number): PlannedLaunch[] {
  return group.suites.flatMap((suite) => {
    const cases = selection.suites.get(suite.id);
    if (cases === undefined || cases === 'all') return [];
    return [...cases].map((index) => {
      const warp = Math.floor(index / suite.variants);
      const firstWarp = warp - (warp % group.blockWarps);
      const variant = suite.variants === 1 ? undefined : index % suite.variants;
      return planned(group, [suite], { variant, firstWarp, warps: group.blockWarps, seed }, index);
    });
  });
}

function planned(
  group: SuiteGroup,
  suites: readonly Suite[],
  choice: Omit<Choice, 'ids'>,
  only: number | undefined,
): PlannedLaunch {
  const whole: Choice = { ...choice, ids: new Set(suites.map(({ id }) => id)) };
  return {
    suites,
    choice: whole,
    only,
    kernel: group.kernel ?? suites[0]?.id ?? '',
    cost: group.cost ?? 1,
    build: () => group.build(whole),
    split: () => suites.map((suite) => planned(group, [suite], choice, only)),
  };
}

/** The number of a case in its suite, as `#17` says it. */
export function caseNumber(suite: Suite, warp: number, variant: number): number {
  return warp * suite.variants + variant;
}
