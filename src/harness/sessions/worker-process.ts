// Runs programs of `scripts/bundle.mjs` in separate processes with their own executors. Separate
// processes are needed because translation, interpretation and comparison each occupy a core, and a
// driver compiles for one device at a time.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import { keepProcess } from './keeper.ts';

/** The last message of a worker that cannot continue. `errorKind` is only set for a `GpuError`. */
export interface WorkerFailure {
  readonly kind: 'failed';
  readonly message: string;
  readonly errorKind: string | undefined;
}

/**
 * Environment variables that disable NVIDIA's shader caches. Without them, a kernel that runs only
 * once would be written to disk, and the processes would wait for each other.
 */
export const uncached = { CUDA_CACHE_DISABLE: '1', __GL_SHADER_DISK_CACHE: '0' };

/**
 * Starts the program at `path`, which exchanges messages with this process. Variables of the
 * environment override `env`.
 */
export function forkWorker(path: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = fork(path, [], { serialization: 'advanced', execArgv: [], env: { ...env, ...process.env } });
  child.once('exit', keepProcess(child.pid, 'process'));
  return child;
}

/**
 * Ends a worker in an orderly way, so that it closes its executors. A worker that misses the signal
 * notices that the connection is closed.
 */
export function endWorker(child: ChildProcess): void {
  child.kill('SIGTERM');
  if (child.connected) child.disconnect();
}

/** Sends a message. Ignores a worker that has ended, because its exit is reported separately. */
export function post(child: ChildProcess, message: object): void {
  if (child.connected) child.send(message, () => undefined);
}

/**
 * Sends the order, and passes every message to `receive` until `receive` reports that no more
 * messages will follow. Rejects with an error that `receive` throws, with an error that the worker
 * reports, and with `GpuError` 'lost' if the worker ends early. `what` names the worker.
 */
export async function follow<From extends { readonly kind: string }>(
  child: ChildProcess,
  what: string,
  order: object,
  receive: (message: From) => boolean,
): Promise<void> {
  const done = new Promise<void>((resolve, reject) => {
    child.on('message', (message: From | WorkerFailure) => {
      if (isFailure(message)) return reject(errorOf(message));
      try {
        if (receive(message)) resolve();
      } catch (error) {
        reject(error);
      }
    });
    void once(child, 'exit').then(([code, signal]) => {
      reject(new GpuError('lost', `${what} ended (${signal ?? code})`));
    });
  });
  post(child, order);
  await done;
}

const isFailure = (message: { readonly kind: string }): message is WorkerFailure => message.kind === 'failed';

/** Returns the error that a worker reported. */
export function errorOf({ message, errorKind }: WorkerFailure): Error {
  const kinds = ['unavailable', 'lost', 'timeout'] as const;
  const kind = kinds.find((name) => name === errorKind);
  return kind === undefined ? new Error(message) : new GpuError(kind, message);
}

/** Returns the message of a worker about an error. Called in the worker. */
export function workerFailure(error: unknown): WorkerFailure {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', message, errorKind: error instanceof GpuError ? error.kind : undefined };
}

/**
 * Sends a message to the parent. Called in the worker. Does nothing if the parent has ended,
 * because 'disconnect' follows.
 */
export function toParent(message: object): void {
  process.send?.(message, () => undefined);
}
