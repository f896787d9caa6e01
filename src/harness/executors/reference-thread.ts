// The reference interpreter in its own thread, which a time limit or a signal can end. Only Node
// uses it: browsers and tests interpret in the calling thread (cpu-executor.ts).

import type { Launch } from '../../base/launch.ts';
import type { MatrixMode } from '../../base/matrix-mode.ts';
import { LaunchError } from '../../cpu-ref/launch-error.ts';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import { takeTurns, withTimeLimit } from '../../runtime/device/turns.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { bundledProgram } from '../sessions/dist-folder.ts';
import type { ExecutorRun, KernelExecutor, RunOptions } from './executor.ts';
import { program, type ReferenceHost, startReference } from './reference-host.ts';
import type { CheckOptions, CheckResult, ReferenceAnswer, ReferenceRequest } from './reference-messages.ts';

/**
 * The time limit of a launch in milliseconds. Interpretation takes a thousand times as long as
 * execution on a GPU. A launch that exceeds this limit most likely never ends.
 */
const REFERENCE_TIMEOUT_MS = 300_000;

/** The time limit for loading the modules in milliseconds. A loaded machine may need seconds. */
const START_TIMEOUT_MS = 60_000;

export class ReferenceThread {
  #host: ReferenceHost | undefined;
  #isBusy = false;
  readonly #takeTurn = takeTurns();

  /** Runs a launch as the `cpu` executor does. May also throw `GpuError` 'timeout'. */
  async run(
    launch: Launch,
    { timeoutMs, counters = false }: RunOptions = {},
    matrix?: MatrixMode,
  ): Promise<ExecutorRun> {
    const answer = await this.#inTurn({ kind: 'run', launch, matrix, counters }, timeoutMs);
    if (answer.kind !== 'ran') throw errorOf(answer);
    return answer.run;
  }

  /**
   * Interprets a launch to find undefined behavior. Throws `KernelError` for PTX that cannot be
   * interpreted, `LaunchError`, and `GpuError` 'timeout'.
   */
  async check(launch: Launch, options: CheckOptions, timeoutMs?: number): Promise<CheckResult> {
    const answer = await this.#inTurn({ kind: 'check', launch, options }, timeoutMs);
    if (answer.kind !== 'checked') throw errorOf(answer);
    return answer.result;
  }

  /** Starts the interpreter if it is not running, so that it loads its modules. */
  start(): void {
    this.#host ??= startReference();
    // An unused interpreter must not keep the program running.
    this.#host.hold(false);
  }

  async close(): Promise<void> {
    const host = this.#host;
    this.#host = undefined;
    await (this.#isBusy ? host?.close() : host?.retire());
  }

  #inTurn(request: ReferenceRequest, timeoutMs = REFERENCE_TIMEOUT_MS): Promise<ReferenceAnswer> {
    return this.#takeTurn(() => this.#ask(request, timeoutMs));
  }

  async #ask(request: ReferenceRequest, timeoutMs: number): Promise<ReferenceAnswer> {
    this.#host ??= startReference();
    const host = this.#host;
    // Keep the program running only during a request, because the program may end without closing
    // the interpreter.
    host.hold(true);
    this.#isBusy = true;
    try {
      await withTimeLimit(
        Promise.race([host.ready, host.ended]),
        START_TIMEOUT_MS,
        'starting the reference interpreter',
      );
      const answered = host.answer();
      host.post(request);
      const label = `${request.launch.id}: the reference interpreter`;
      return await withTimeLimit(Promise.race([answered, host.ended]), timeoutMs, label);
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      this.#isBusy = false;
      host.hold(false);
    }
  }
}

function errorOf(answer: ReferenceAnswer): Error {
  if (answer.kind === 'kernel-error') return new KernelError(answer.error, answer.source, answer.diagnostics);
  if (answer.kind === 'launch-error') return new LaunchError(answer.message);
  if (answer.kind === 'no-memory')
    return new GpuError('lost', `the reference interpreter is out of memory: ${answer.message}`);
  return new Error(
    answer.kind === 'error' ? answer.message : `unexpected answer of the reference interpreter: ${answer.kind}`,
  );
}

/**
 * Returns the `cpu` executor with time limits. Its thread starts immediately if `startsNow` is
 * true, and otherwise on first use. `matrix` is the mode of matrix products. Throws `GpuError`
 * 'unavailable' if the project has not been built.
 */
export function openCpuExecutor({
  startsNow = false,
  matrix = 'hopper',
}: {
  readonly startsNow?: boolean;
  readonly matrix?: MatrixMode | undefined;
} = {}): KernelExecutor {
  bundledProgram(program);
  const thread = new ReferenceThread();
  if (startsNow) thread.start();
  return {
    name: 'cpu',
    describe: () => ({ name: 'cpu', matrix }),
    run: (launch, options) => thread.run(launch, options, matrix),
    close: () => thread.close(),
  };
}
