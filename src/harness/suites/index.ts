// The registry of validation suites, and the launches for a selection of them.
import { alignUp } from '../../base/align.ts';
import { asyncGroups } from './async/async-suites.ts';
import { briefGroups } from './brief-selection.ts';
import { exampleGroups } from './examples.ts';
import { querySuiteGroups } from './image/query-suites.ts';
import { surfaceSuiteGroups } from './image/surface-suites.ts';
import { textureSuiteGroups } from './image/texture-suites.ts';
import { matrixAccessGroups } from './matrix/access-suites.ts';
import { productGroups } from './matrix/product-suites.ts';
import { warpgroupGroups } from './matrix/warpgroup-suites.ts';
import { mayMatchRow, type Selection, selectSuites } from './query.ts';
import { laneFamilyGroups } from './rows/lane-families.ts';
import { rowSuiteGroups } from './rows/row-suites.ts';
import { shuffleSweepGroups } from './shuffle-sweep.ts';
import { specialRegisterGroups } from './special-registers.ts';
import { boxSuiteGroups } from './tensor/box-suites.ts';
import { mapSuiteGroups } from './tensor/map-suites.ts';
import type { Batch, Choice, Suite, SuiteGroup } from './types.ts';
import { warpBarrierGroups } from './warp-barrier.ts';
import { wmmaSuiteGroups } from './wmma-suites.ts';

export { sentinel } from './geometry.ts';
export { QueryError } from './query.ts';
export { freshSeed } from './random.ts';
export {
  type Batch,
  type ExecutorSums,
  hex,
  type NativeNote,
  roleNames,
  type Slot,
  type Suite,
  state,
} from './types.ts';

/** Groups that do not take long to build, before and after those of the lane families. */
let known: { readonly before: readonly SuiteGroup[]; readonly after: readonly SuiteGroup[] } | undefined;

/** Returns all groups. The result is cached. */
export const suiteGroups = (): readonly SuiteGroup[] => groupsOfRows(() => true);

/**
 * Returns the groups, without those of lane families in which no row is wanted. Building the groups
 * of the lane families takes several times as long as building all other groups.
 */
function groupsOfRows(isWanted: (row: string) => boolean): readonly SuiteGroup[] {
  known ??= {
    before: [...shuffleSweepGroups(), ...rowSuiteGroups()],
    after: [
      ...productGroups(),
      ...matrixAccessGroups(),
      ...wmmaSuiteGroups(),
      ...warpgroupGroups(),
      ...asyncGroups(),
      ...boxSuiteGroups(),
      ...mapSuiteGroups(),
      ...textureSuiteGroups(),
      ...surfaceSuiteGroups(),
      ...querySuiteGroups(),
      ...warpBarrierGroups(),
      ...specialRegisterGroups(),
      ...exampleGroups(),
    ],
  };
  return [...known.before, ...laneFamilyGroups(isWanted), ...known.after];
}

/**
 * Returns the groups from which queries may select. Without queries, returns the groups of a
 * default run. Throws `QueryError` for an invalid query.
 */
export function groupsFor(queries: readonly string[], exhaustive = false): readonly SuiteGroup[] {
  if (queries.length > 0) return groupsOfRows(mayMatchRow(queries));
  return suiteGroups().filter(({ onlyAsked }) => exhaustive || !onlyAsked);
}

const suitesIn = (groups: readonly SuiteGroup[]): Suite[] => groups.flatMap(({ suites }) => suites);

/**
 * Returns the suites of groups that queries select. Throws `QueryError` for a query that selects
 * nothing.
 */
export const selectFrom = (groups: readonly SuiteGroup[], queries: readonly string[]): Selection =>
  selectSuites(suitesIn(groups), queries, () => suitesIn(suiteGroups()));

/** A planned launch: the selected suites of one group, and the cases to compare. */
export interface PlannedLaunch {
  readonly suites: readonly Suite[];
  readonly choice: Choice;
  /** The number of the single selected case (`#17`), or undefined for all cases. */
  readonly only: number | undefined;
  /** The name of the kernel. Launches of the same kernel have equal names. */
  readonly kernel: string;
  /** The cost of one instruction in one warp, in the unit of `SuiteGroup.cost`. */
  readonly cost: number;
  build(): Batch;
  /**
   * Returns launches of the same cases with a separate kernel for each suite, to locate a failure.
   */
  split(): PlannedLaunch[];
}

export interface PlanOptions {
  readonly queries: readonly string[];
  readonly seed: number;
  readonly exhaustive: boolean;
  /**
   * Whether to select only some suites of every instruction. Each seed selects different suites.
   */
  readonly brief?: boolean;
}

/**
 * Returns the launches of a run, in order. Throws `QueryError` for a query that selects nothing.
 */
export function planLaunches({ queries, seed, exhaustive, brief = false }: PlanOptions): PlannedLaunch[] {
  const all = groupsFor(queries, exhaustive);
  const groups = brief ? briefGroups(all, seed) : all;
  const selection = selectFrom(groups, queries);
  const isSelected = ({ suites }: SuiteGroup) => suites.some(({ id }) => selection.suites.has(id));
  return groups
    .filter(isSelected)
    .flatMap((group) => [...wholeSuites(group, selection, seed, exhaustive), ...singleCases(group, selection, seed)]);
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

/**
 * Returns launches of the block with the selected case, without the kernel's other instructions.
 */
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

/** Returns the number of a case in its suite, as used in `#17`. */
export function caseNumber(suite: Suite, warp: number, variant: number): number {
  return warp * suite.variants + variant;
}
