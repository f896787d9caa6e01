// The reference interpreter in a thread of its own, which a time limit or a signal ends. For Node; browsers and tests interpret in place
// (cpu-executor.ts).

import { Worker } from 'node:worker_threads';
import type { Launch } from '../../base/launch.ts';
import type { InterpretOptions } from '../../cpu-ref/interpreter/interpret.ts';
import { LaunchError } from '../../cpu-ref/launch-error.ts';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import { takeTurns, withTimeLimit } from '../../runtime/device/turns.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { bundledProgram } from '../sessions/dist-folder.ts';
import { guard } from '../sessions/open-sessions.ts';
import type { ExecutorRun, KernelExecutor } from './executor.ts';
import type { CheckResult, ReferenceAnswer, ReferenceRequest } from './reference-messages.ts';

/// Interpreting takes a thousand times as long as a GPU does; what takes longer than this is most probably endless.
const REFERENCE_TIMEOUT_MS = 300_000;

/// A busy machine may take seconds to load the modules.
const START_TIMEOUT_MS = 60_000;
const program = 'harness/executors/reference-worker';

interface RunningThread {
  readonly worker: Worker;
  /// Resolves when its modules are loaded: what a launch may take is counted from then on.
  readonly ready: Promise<unknown>;
  /// Rejects when the thread ends.
  readonly ended: Promise<never>;
  readonly release: () => void;
}

export class ReferenceThread {
  #thread: RunningThread | undefined;
  readonly #takeTurn = takeTurns();

  /// As the `cpu` executor runs a launch. Throws `GpuError` 'timeout' too.
  async run(launch: Launch, timeoutMs?: number): Promise<ExecutorRun> {
    const answer = await this.#inTurn({ kind: 'run', launch }, timeoutMs);
    if (answer.kind !== 'ran') throw errorOf(answer);
    return answer.run;
  }

  /// Interprets to find undefined behaviour. Throws `KernelError` for PTX that cannot be interpreted, `LaunchError`, and `GpuError`
  /// 'timeout'.
  async check(launch: Launch, options: InterpretOptions, timeoutMs?: number): Promise<CheckResult> {
    const answer = await this.#inTurn({ kind: 'check', launch, options }, timeoutMs);
    if (answer.kind !== 'checked') throw errorOf(answer);
    return answer.result;
  }

  /// Starts the thread, if it does not run yet: it loads the interpreter.
  start(): void {
    this.#thread ??= this.#start();
    // A program that does not use it may end.
    this.#thread.worker.unref();
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.release();
    await thread?.worker.terminate();
  }

  #inTurn(request: ReferenceRequest, timeoutMs = REFERENCE_TIMEOUT_MS): Promise<ReferenceAnswer> {
    return this.#takeTurn(() => this.#ask(request, timeoutMs));
  }

  async #ask(request: ReferenceRequest, timeoutMs: number): Promise<ReferenceAnswer> {
    this.#thread ??= this.#start();
    const { worker, ready, ended } = this.#thread;
    // A program that forgets to close it may still end.
    worker.ref();
    try {
      await withTimeLimit(Promise.race([ready, ended]), START_TIMEOUT_MS, 'starting the reference interpreter');
      const answered = new Promise<ReferenceAnswer>((resolve) => worker.once('message', resolve));
      worker.postMessage(request);
      const label = `${request.launch.id}: the reference interpreter`;
      return await withTimeLimit(Promise.race([answered, ended]), timeoutMs, label);
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      worker.unref();
    }
  }

  #start(): RunningThread {
    const worker = new Worker(bundledProgram(program));
    const release = guard({
      close: async () => void (await worker.terminate()),
      kill: () => void worker.terminate(),
    });
    const ended = new Promise<never>((_, reject) => {
      // Out of memory, most often: the kernel asked for too much.
      worker.once('error', (error) =>
        reject(new GpuError('lost', `the reference interpreter ended: ${error.message}`)),
      );
      worker.once('exit', () => reject(new GpuError('lost', 'the reference interpreter was ended')));
    });
    ended.catch(() => undefined);
    const ready = new Promise((resolve) => worker.once('message', resolve));
    return { worker, ready, ended, release };
  }
}

function errorOf(answer: ReferenceAnswer): Error {
  if (answer.kind === 'kernel-error') return new KernelError(answer.error, answer.source, answer.diagnostics);
  if (answer.kind === 'launch-error') return new LaunchError(answer.message);
  return new Error(answer.kind === 'error' ? answer.message : `the reference answered out of turn: ${answer.kind}`);
}

/// The `cpu` executor, with time limits, whose thread starts now or when it is first needed. Throws `GpuError` 'unavailable' before the first build.
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
