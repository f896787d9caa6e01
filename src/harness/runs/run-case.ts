// Runs case files: each launch on each executor, compared with the case's `expect`, with the CPU
// reference, and with the other executors.

import type { Launch, LaunchOutputs } from '../../base/launch.ts';
import type { Answer } from '../compare/answers.ts';
import {
  type CompareOptions,
  type Comparison,
  compareOutputs,
  expectedOutputs,
  isUnspecified,
  type Mismatch,
} from '../compare/compare.ts';
import { comparePrinted, type PrintedComparison } from '../compare/compare-printed.ts';
import { elementAnswers } from '../compare/element-answers.ts';
import { type ExecutorRun, isNative, type KernelExecutor, onText, type RunOptions } from '../executors/executor.ts';
import { type Failure, failureOf } from './failure.ts';
import type { FirstMismatch, Result } from './results.ts';

/** Options of `runCase`. */
export interface RunCaseOptions {
  /** The time limit of a launch in milliseconds. */
  readonly timeoutMs?: number;
  /** The optimization level of the native compiler, as in `RunOptions`. */
  readonly optimize?: number;
  /**
   * The executor that computes the reference. The default is the `cpu` executor of the list. If the
   * list contains none, the current thread interprets the launch, without a time limit.
   */
  readonly reference?: KernelExecutor;
  /** Whether the reference returns counters, as in `RunOptions`. */
  readonly counters?: boolean;
  /** Whether messages contain ANSI colors. */
  readonly color?: boolean;
  /** The path of the case file, for the command that repeats the run. */
  readonly path?: string;
  /** Further options for the command that repeats the run. */
  readonly reproduceWith?: string;
}

/** The outcome of a launch on an executor or the reference: outputs, or a failure. */
interface Outcome {
  readonly name: string;
  readonly run: ExecutorRun | undefined;
  readonly failure: Failure | undefined;
}

/**
 * Runs a launch on each executor. Compares the results with `expect` and the CPU reference. If
 * neither defines a buffer, compares the results with each other. Does not throw for an invalid
 * case or a failing device: the result of that executor contains the error.
 */
export async function runCase(
  launch: Launch,
  executors: readonly KernelExecutor[],
  options: RunCaseOptions = {},
): Promise<Result[]> {
  const given = options.reference ?? executors.find(({ name }) => name === 'cpu');
  // Load the interpreter only if this thread interprets the launch.
  const interpreter = given ?? (await import('../executors/cpu-executor.ts')).cpuExecutor();
  const start = (): Promise<ExecutorRun> => interpreter.run(launch, runOptions(options));
  // The reference usually interprets in its own thread. During this time, the other executors,
  // which share a GPU, run one after the other.
  const interpreting = outcomeOf('the CPU reference', start, options);
  const outcomes = new Map<KernelExecutor, Outcome>();
  for (const executor of executors) {
    const isReference = executor.name === 'cpu';
    const outcome = isReference
      ? { ...(await interpreting), name: 'cpu' }
      : await outcomeOf(executor.name, () => executor.run(launch, runOptions(options)), options);
    outcomes.set(executor, outcome);
  }
  const reference = await interpreting;
  return [...outcomes].map(([executor, outcome]) => {
    const base = { id: launch.id, executor: executor.describe(), cases: 1 };
    const { run, failure } = outcome;
    if (launch.fails !== undefined)
      return { ...base, ...judgeFailure(launch.fails, outcome, executor), ms: run?.ms ?? 0 };
    if (!run) return { ...base, ...nothing, ...(failure ?? unexplained), ms: 0 };
    const judged = judgeRun(launch, run, outcome, [...outcomes.values()], reference, {
      ...options,
      on: onText(base.executor),
    });
    return { ...base, ...judged, ...printedOf(run), ms: run.ms };
  });
}

/** Returns the printed text of a run, for a result. */
const printedOf = ({ printed }: ExecutorRun): Pick<Result, 'printed'> =>
  printed && printed.texts.length > 0 ? { printed: printed.texts.join('') } : {};

/**
 * Judges a launch that must fail with a certain message. The native driver reports a failed
 * assertion without its text.
 */
function judgeFailure(wanted: string, { failure }: Outcome, executor: KernelExecutor): Judged {
  const said = failure?.message ?? '';
  const agrees = isNative(executor.name) ? /\bassert/.test(said) : said.includes(wanted);
  if (failure && agrees) return { ...nothing, compared: 1, status: 'pass', errorKind: undefined, message: said };
  if (failure && failure.errorKind !== 'failed') return { ...nothing, ...failure };
  const first = { expected: wanted, got: failure ? said : 'no failure' };
  return { ...nothing, compared: 1, mismatches: 1, first, status: 'fail', errorKind: undefined, message: said };
}

const nothing = { compared: 0, undefined: 0, mismatches: 0, first: undefined } as const;
const unexplained: Failure = { status: 'error', errorKind: 'other', message: 'the executor returned no result' };

async function outcomeOf(name: string, start: () => Promise<ExecutorRun>, { color }: RunCaseOptions): Promise<Outcome> {
  try {
    return { name, run: await start(), failure: undefined };
  } catch (error) {
    return { name, run: undefined, failure: failureOf(error, color === true) };
  }
}

function runOptions({ timeoutMs, optimize, counters = false }: RunCaseOptions): RunOptions {
  const limits = { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(optimize === undefined ? {} : { optimize }) };
  return { ...limits, counters };
}

interface JudgeOptions extends RunCaseOptions {
  /** The value of `--on` for the executor. */
  readonly on: string;
}

type Judged = Pick<Result, 'status' | 'compared' | 'undefined' | 'mismatches' | 'first' | 'message' | 'errorKind'>;

/**
 * Judges a run. `expect` takes precedence over the reference. If the run is that of the reference,
 * it must also agree with `expect`.
 */
function judgeRun(
  launch: Launch,
  run: ExecutorRun,
  judged: Outcome,
  outcomes: readonly Outcome[],
  reference: Outcome,
  options: JudgeOptions,
): Judged {
  const expected = expectedOutputs(launch);
  const { undefinedMasks, writers } = reference.run ?? {};
  const known: CompareOptions = { ...(undefinedMasks ? { undefinedMasks } : {}), ...(writers ? { writers } : {}) };
  const fromReference = judged.name === 'cpu' ? undefined : reference.run?.outputs;
  const comparedWith = fromReference ?? otherOutputs(judged, outcomes);
  const wanted: LaunchOutputs = new Map([...(comparedWith ?? []), ...expected]);
  const comparison = compareOutputs(launch, wanted, run.outputs, known);
  const lines = comparePrintedOf(launch, run, reference.run, judged.name);
  const notes = [...(run.note ? [run.note] : [])];
  if (run.printed && run.printed.dropped > 0)
    notes.push(`${run.printed.dropped} texts were dropped because the buffer was full`);
  if (reference.failure) notes.push(`not compared with the CPU reference: ${reference.failure.message}`);
  if (comparison.partial > 0) notes.push(partialNote(comparison.partial));
  const disagreement = fromReference ? compareOutputs(launch, expected, fromReference, known) : undefined;
  const disputed = (disagreement?.mismatches ?? 0) > 0;
  if (disputed) notes.push(`the CPU reference itself differs from \`expect\` (${summary(disagreement?.first)})`);
  if (comparison.compared + (lines?.compared ?? 0) === 0) {
    notes.push(`nothing to compare: ${whyNothing(launch, wanted)}`);
    const errorKind = reference.failure?.errorKind ?? 'other';
    return { ...counts(comparison), status: 'error', errorKind, first: undefined, message: notes.join('\n') };
  }
  const failed = comparison.mismatches + (lines?.mismatches ?? 0) > 0 || disputed;
  const { first } = comparison;
  return {
    ...counts(comparison, lines),
    status: failed ? 'fail' : 'pass',
    errorKind: undefined,
    first:
      lines?.first && !first
        ? { element: 'a printed line', ...lines.first }
        : first && {
            ...firstOf(first, launch, options),
            ...elementAnswers(launch, first, wanted, withReference(outcomes, reference)),
          },
    message: notes.join('\n'),
  };
}

function whyNothing({ params }: Launch, wanted: LaunchOutputs): string {
  if (wanted.size === 0) return 'the case has no `expect`';
  const isOpen = [...wanted.keys()].every((index) => isUnspecified(params[index]));
  return isOpen ? 'the case leaves every buffer unspecified (`"expect": "any"`)' : 'PTX leaves every element undefined';
}

const partialNote = (count: number): string =>
  `PTX leaves some bits of ${count === 1 ? 'an element' : `${count} elements`} undefined: only the others were compared`;

/**
 * Returns the outputs of the first other executor that ran. They are compared with if there is no
 * reference.
 */
function otherOutputs(judged: Outcome, outcomes: readonly Outcome[]): LaunchOutputs | undefined {
  return outcomes.find(({ name, run }) => name !== judged.name && run)?.run?.outputs;
}

/**
 * Returns the answers of all executors that ran, and of the reference. The executor `cpu` is the
 * reference, so it counts only once.
 */
function withReference(outcomes: readonly Outcome[], reference: Outcome): Answer[] {
  const all = outcomes.some(({ name }) => name === 'cpu') ? outcomes : [...outcomes, reference];
  return all.flatMap(({ name, run }) => (run ? [{ name, outputs: run.outputs }] : []));
}

function counts({ compared, undefined: undefinedCount, mismatches }: Comparison, lines?: PrintedComparison) {
  const all = { compared: compared + (lines?.compared ?? 0), mismatches: mismatches + (lines?.mismatches ?? 0) };
  return { ...all, undefined: undefinedCount };
}

/**
 * Compares the printed lines with those that the case expects, or otherwise with those of the
 * reference. Returns undefined if neither is known.
 */
function comparePrintedOf(
  { prints }: Launch,
  run: ExecutorRun,
  reference: ExecutorRun | undefined,
  name: string,
): PrintedComparison | undefined {
  const wanted = prints ?? (name === 'cpu' ? undefined : reference?.printed?.texts);
  return wanted && run.printed && comparePrinted(wanted, run.printed);
}

function summary(mismatch: Mismatch | undefined): string {
  return mismatch ? `${mismatch.param}[${mismatch.index}]: ${mismatch.expected}, got ${mismatch.got}` : '';
}

/** Returns the bits, followed by the number if the type is numeric. */
const withValue = (bits: string, value: string): string => (value === bits ? bits : `${bits} (${value})`);

function firstOf(
  { param, index, expected, got, expectedValue, gotValue, writer }: Mismatch,
  { id }: Launch,
  { path, on, reproduceWith }: JudgeOptions,
): FirstMismatch {
  const more = reproduceWith ? ` ${reproduceWith}` : '';
  return {
    element: `${param}[${index}]`,
    expected: withValue(expected, expectedValue),
    got: got === '' ? 'no output' : withValue(got, gotValue),
    ...(writer ? { block: writer.block.join(','), warp: writer.warp, lane: writer.lane } : {}),
    reproduce: `npx lanewise run ${path ?? id} --on ${on}${more}`,
  };
}
