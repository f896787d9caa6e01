// Runs the kernels of PTX files that have no launches, in several processes with their own
// executors. A kernel that hangs or ends its process is counted, and the survey continues.
import type { ChildProcess } from 'node:child_process';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import type { ExecutorReport } from '../executors/executor.ts';
import { bundledProgram } from '../sessions/dist-folder.ts';
import { guard } from '../sessions/open-sessions.ts';
import { errorOf, forkWorker, post, uncached } from '../sessions/worker-process.ts';
import type { FromSurveyWorker, OpenOrder, ToSurveyWorker } from './messages.ts';
import type { SurveyedEntry } from './survey-entry.ts';

export interface SurveyFile {
  readonly path: string;
  /** The file's name in results. */
  readonly name: string;
}

export interface SurveyedKernel {
  readonly file: string;
  readonly entry: string;
  /** The result; undefined if the kernel took too long or ended its process. */
  readonly result: SurveyedEntry | undefined;
}

export interface SurveyOptions extends Omit<OpenOrder, 'kind'> {
  readonly jobs: number;
  /** The time limit for one kernel with all its launches, in milliseconds. */
  readonly kernelMs: number;
  /** The time in milliseconds after which no survey of another kernel starts. */
  readonly ms?: number;
  readonly onOpened?: (reports: readonly ExecutorReport[]) => void;
  readonly onKernel?: (kernel: SurveyedKernel) => void;
  readonly onFile?: (name: string, problem: string | undefined) => void;
  /** Called every second while the driver needs a long time to compile a kernel. */
  readonly onCompiling?: (text: string) => void;
}

/**
 * The time limit for opening a browser and a driver, in milliseconds. It suffices for a machine
 * under load.
 */
const openMs = 120_000;

/** Surveys files. Throws `GpuError` if the executors cannot be opened. */
export async function survey(files: readonly SurveyFile[], options: SurveyOptions): Promise<void> {
  const waiting = [...files];
  const deadline = performance.now() + (options.ms ?? Number.POSITIVE_INFINITY);
  const workers = new Set<Worker>();
  const kill = () => {
    for (const worker of workers) worker.kill();
  };
  const release = guard({ close: async () => kill(), kill });
  let told = false;
  const work = async (): Promise<void> => {
    let worker: Worker | undefined;
    const start = async (): Promise<Worker> => {
      const started = new Worker();
      workers.add(started);
      const reports = await started.open(options);
      if (!told) options.onOpened?.(reports);
      told = true;
      return started;
    };
    for (let file = waiting.shift(); file && performance.now() < deadline; file = waiting.shift()) {
      for (let skip = 0; ; ) {
        worker ??= await start();
        const stopped = await worker.survey(file, skip, deadline, options);
        if (stopped === undefined) break;
        worker.kill();
        workers.delete(worker);
        worker = undefined;
        if (stopped < 0) break;
        skip = stopped + 1;
      }
    }
    if (performance.now() < deadline) worker?.finish();
    else worker?.kill();
  };
  try {
    await Promise.all(Array.from({ length: Math.max(1, Math.min(options.jobs, files.length)) }, work));
  } finally {
    release();
    if (waiting.length > 0) kill();
  }
}

class Worker {
  readonly #child: ChildProcess = forkWorker(bundledProgram('harness/survey/worker'), uncached);

  open({
    on,
    adapter,
    float,
    matrix,
    plan,
    seed,
    attempts,
    launches,
    timeoutMs,
    compileTimeoutMs,
  }: SurveyOptions): Promise<readonly ExecutorReport[]> {
    const order: OpenOrder = {
      kind: 'open',
      on,
      float,
      matrix,
      seed,
      attempts,
      launches,
      adapter,
      plan,
      compileTimeoutMs,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    };
    return new Promise((resolve, reject) => {
      const stop = this.#follow(openMs, (message) => {
        if (message === undefined) reject(new GpuError('lost', 'a survey process ended'));
        else if (message.kind === 'failed') reject(errorOf(message));
        else if (message.kind === 'opened') resolve(message.reports);
        else return;
        stop();
      });
      this.#send(order);
    });
  }

  /**
   * Surveys the kernels of a file, starting with number `skip`. Resolves with undefined at the end
   * of the file or of the survey's time. Otherwise resolves with the number of the kernel that took
   * too long or ended the process, or with -1 if no kernel had started.
   */
  survey(
    file: SurveyFile,
    skip: number,
    deadline: number,
    { kernelMs, onKernel, onFile, onCompiling }: SurveyOptions,
  ): Promise<number | undefined> {
    return new Promise((resolve) => {
      let names: readonly string[] = [];
      let at = -1;
      const kernel = (index: number, result: SurveyedEntry | undefined) =>
        onKernel?.({ file: file.name, entry: names[index] ?? '', result });
      const stop = this.#follow(kernelMs, (message) => {
        if (message?.kind === 'parsed') {
          names = message.entries;
          if (skip === 0) onFile?.(file.name, message.problem);
        } else if (message?.kind === 'compiling') onCompiling?.(message.text);
        else if (message?.kind === 'entry') at = message.index;
        else if (message?.kind === 'surveyed') {
          kernel(message.index, message.result);
          if (performance.now() < deadline) return;
          stop();
          resolve(undefined);
        } else {
          stop();
          if (message?.kind === 'end') return resolve(undefined);
          if (at >= 0) kernel(at, undefined);
          else onFile?.(file.name, 'the parser took too long, or ended its process');
          resolve(at);
        }
      });
      this.#send({ kind: 'file', ...file, skip });
    });
  }

  /**
   * Passes each message to `receive`. Passes `undefined` if no message arrives for `ms`
   * milliseconds or the process has ended. Returns a function that ends the observation.
   */
  #follow(ms: number, receive: (message: FromSurveyWorker | undefined) => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => receive(undefined), ms);
    };
    const onMessage = (message: FromSurveyWorker) => {
      wait();
      receive(message);
    };
    const onExit = () => receive(undefined);
    this.#child.on('message', onMessage);
    this.#child.once('exit', onExit);
    wait();
    return () => {
      clearTimeout(timer);
      this.#child.off('message', onMessage);
      this.#child.off('exit', onExit);
    };
  }

  #send(message: ToSurveyWorker): void {
    post(this.#child, message);
  }

  finish(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
