// Runs the launches of a validation in order on each executor. While one launch runs, the next
// launches are built, and finished launches are compared.

import { getOrInsert } from '../../base/maps.ts';
import { takeTurns } from '../../runtime/device/turns.ts';
import type { KernelExecutor } from '../executors/executor.ts';
import type { Batch, PlannedLaunch } from '../suites/index.ts';
import { type LaunchOptions, runLaunch, type SuiteOutcome } from './run-launch.ts';

/**
 * The maximum number of launches in progress. It is small, because the operands and expected values
 * of these launches are in memory.
 */
const depth = 3;

/**
 * Yields, so that pending messages are handled. Browsers lack setImmediate, but they wait for their
 * GPU in any case.
 */
const letOthers = (): Promise<void> =>
  typeof setImmediate === 'function' ? new Promise((resolve) => setImmediate(resolve)) : Promise.resolve();

/** The batches of later launches, which are built in advance. */
export class BatchesAhead {
  readonly #built = new Map<PlannedLaunch, Batch>();

  get size(): number {
    return this.#built.size;
  }

  /** The size of all operands and expected values in bytes. */
  get bytes(): number {
    return [...this.#built.values()].reduce((sum, batch) => sum + bytesOf(batch), 0);
  }

  /**
   * Builds the operands and expected values of a launch, and keeps them in memory. Returns the
   * batch.
   */
  prepare(launch: PlannedLaunch): Batch {
    return getOrInsert(this.#built, launch, () => launch.build());
  }

  /** Returns the batch of a launch, and removes it. */
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

  /**
   * Begins a launch. `following` is the next launch. `onExecutor` is called before the launch runs
   * on each executor.
   */
  begin(
    launch: PlannedLaunch,
    following: PlannedLaunch | undefined,
    onExecutor?: (index: number) => void,
  ): Promise<SuiteOutcome[]> {
    const batch = this.#ahead.take(launch);
    // An executor may compile the next kernel during this launch.
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
