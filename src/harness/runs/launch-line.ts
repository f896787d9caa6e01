// Launches of a validation, one after the other on each executor; while one runs there, those to come are built and those that ended compared.

import { getOrInsert } from '../../base/maps.ts';
import { takeTurns } from '../../runtime/device/turns.ts';
import type { KernelExecutor } from '../executors/executor.ts';
import type { Batch, PlannedLaunch } from '../suites/index.ts';
import { type LaunchOptions, runLaunch, type SuiteOutcome } from './run-launch.ts';

/** Launches that were begun and have not ended: their operands and expected values are in memory. */
const depth = 3;

/** Lets messages through that wait for the work of this thread. Browsers have no setImmediate, and wait for their GPU anyway. */
const letOthers = (): Promise<void> =>
  typeof setImmediate === 'function' ? new Promise((resolve) => setImmediate(resolve)) : Promise.resolve();

/** What launches to come need, built before they begin. */
export class BatchesAhead {
  readonly #built = new Map<PlannedLaunch, Batch>();

  get size(): number {
    return this.#built.size;
  }

  /** Of all operands and expected values. */
  get bytes(): number {
    return [...this.#built.values()].reduce((sum, batch) => sum + bytesOf(batch), 0);
  }

  /** Its operands and expected values are in memory from now on. */
  prepare(launch: PlannedLaunch): Batch {
    return getOrInsert(this.#built, launch, () => launch.build());
  }

  /** Gives it away. */
  take(launch: PlannedLaunch): Batch {
    const batch = this.prepare(launch);
    this.#built.delete(launch);
    return batch;
  }
}

function bytesOf({ launch, slots }: Batch): number {
  const given = launch.params.reduce((sum, param) => sum + (param.kind === 'buffer' ? param.bytes : 0), 0);
  return slots.reduce((sum, { expected, state }) => sum + expected.byteLength + state.byteLength, given);
}

export class LaunchLine {
  readonly #executors: readonly KernelExecutor[];
  readonly #options: LaunchOptions;
  readonly #turns: readonly ReturnType<typeof takeTurns>[];
  readonly #running: Promise<unknown>[] = [];
  readonly #ahead: BatchesAhead;

  constructor(executors: readonly KernelExecutor[], options: LaunchOptions, ahead = new BatchesAhead()) {
    this.#ahead = ahead;
    this.#executors = executors;
    this.#options = options;
    this.#turns = executors.map(() => takeTurns());
  }

  /** Waits until another launch may begin. */
  async room(): Promise<void> {
    await letOthers();
    while (this.#running.length >= depth) await this.#running.shift();
  }

  /** Begins a launch; `following` is the one that comes next. `onExecutor` hears of each executor before its turn. */
  begin(
    launch: PlannedLaunch,
    following: PlannedLaunch | undefined,
    onExecutor?: (index: number) => void,
  ): Promise<SuiteOutcome[]> {
    const batch = this.#ahead.take(launch);
    // An executor may compile its kernel meanwhile.
    const next = following && this.#ahead.prepare(following);
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
