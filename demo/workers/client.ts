// The page's side of a worker. One that does not answer in time is ended; the next request starts a fresh one.
import type { Exchange, PlainError, Progress, Reply } from './protocol.ts';

interface Pending {
  readonly started: number;
  readonly limitMs: number;
  readonly overrun: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((value: unknown) => void) | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/// What went wrong on the worker's side; `kind` as `PlainError` has it.
export class WorkerError extends Error {
  readonly kind: string | undefined;

  constructor({ name, kind, message }: PlainError) {
    super(message);
    this.name = name;
    this.kind = kind;
  }
}

/// How long a worker may take to load its modules: that is the network's time.
const loadMs = 60_000;

export interface WorkerClientOptions<R> {
  /// Address of the script that serves as worker, and the name by which it knows which one it is.
  readonly script: string;
  readonly name: string;
  /// Milliseconds without a sign after which a request is given up.
  readonly limitMs: (kind: keyof R) => number;
  /// What is said then.
  readonly overrun: (kind: keyof R) => string;
  /// Hears of a device, or a worker, that went away.
  readonly onLost?: (message: string) => void;
}

export class WorkerClient<R extends { [K in keyof R]: Exchange }> {
  readonly #options: WorkerClientOptions<R>;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  /// When it had loaded its modules.
  #readyAt: number | undefined;
  #next = 1;
  #ended = 0;

  constructor(options: WorkerClientOptions<R>) {
    this.#options = options;
  }

  /// Workers that were ended because they did not answer.
  get ended(): number {
    return this.#ended;
  }

  /// Rejects with `WorkerError`.
  request<K extends keyof R>(
    kind: K,
    args: R[K]['args'],
    onProgress?: (value: Progress<R[K]>) => void,
  ): Promise<R[K]['result']> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        started: performance.now(),
        limitMs: this.#options.limitMs(kind),
        overrun: this.#options.overrun(kind),
        resolve: (value) => resolve(value as R[K]['result']),
        reject,
        onProgress: onProgress && ((value) => onProgress(value as Progress<R[K]>)),
        timer: undefined,
      };
      const request = { id, kind, args };
      this.#pending.set(id, pending);
      this.#open().postMessage(request);
      this.#watch(pending);
    });
  }

  /// Ends a worker that has been at one request for longer than `ms`, because nobody waits for the answer any more.
  supersede(ms: number): void {
    if (this.#readyAt === undefined || this.#pending.size === 0) return;
    const oldest = Math.min(...[...this.#pending.values()].map(({ started }) => started));
    if (performance.now() - Math.max(oldest, this.#readyAt) < ms) return;
    this.#end({ name: 'WorkerError', kind: 'superseded', message: 'something newer was asked for' });
  }

  #open(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.#options.script, { type: 'module', name: this.#options.name });
    // What an ended worker had sent may still arrive.
    const ifCurrent = (act: () => void): void => {
      if (this.#worker === worker) act();
    };
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => ifCurrent(() => this.#receive(data)));
    worker.addEventListener('error', (event) => ifCurrent(() => this.#stop(event.message || 'the worker stopped')));
    this.#readyAt = undefined;
    this.#worker = worker;
    return worker;
  }

  #receive(reply: Reply): void {
    if (reply.kind === 'lost') return this.#options.onLost?.(reply.message);
    if (reply.kind === 'ready') {
      this.#readyAt = performance.now();
      for (const pending of this.#pending.values()) this.#watch(pending);
      return;
    }
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
    else pending.reject(new WorkerError(reply.error));
  }

  #watch(pending: Pending): void {
    clearTimeout(pending.timer);
    if (this.#readyAt !== undefined) pending.timer = setTimeout(() => this.#stop(pending.overrun), pending.limitMs);
    else pending.timer = setTimeout(() => this.#stop('a part of the page could not be loaded'), loadMs);
  }

  #stop(message: string): void {
    this.#ended++;
    this.#end({ name: 'WorkerError', kind: 'overrun', message });
    this.#options.onLost?.(message);
  }

  /// Ends the worker and everything that waits for it.
  #end(error: PlainError): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(new WorkerError(error));
    }
  }
}
