// The page's side of the GPU worker. A worker that does not answer is ended; the next request starts a fresh one.
import type { PlainError, Reply, Request, RequestKind, Requests } from './messages.ts';

type Progress<K extends RequestKind> = Requests[K] extends { progress: infer P } ? (value: P) => void : undefined;

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((value: unknown) => void) | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/// What went wrong on the GPU's side; `kind` as `GpuError` has it.
export class GpuClientError extends Error {
  readonly kind: string | undefined;

  constructor({ name, kind, message }: PlainError) {
    super(message);
    this.name = name;
    this.kind = kind;
  }
}

/// Longer than any single launch may take.
const silenceMs = 40_000;

export class GpuClient {
  #worker: Worker | undefined;
  #next = 1;
  readonly #pending = new Map<number, Pending>();
  readonly #onLost: (message: string) => void;

  readonly #script: string;

  /// `script` is the address of the script that serves as worker; `onLost` hears of a device, or a worker, that went away.
  constructor(script: string, onLost: (message: string) => void) {
    this.#script = script;
    this.#onLost = onLost;
  }

  /// Rejects with `GpuClientError`.
  request<K extends RequestKind>(
    kind: K,
    args: Requests[K]['args'],
    onProgress?: Progress<K>,
  ): Promise<Requests[K]['result']> {
    const id = this.#next++;
    const request: Request<K> = { id, kind, args };
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        resolve: (value) => resolve(asResult<K>(value)),
        reject,
        onProgress: onProgress as ((value: unknown) => void) | undefined,
        timer: undefined,
      };
      this.#pending.set(id, pending);
      this.#watch(pending);
      this.#open().postMessage(request);
    });
  }

  #open(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.#script, { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => this.#receive(data));
    worker.addEventListener('error', (event) => {
      this.#end(event.message || 'the GPU worker stopped');
    });
    this.#worker = worker;
    return worker;
  }

  #receive(reply: Reply): void {
    if (reply.kind === 'lost') return this.#onLost(reply.message);
    const pending = this.#pending.get(reply.id);
    if (!pending) return;
    if (reply.kind === 'progress') {
      this.#watch(pending);
      pending.onProgress?.(reply.value);
      return;
    }
    clearTimeout(pending.timer);
    this.#pending.delete(reply.id);
    if (reply.kind === 'result') pending.resolve(reply.value);
    else pending.reject(new GpuClientError(reply.error));
  }

  #watch(pending: Pending): void {
    clearTimeout(pending.timer);
    pending.timer = setTimeout(() => this.#end(`the GPU gave no answer for ${silenceMs / 1000} s`), silenceMs);
  }

  /// Ends the worker and everything that waits for it.
  #end(message: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new GpuClientError({ name: 'GpuError', kind: 'timeout', message }));
    }
    this.#pending.clear();
    this.#onLost(message);
  }
}

/// The worker answers each request with its own kind of result.
function asResult<K extends RequestKind>(value: unknown): Requests[K]['result'] {
  return value as Requests[K]['result'];
}
