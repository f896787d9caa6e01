// Differential fuzzing: runs generated kernels on the reference interpreter and on executors, and
// compares every register of every thread.
import type { Launch } from '../../base/launch.ts';
import type { MatrixMode } from '../../base/matrix-mode.ts';
import { isNative } from '../executors/executor.ts';
import { familiesOf } from './families.ts';
import { type Disagreement, type JudgeOptions, judgeKernel, launchOf, optimizerFlaw } from './judge.ts';
import { generateKernel } from './kernels/generate.ts';
import { shrink } from './kernels/shrink.ts';
import type { FuzzKernel } from './kernels/tree.ts';
import { bodyLines } from './print/print.ts';
import type { Subject } from './subject-names.ts';

export interface FuzzOptions extends JudgeOptions {
  readonly seed: number;
  /** The mode of matrix products on all executors; undefined if the modes differ. */
  readonly matrix?: MatrixMode | undefined;
  /** The instructions that every kernel contains. */
  readonly subject?: Subject | undefined;
  /** Draws a kernel. The default is `generateKernel`. */
  readonly draw?: (seed: number, index: number) => FuzzKernel;
  /** A pattern. Only kernels whose PTX matches the pattern are counted and judged. */
  readonly holding?: string;
  /** The number of the first kernel. Every `step`th kernel from there is used. */
  readonly first?: number;
  readonly step?: number;
  /**
   * The maximum numbers of kernels, of milliseconds, and of distinct failures. The run ends at the
   * first of these limits.
   */
  readonly count?: number;
  readonly ms?: number;
  readonly maxFailures?: number;
  /**
   * The number of kernels in progress at the same time. While one kernel runs on an adapter, the
   * next is translated.
   */
  readonly inFlight?: number;
  /** The time limit for shrinking one failure, in milliseconds. */
  readonly shrinkMs?: number;
  /** Called before every kernel. The result true stops the run. */
  readonly isStopped?: () => boolean;
  readonly onProgress?: (tally: FuzzTally) => void;
  readonly onFailure?: (failure: FuzzFailure) => void;
}

export interface FuzzTally {
  /** The number of compared kernels, and the number of dropped kernels for each reason. */
  readonly kernels: number;
  readonly dropped: Readonly<Record<string, number>>;
  /** The number of compared kernels that also ran natively. */
  readonly natively: number;
  /** The number of compared kernels with each family of instructions. */
  readonly families: Readonly<Record<string, number>>;
  /** The number of compared elements (registers of threads), over all executors. */
  readonly compared: number;
  readonly failures: number;
  /**
   * The numbers of the kernels that the native optimizer changed. They are also counted in
   * `dropped`.
   */
  readonly changed: readonly number[];
  /**
   * One more than the highest kernel number used. A run that continues this run has it as `first`.
   */
  readonly end: number;
}

export function sumOf(tallies: readonly FuzzTally[]): FuzzTally {
  const counts = (key: 'dropped' | 'families') => {
    const sums: Record<string, number> = {};
    for (const tally of tallies)
      for (const [name, count] of Object.entries(tally[key])) sums[name] = (sums[name] ?? 0) + count;
    return sums;
  };
  const total = (key: 'kernels' | 'natively' | 'compared' | 'failures') =>
    tallies.reduce((all, tally) => all + tally[key], 0);
  return {
    kernels: total('kernels'),
    natively: total('natively'),
    compared: total('compared'),
    failures: total('failures'),
    dropped: counts('dropped'),
    families: counts('families'),
    changed: tallies.flatMap(({ changed }) => changed).sort((a, b) => a - b),
    end: Math.max(0, ...tallies.map(({ end }) => end)),
  };
}

/**
 * A disagreement between executors, and the smallest kernel that was found with a similar
 * disagreement.
 */
export interface FuzzFailure {
  readonly seed: number;
  readonly index: number;
  readonly disagreement: Disagreement;
  readonly launch: Launch;
  readonly minimal: { readonly launch: Launch; readonly disagreement: Disagreement };
}

export interface FuzzResult extends FuzzTally {
  readonly found: readonly FuzzFailure[];
}

/**
 * The maximum number of failures of one kind that are shrunk. Failures of one kind may have
 * different causes, which only their minimal kernels show.
 */
const repeats = 5;

/**
 * The sanitizer checks the kernels whose numbers are multiples of this number. Its findings
 * indicate faults in the generator or the interpreter.
 */
const sanitizedEach = 8;

/**
 * The number of kernels that are drawn in advance. If NVIDIA's compiler compiles many kernels
 * together, it needs less than half the time per kernel.
 */
const drawnAhead = 31;

/**
 * Fuzzes until a limit is reached. Shrinks failures on the executors that disagreed, and reports
 * each failure immediately.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { seed, first = 0, step = 1, count = Number.POSITIVE_INFINITY, inFlight = 3 } = options;
  const draw = options.draw ?? ((from: number, index: number) => generateKernel(from, index, options));
  const deadline = performance.now() + (options.ms ?? Number.POSITIVE_INFINITY);
  const maxFailures = options.maxFailures ?? 5;
  const dropped: Record<string, number> = {};
  const families: Record<string, number> = {};
  const found: FuzzFailure[] = [];
  let kernels = 0;
  let natively = 0;
  let failures = 0;
  let compared = 0;
  let next = 0;
  /**
   * `number` is the number of kernels drawn. `end` is one more than the number of the last accepted
   * kernel.
   */
  let number = 0;
  let end = first;
  const changed: number[] = [];
  const tally = (): FuzzTally => {
    return { kernels, natively, families, dropped, compared, failures, changed, end };
  };
  const tooMany = () => found.length >= maxFailures || failures >= maxFailures * repeats;
  const goesOn = () => next < count && !tooMany() && performance.now() < deadline && !options.isStopped?.();
  // Kernels that are drawn in advance, for executors that compile several kernels together.
  const drawn: { readonly index: number; readonly kernel: FuzzKernel }[] = [];
  const pattern = options.holding === undefined ? undefined : new RegExp(options.holding);
  const isAllNative = options.executors.length > 0 && options.executors.every(({ name }) => isNative(name));
  const drawNext = (): void => {
    // The deadline ends the loop if no kernel matches the pattern.
    while (performance.now() < deadline && !options.isStopped?.()) {
      const index = first + step * number++;
      const kernel = draw(seed, index);
      const { ptx, native } = launchOf(kernel);
      if ((isAllNative && !native) || (pattern && !pattern.test(ptx))) continue;
      drawn.push({ index, kernel });
      return;
    }
  };
  const isAnyNative = options.executors.some(({ name }) => isNative(name));
  const ahead = isAnyNative ? drawnAhead : 0;
  const runner = async (): Promise<void> => {
    while (goesOn()) {
      for (let more = drawn.length; more <= ahead && next + more < count; more++) drawNext();
      const taken = drawn.shift();
      if (taken === undefined) break;
      const { index, kernel } = taken;
      next++;
      end = index + 1;
      const {
        launch,
        flaw,
        compared: elements,
        disagreement,
      } = await judgeKernel(kernel, {
        ...options,
        sanitize: index % sanitizedEach === 0,
        soon: drawn.map((each) => each.kernel),
      });
      if (flaw !== undefined) dropped[flaw] = (dropped[flaw] ?? 0) + 1;
      else {
        kernels++;
        for (const name of familiesOf(launch)) families[name] = (families[name] ?? 0) + 1;
        if (isAnyNative && launchOf(kernel).native) natively++;
      }
      if (flaw === optimizerFlaw) changed.push(index);
      compared += elements;
      if (disagreement && !tooMany()) {
        failures++;
        const minimal = await minimize(kernel, disagreement, options);
        const failure = { seed, index, disagreement, launch, minimal };
        if (!found.some((known) => signatureOf(known) === signatureOf(failure))) {
          found.push(failure);
          options.onFailure?.(failure);
        }
      }
      options.onProgress?.(tally());
    }
  };
  await Promise.all(Array.from({ length: inFlight }, runner));
  return { ...tally(), found };
}

/**
 * Returns a text that is different for different failures: the executor that disagreed, the kind of
 * disagreement, and the opcodes of the minimal kernel.
 */
export function signatureOf({ minimal: { launch, disagreement } }: FuzzFailure): string {
  const opcodes = bodyLines(launch.ptx).flatMap((line) => /^\s*(?:@\S+ )?([a-z][\w.:]*)/.exec(line)?.[1] ?? []);
  return [disagreement.executor, disagreement.kind, ...opcodes].join(' ');
}

async function minimize(kernel: FuzzKernel, like: Disagreement, options: FuzzOptions): Promise<FuzzFailure['minimal']> {
  // Use only the executor in question, or none if the reference fails.
  const executors = options.executors.filter(({ name }) => name === like.executor);
  let last: FuzzFailure['minimal'] | undefined;
  const fails = async (candidate: FuzzKernel): Promise<boolean> => {
    const { launch, disagreement } = await judgeKernel(candidate, { ...options, executors });
    if (disagreement?.executor !== like.executor || disagreement.kind !== like.kind) return false;
    last = { launch, disagreement };
    return true;
  };
  const deadline = performance.now() + (options.shrinkMs ?? 20_000);
  await shrink(kernel, fails, { deadline });
  return last ?? { launch: (await judgeKernel(kernel, { ...options, executors: [] })).launch, disagreement: like };
}
