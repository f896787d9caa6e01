// The reference interpreter in a thread of its own, which a time limit or a signal ends. For Node; browsers and tests interpret in place
// (cpu-executor.ts).

import type { Launch } from '../../base/launch.ts';
import type { InterpretOptions } from '../../cpu-ref/interpreter/interpret.ts';
import { LaunchError } from '../../cpu-ref/launch-error.ts';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import { takeTurns, withTimeLimit } from '../../runtime/device/turns.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { bundledProgram } from '../sessions/dist-folder.ts';
import type { ExecutorRun, KernelExecutor } from './executor.ts';
import { program, type ReferenceHost, startReference } from './reference-host.ts';
import type { CheckResult, ReferenceAnswer, ReferenceRequest } from './reference-messages.ts';

/** Interpreting takes a thousand times as long as a GPU does; what takes longer than this is most probably endless. */
const REFERENCE_TIMEOUT_MS = 300_000;

/** A busy machine may take seconds to load the modules. */
const START_TIMEOUT_MS = 60_000;

export class ReferenceThread {
  #host: ReferenceHost | undefined;
  readonly #takeTurn = takeTurns();

  /** As the `cpu` executor runs a launch. Throws `GpuError` 'timeout' too. */
  async run(launch: Launch, timeoutMs?: number): Promise<ExecutorRun> {
    const answer = await this.#inTurn({ kind: 'run', launch }, timeoutMs);
    if (answer.kind !== 'ran') throw errorOf(answer);
    return answer.run;
  }

  /**
   * Interprets to find undefined behaviour. Throws `KernelError` for PTX that cannot be interpreted, `LaunchError`, and `GpuError`
   * 'timeout'.
   */
  async check(launch: Launch, options: InterpretOptions, timeoutMs?: number): Promise<CheckResult> {
    const answer = await this.#inTurn({ kind: 'check', launch, options }, timeoutMs);
    if (answer.kind !== 'checked') throw errorOf(answer);
    return answer.result;
  }

  /** Starts the interpreter, unless it runs already: it loads its modules. */
  start(): void {
    this.#host ??= startReference();
    // A program that does not use it may end.
    this.#host.hold(false);
  }

  async close(): Promise<void> {
    const host = this.#host;
    this.#host = undefined;
    await host?.close();
  }

  #inTurn(request: ReferenceRequest, timeoutMs = REFERENCE_TIMEOUT_MS): Promise<ReferenceAnswer> {
    return this.#takeTurn(() => this.#ask(request, timeoutMs));
  }

  async #ask(request: ReferenceRequest, timeoutMs: number): Promise<ReferenceAnswer> {
    this.#host ??= startReference();
    const host = this.#host;
    // A program that forgets to close it may still end.
    host.hold(true);
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
      host.hold(false);
    }
  }
}

function errorOf(answer: ReferenceAnswer): Error {
  if (answer.kind === 'kernel-error') return new KernelError(answer.error, answer.source, answer.diagnostics);
  if (answer.kind === 'launch-error') return new LaunchError(answer.message);
  if (answer.kind === 'no-memory')
    return new GpuError('lost', `the reference interpreter has too little memory: ${answer.message}`);
  return new Error(answer.kind === 'error' ? answer.message : `the reference answered out of turn: ${answer.kind}`);
}

/** The `cpu` executor, with time limits, whose thread starts now or when it is first needed. Throws `GpuError` 'unavailable' before the first build. */
export function openCpuExecutor(startsNow = false): KernelExecutor {
  bundledProgram(program);
  const thread = new ReferenceThread();
  if (startsNow) thread.start();
  return {
    name: 'cpu',
    describe: () => ({ name: 'cpu' }),
    run: (launch, { timeoutMs } = {}) => thread.run(launch, timeoutMs),
    close: () => thread.close(),
  };
}
