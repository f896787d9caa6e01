// Programs of `scripts/bundle.mjs` in processes of their own, each with executors of its own: translating, interpreting and comparing keep a
// core each busy, and a driver compiles for one device at a time.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import { keepProcess } from './keeper.ts';

/** What a worker process says when it can do nothing more: `errorKind` as in `GpuError`, where it is one. */
export interface WorkerFailure {
  readonly kind: 'failed';
  readonly message: string;
  readonly errorKind: string | undefined;
}

/** A kernel that does not come twice, NVIDIA's drivers would only write to disk, one process after the other. */
export const uncached = { CUDA_CACHE_DISABLE: '1', __GL_SHADER_DISK_CACHE: '0' };

/** The program at `path` with messages both ways; `env` yields to the environment. */
export function forkWorker(path: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = fork(path, [], { serialization: 'advanced', execArgv: [], env: { ...env, ...process.env } });
  child.once('exit', keepProcess(child.pid, 'process'));
  return child;
}

/** Ends a worker in order: it closes its executors. A worker that misses the signal notices that nobody is connected. */
export function endWorker(child: ChildProcess): void {
  child.kill('SIGTERM');
  if (child.connected) child.disconnect();
}

/** Sends nothing to a worker that has gone: that shows by its exit. */
export function post(child: ChildProcess, message: object): void {
  if (child.connected) child.send(message, () => undefined);
}

/**
 * Sends the order, and hands on every message until `receive` returns that there is nothing more to come. Rejects with what `receive` throws,
 * with what the worker told of, and with `GpuError` 'lost' where the worker ends before; `what` names it.
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

/** The error that a worker told of. */
export function errorOf({ message, errorKind }: WorkerFailure): Error {
  const kinds = ['unavailable', 'lost', 'timeout'] as const;
  const kind = kinds.find((name) => name === errorKind);
  return kind === undefined ? new Error(message) : new GpuError(kind, message);
}

/** In the worker: what it says of an error. */
export function workerFailure(error: unknown): WorkerFailure {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', message, errorKind: error instanceof GpuError ? error.kind : undefined };
}

/** In the worker: nothing once the parent has ended; 'disconnect' follows then. */
export function toParent(message: object): void {
  process.send?.(message, () => undefined);
}
