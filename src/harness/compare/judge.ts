// Compares the outputs of a launch with the expectations of its suites, lane by lane.

import { launchThreads, threadsOfWarp, warpNumbers, warpsOf } from '../suites/geometry.ts';
import { type Batch, caseNumber, type ExecutorSums, type Slot, type Suite, state } from '../suites/index.ts';
import { type Answer, agreementOf } from './answers.ts';
import { type AnswerWords, caseLanes, expectedText, isRight, textOf } from './case-lanes.ts';
import { type CaseLanes, keptCases } from './lane-table.ts';
import { countObserved, joinObserved, kindOf, type Observed, type ObservedCounter } from './observed.ts';

/** One lane's result that differs from the reference. */
export interface LaneMismatch {
  /** The query of the single case, such as `shfl.sync:up:register#17`. */
  readonly case: string;
  /** The instruction in PTX. */
  readonly instruction: string;
  /** The destination operand. */
  readonly result: string;
  readonly block: number;
  /** The number of the warp in its block. */
  readonly warp: number;
  readonly lane: number;
  readonly operands: Readonly<Record<string, string>>;
  /**
   * The expected bits, in hexadecimal. `got` may also state that a lane wrote a word that it must
   * leave untouched.
   */
  readonly expected: string;
  readonly got: string;
  /**
   * The values of the other executors, and a sentence that names those that agree. Both are absent
   * if there are no other executors.
   */
  readonly others?: Readonly<Record<string, string>>;
  readonly agreement?: string;
}

export interface Tally {
  readonly cases: number;
  /** The numbers of lane results: compared, undefined in PTX, and different. */
  readonly compared: number;
  readonly undefined: number;
  readonly mismatches: number;
  readonly first: LaneMismatch | undefined;
  /**
   * The first cases with a mismatch, at most `keptCases`. The first of them is the case of `first`.
   */
  readonly lanes: readonly CaseLanes[];
  /** The observed values of undefined lane results. */
  readonly observed: Observed;
}

export const emptyTally: Tally = {
  cases: 0,
  compared: 0,
  undefined: 0,
  mismatches: 0,
  first: undefined,
  lanes: [],
  observed: {},
};

/** The answer of an executor that ran the launch of a batch. */
export interface SuiteAnswer extends Answer, ExecutorSums {
  /**
   * Whether the executor is native hardware. If PTX leaves a suite's results to the hardware,
   * native results are not compared.
   */
  readonly native: boolean;
}

export interface JudgeOptions {
  /** The number of the only case to compare; undefined for all cases. */
  readonly only: number | undefined;
  /** The answers of all executors, including the judged one. */
  readonly answers: readonly SuiteAnswer[];
}

/**
 * Compares the judged answer with the expectations. Returns a tally for each suite of the batch.
 */
export function judge(batch: Batch, judged: SuiteAnswer, { only, answers }: JudgeOptions): Map<Suite, Tally> {
  const own = wordsOfAnswer(judged);
  const all = answers.map((answer) => (answer === judged ? own : wordsOfAnswer(answer)));
  const tallies = new Map<Suite, Tally>();
  for (const slot of batch.slots) {
    const before = tallies.get(slot.suite);
    const tally = judgeSlot(batch, slot, own, all, only, before?.lanes ?? []);
    tallies.set(slot.suite, before ? joinTallies(before, tally) : tally);
  }
  return tallies;
}

/** Adds two tallies. The first mismatch of `a` precedes the first mismatch of `b`. */
export function joinTallies(a: Tally, b: Tally): Tally {
  return {
    cases: a.cases + b.cases,
    compared: a.compared + b.compared,
    undefined: a.undefined + b.undefined,
    mismatches: a.mismatches + b.mismatches,
    first: a.first ?? b.first,
    lanes: [...a.lanes, ...b.lanes].slice(0, keptCases),
    observed: joinObserved(a.observed, b.observed),
  };
}

function wordsOfAnswer({ name, native, matrix, outputs }: SuiteAnswer): AnswerWords {
  const words = new Map([...outputs].map(([param, bytes]) => [param, wordsOf(bytes)]));
  return {
    name,
    native,
    matrix,
    wordOf: ({ param, stride, offset }, thread) => words.get(param)?.[thread * stride + offset],
    wordsOf: (param) => words.get(param),
  };
}

function judgeSlot(
  batch: Batch,
  slot: Slot,
  judged: AnswerWords,
  all: readonly AnswerWords[],
  only: number | undefined,
  kept: readonly CaseLanes[],
): Tally {
  let cases = 0;
  let compared = 0;
  let undefinedLanes = 0;
  let mismatches = 0;
  let first: LaneMismatch | undefined;
  const lanes: CaseLanes[] = [];
  const observed: ObservedCounter = {};
  const leftToHardware = judged.native && slot.suite.native !== undefined;
  const isFirstResult =
    batch.slots.find(({ suite, variant }) => suite === slot.suite && variant === slot.variant) === slot;
  const { state: states, expected, stride, offset } = slot;
  const words = judged.wordsOf(slot.param);
  const { block, warps } = batch.geometry;
  const isWhole = only === undefined && !leftToHardware && warps % warpsOf(block) === 0;
  if (isWhole && words && isAsExpected(slot, words, launchThreads(batch.geometry))) {
    return { ...emptyTally, cases: isFirstResult ? warps : 0, compared: launchThreads(batch.geometry) };
  }
  for (const warp of warpNumbers(batch.geometry)) {
    if (only !== undefined && caseNumber(slot.suite, warp, slot.variant) !== only) continue;
    if (isFirstResult) cases++;
    const before = mismatches;
    const threads = threadsOfWarp(batch.geometry, warp);
    for (let lane = 0; lane < threads.lanes; lane++) {
      const thread = threads.first + lane;
      const must = states[thread];
      const got = words?.[thread * stride + offset];
      // Most lanes have the expected word, so check this first.
      if (must === state.defined && !leftToHardware && got === expected[thread]) {
        compared++;
        continue;
      }
      if (must === state.undefined || leftToHardware) {
        undefinedLanes++;
        const { cause, ...values } = batch.undefinedLane?.(slot, warp, lane) ?? { cause: 'left to the hardware' };
        countObserved(observed, cause, kindOf(got, values, slot.expected[thread]));
        continue;
      }
      if (must !== state.untouched) compared++;
      if (isRight(slot, thread, got, judged)) continue;
      mismatches++;
      first ??= describe(batch, slot, warp, lane, thread, judged, all);
    }
    if (mismatches > before && kept.length + lanes.length < keptCases) {
      const failing = caseLanes(batch, slot, warp, judged);
      // A case that fails in both `d` and `p` is listed once.
      if (!kept.some((other) => other.case === failing.case)) lanes.push(failing);
    }
  }
  return {
    cases,
    compared,
    undefined: undefinedLanes,
    mismatches,
    first,
    lanes,
    observed,
  };
}

/** Whether every thread has a defined result and the right value, as in most suites. */
function isAsExpected(slot: Slot, words: Uint32Array, threads: number): boolean {
  const { state: states, expected, stride, offset } = slot;
  for (let thread = 0, at = offset; thread < threads; thread++, at += stride) {
    if (states[thread] !== state.defined || words[at] !== expected[thread]) return false;
  }
  return true;
}

function describe(
  batch: Batch,
  slot: Slot,
  warp: number,
  lane: number,
  thread: number,
  judged: AnswerWords,
  all: readonly AnswerWords[],
): LaneMismatch {
  const expected = expectedText(slot, thread);
  const got = textOf(judged.wordOf(slot, thread));
  // The answers are in the order of the executors.
  const answers = all
    .filter(({ native }) => !native || slot.suite.native === undefined)
    .map(({ name, wordOf }) => ({ name, value: textOf(wordOf(slot, thread)) }));
  const agreement = agreementOf([{ name: 'the reference', value: expected }, ...answers]);
  const others = answers.filter(({ name }) => name !== judged.name);
  const perBlock = warpsOf(batch.geometry.block);
  return {
    case: `${slot.suite.id}#${caseNumber(slot.suite, warp, slot.variant)}`,
    instruction: slot.instruction,
    result: slot.result,
    block: Math.floor((warp - batch.geometry.firstWarp) / perBlock),
    warp: (warp - batch.geometry.firstWarp) % perBlock,
    lane,
    operands: batch.describe(slot, warp, lane),
    expected,
    got,
    ...(others.length > 0 ? { others: Object.fromEntries(others.map(({ name, value }) => [name, value])) } : {}),
    ...(agreement ? { agreement } : {}),
  };
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, Math.floor(aligned.byteLength / 4));
}
