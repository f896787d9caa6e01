// The lanes of a failed case: the form in results, and a table for a page.

/**
 * Whether a lane executes the instruction. `idle` lanes execute other code or have a false guard.
 * `absent` lanes are after the end of the block.
 */
export type LaneRole = 'executes' | 'idle' | 'exited' | 'absent';

/** The comparison of a result with the reference. `undefined`: PTX does not define the result. */
export type LaneVerdict = 'agrees' | 'differs' | 'undefined';

/** One result of one lane, as hexadecimal bits. */
export interface LaneOutcome {
  /** The result of the reference, or the text `undefined` if PTX does not define it. */
  readonly expected: string;
  /** The result of the executor, or `nothing written`. */
  readonly got: string;
  /** The comparison of the two. */
  readonly verdict: LaneVerdict;
}

/** One lane of a case that differs. */
export interface LaneRow {
  /** The number of the lane, from 0 to 31. */
  readonly lane: number;
  /** Whether the lane executes the instruction, is inactive, has exited, or is absent. */
  readonly role: LaneRole;
  /**
   * Whether the lane's own membermask includes the lane. Absent for an instruction without a
   * membermask.
   */
  readonly member?: boolean;
  /** The operands by name, as text. */
  readonly operands: Readonly<Record<string, string>>;
  /** The results by destination (`d`, `p`); empty for an absent lane. */
  readonly results: Readonly<Record<string, LaneOutcome>>;
}

/** One warp's execution of one instruction whose results differ from the reference. */
export interface CaseLanes {
  /** The query of the case, such as `shfl.sync:up:register#17`. */
  readonly case: string;
  /** The instruction in PTX. */
  readonly instruction: string;
  /** The linear number of the block. */
  readonly block: number;
  /** The number of the warp in its block. */
  readonly warp: number;
  /** All 32 lanes, in order. */
  readonly lanes: readonly LaneRow[];
}

/**
 * The maximum number of failed cases per suite that are stored with their lanes. The first cases
 * are stored.
 */
export const keptCases = 2;

/**
 * The sign of each verdict. Each verdict has its own sign, so that color is never the only
 * distinction.
 */
const verdictSigns: Readonly<Record<LaneVerdict, string>> = { agrees: '✓', differs: '✗', undefined: '·' };

const roleTexts: Readonly<Record<LaneRole, string>> = {
  executes: 'yes',
  idle: 'no',
  exited: 'exited',
  absent: 'not in the block',
};

export interface TableCell {
  readonly text: string;
  /** The verdict, in cells that contain a result. */
  readonly verdict?: LaneVerdict;
}

export interface LaneTable {
  /**
   * The line above the table, such as
   * `shfl.sync:up:register#17, block 0, warp 1: 3 of 62 lane results differ`.
   */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly differs: boolean; readonly cells: readonly TableCell[] }[];
}

/** A run of the case on one executor. `on` is empty if only one executor ran the case. */
export interface CaseRun {
  readonly on: string;
  readonly failing: CaseLanes;
}

/**
 * Groups runs of the same case with the same operands and expected results. The groups are in the
 * order of their first runs.
 */
export function groupRuns(runs: readonly CaseRun[]): CaseRun[][] {
  const groups = new Map<string, CaseRun[]>();
  for (const run of runs) {
    const given = run.failing.lanes.map(({ role, operands, results }) => [
      role,
      operands,
      Object.entries(results).map(([name, { expected }]) => [name, expected]),
    ]);
    const key = JSON.stringify([run.failing.case, given]);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()];
}

/**
 * Returns a table with one row per lane. A row contains the lane's number, its role, whether it is
 * in the membermask, and its operands. For each destination, it contains the expected value, then
 * the value and verdict of each run. All `runs` must be of one case.
 */
export function laneTable(runs: readonly [CaseRun, ...CaseRun[]]): LaneTable {
  const [{ failing }] = runs;
  const { case: query, block, warp, lanes } = failing;
  const present = lanes.filter(({ role }) => role !== 'absent');
  const operands = [...new Set(present.flatMap((row) => Object.keys(row.operands)))];
  const results = [...new Set(present.flatMap((row) => Object.keys(row.results)))];
  const hasMask = present.some(({ member }) => member !== undefined);
  const suffix = (on: string): string => (runs.length > 1 ? `, ${on}` : '');
  return {
    caption: `${query}, block ${block}, warp ${warp}: ${runs.map(differenceText).join('; ')}`,
    columns: [
      'lane',
      'active',
      ...(hasMask ? ['in membermask'] : []),
      ...operands,
      ...results.flatMap((name) => [
        `${name} expected`,
        ...runs.flatMap(({ on }) => [`${name} got${suffix(on)}`, `${name} agrees${suffix(on)}`]),
      ]),
    ],
    rows: lanes.map(({ lane, role, member, operands: values, results: outcomes }, index) => {
      const each = runs.map((run) => run.failing.lanes[index]?.results ?? {});
      return {
        differs: each.some((own) => Object.values(own).some(({ verdict }) => verdict === 'differs')),
        cells: [
          { text: String(lane) },
          { text: roleTexts[role] },
          ...(hasMask ? [{ text: member === undefined ? '' : member ? 'yes' : 'no' }] : []),
          ...operands.map((name) => ({ text: values[name] ?? '' })),
          ...results.flatMap((name) => [
            expectedCell(outcomes[name]),
            ...each.flatMap((own) => outcomeCells(own[name])),
          ]),
        ],
      };
    }),
  };
}

function differenceText({ on, failing }: CaseRun): string {
  const verdicts = failing.lanes.flatMap(({ results }) => Object.values(results).map(({ verdict }) => verdict));
  const compared = verdicts.filter((verdict) => verdict !== 'undefined').length;
  const different = verdicts.filter((verdict) => verdict === 'differs').length;
  return `${different} of ${compared} lane results differ${on === '' ? '' : ` on ${on}`}`;
}

function expectedCell(outcome: LaneOutcome | undefined): TableCell {
  if (!outcome) return { text: '' };
  return outcome.verdict === 'undefined'
    ? { text: outcome.expected, verdict: 'undefined' }
    : { text: outcome.expected };
}

function outcomeCells(outcome: LaneOutcome | undefined): TableCell[] {
  if (!outcome) return [{ text: '' }, { text: '' }];
  const { got, verdict } = outcome;
  return [got, `${verdictSigns[verdict]} ${verdict}`].map((text) => ({ text, verdict }));
}
