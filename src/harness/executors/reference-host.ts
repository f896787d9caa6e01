// Runs the reference interpreter in a thread, or in a process if the address space is limited.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import { bundledProgram } from '../sessions/dist-folder.ts';
import { guard } from '../sessions/open-sessions.ts';
import { limitsAddressSpace } from '../sessions/system-limits.ts';
import { forkWorker, post } from '../sessions/worker-process.ts';
import type { ReferenceAnswer, ReferenceRequest } from './reference-messages.ts';

export const program = 'harness/executors/reference-worker';

export interface ReferenceHost {
  /** Resolves when the modules are loaded. The time limit of a launch starts at that time. */
  readonly ready: Promise<unknown>;
  /** Rejects when the interpreter ends. */
  readonly ended: Promise<never>;
  post(request: ReferenceRequest): void;
  /** Resolves with the next message. */
  answer(): Promise<ReferenceAnswer>;
  /** Sets whether the interpreter keeps this program running. */
  hold(isNeeded: boolean): void;
  /** Ends the interpreter, also while it answers a request. */
  close(): Promise<void>;
  /**
   * Ends an interpreter that is not answering a request. The next host may reuse this interpreter,
   * if it starts soon.
   */
  retire(): Promise<void>;
}

/**
 * The time in milliseconds for which a retired thread is kept. It is about the time needed to load
 * a new thread.
 */
const SPARE_MS = 500;

interface Thread {
  readonly worker: Worker;
  readonly ready: Promise<ReferenceAnswer>;
  readonly ended: Promise<never>;
}

/** The released thread, and the timer that ends it. */
let spare: { readonly thread: Thread; readonly timer: NodeJS.Timeout } | undefined;

/**
 * Starts the interpreter in a thread. If the address space is limited (`ulimit -v`), starts the
 * interpreter in its own process instead, because Node kills a whole process if one of its heaps
 * cannot grow.
 */
export function startReference(): ReferenceHost {
  return limitsAddressSpace() ? startProcess() : startThread();
}

const answerOf = (worker: Worker) => new Promise<ReferenceAnswer>((resolve) => worker.once('message', resolve));

function loadThread(): Thread {
  const worker = new Worker(bundledProgram(program));
  const ended = new Promise<never>((_, reject) => {
    // The usual cause is that the kernel requested too much memory.
    worker.once('error', (error) => reject(new GpuError('lost', `the reference interpreter ended: ${error.message}`)));
    worker.once('exit', () => reject(new GpuError('lost', 'the reference interpreter was stopped')));
  });
  ended.catch(() => {
    if (spare?.thread.worker === worker) takeSpare();
  });
  return { worker, ready: answerOf(worker), ended };
}

function takeSpare(): Thread | undefined {
  const thread = spare?.thread;
  clearTimeout(spare?.timer);
  spare = undefined;
  return thread;
}

function startThread(): ReferenceHost {
  const thread = takeSpare() ?? loadThread();
  const { worker, ready, ended } = thread;
  const end = async () => void (await worker.terminate());
  const release = guard({ close: end, kill: () => void worker.terminate() });
  return {
    ready,
    ended,
    post: (request) => worker.postMessage(request),
    answer: () => answerOf(worker),
    hold: (isNeeded) => void (isNeeded ? worker.ref() : worker.unref()),
    close: async () => {
      release();
      await end();
    },
    retire: async () => {
      release();
      if (spare !== undefined) return await end();
      worker.unref();
      const timer = setTimeout(() => {
        takeSpare();
        void end();
      }, SPARE_MS).unref();
      spare = { thread, timer };
    },
  };
}

function startProcess(): ReferenceHost {
  const child = forkWorker(bundledProgram(program));
  const exit = once(child, 'exit');
  const end = async () => {
    // Without this reference, a program that waits for nothing else would end before the child.
    child.ref();
    child.kill('SIGKILL');
    await exit.catch(() => undefined);
  };
  const release = guard({ close: end, kill: () => void child.kill('SIGKILL') });
  const ended = exit.then(([code, signal]): never => {
    const how = `the reference interpreter ended (${signal ?? `exit code ${code}`})`;
    throw new GpuError('lost', `${how}: the usual cause is that its address space limit (\`ulimit -v\`) is too low`);
  });
  ended.catch(() => undefined);
  const close = async () => {
    release();
    await end();
  };
  const answer = () => new Promise<ReferenceAnswer>((resolve) => child.once('message', resolve));
  return {
    ready: answer(),
    ended,
    post: (request) => post(child, request),
    answer,
    hold: (isNeeded) => {
      for (const each of [child, child.channel]) {
        if (isNeeded) each?.ref();
        else each?.unref();
      }
    },
    close,
    retire: close,
  };
}
