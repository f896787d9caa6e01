// Launches of a validation, one after the other on each executor; while one runs there, those to come are built and those that ended compared.
import { takeTurns } from '../../runtime/device/turns.ts';
import type { KernelExecutor } from '../executors/executor.ts';
import type { Batch, PlannedLaunch } from '../suites/index.ts';
import { type LaunchOptions, runLaunch, type SuiteOutcome } from './run-launch.ts';

/// Launches that were begun and have not ended: their operands and expected values are in memory.
const depth = 3;

/// Lets messages through that wait for the work of this thread. Browsers have no setImmediate, and wait for their GPU anyway.
const letOthers = (): Promise<void> =>
  typeof setImmediate === 'function' ? new Promise((resolve) => setImmediate(resolve)) : Promise.resolve();

export class LaunchLine {
  readonly #executors: readonly KernelExecutor[];
  readonly #options: LaunchOptions;
  readonly #turns: readonly ReturnType<typeof takeTurns>[];
  readonly #running: Promise<unknown>[] = [];
  /// The launch after the last one, whose kernel an executor may compile meanwhile.
  #ahead: { readonly launch: PlannedLaunch; readonly batch: Batch } | undefined;

  constructor(executors: readonly KernelExecutor[], options: LaunchOptions) {
    this.#executors = executors;
    this.#options = options;
    this.#turns = executors.map(() => takeTurns());
  }

  /// Waits until another launch may begin.
  async room(): Promise<void> {
    await letOthers();
    while (this.#running.length >= depth) await this.#running.shift();
  }

  /// Begins a launch; `following` is the one that comes next. `onExecutor` hears of each executor before its turn.
  begin(
    launch: PlannedLaunch,
    following: PlannedLaunch | undefined,
    onExecutor?: (index: number) => void,
  ): Promise<SuiteOutcome[]> {
    const batch = this.#ahead?.launch === launch ? this.#ahead.batch : launch.build();
    this.#ahead = following && { launch: following, batch: following.build() };
    const next = this.#ahead?.batch;
    const outcomes = runLaunch(launch, batch, next, this.#executors, this.#options, (index, work) => {
      const turn = this.#turns[index] ?? takeTurns();
      return turn(async () => {
        onExecutor?.(index);
        return await work();
      });
    });
    this.#running.push(outcomes.catch(() => undefined));
    return outcomes;
  }
}
