// The page's client of a worker. It ends a worker that does not answer within the time limit. The
// next request starts a new worker.
import type { Exchange, PlainError, Progress, Reply } from './protocol.ts';

interface Pending {
  readonly request: { readonly id: number; readonly kind: PropertyKey; readonly args: unknown };
  readonly limitMs: number;
  readonly overrun: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((value: unknown) => void) | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** The time from which on the worker could process this request. */
  started: number | undefined;
  /**
   * The maximum processing time in milliseconds of a request whose answer is no longer needed;
   * undefined for all other requests.
   */
  graceMs: number | undefined;
}

/** An error of the worker. `kind` has the same meaning as in `PlainError`. */
export class WorkerError extends Error {
  readonly kind: string | undefined;

  constructor({ name, kind, message }: PlainError) {
    super(message);
    this.name = name;
    this.kind = kind;
  }
}

/**
 * The time limit for loading the worker's modules in milliseconds. The time depends on the network.
 */
const loadMs = 60_000;

const overrun = (message: string): WorkerError => new WorkerError({ name: 'WorkerError', kind: 'overrun', message });
const superseded = new WorkerError({
  name: 'WorkerError',
  kind: 'superseded',
  message: 'a newer request replaced it',
});

export interface WorkerClientOptions<R> {
  /** The address of the worker's script, and the name that selects its role. */
  readonly script: string;
  readonly name: string;
  /** Returns the time without a message, in milliseconds, after which a request fails. */
  readonly limitMs: (kind: keyof R) => number;
  /** Returns the error message for a request that fails because of `limitMs`. */
  readonly overrun: (kind: keyof R) => string;
  /**
   * Whether the worker processes one request at a time. If it does, the time limit applies to the
   * first request, and the other requests are repeated if it is exceeded.
   */
  readonly inTurn: boolean;
  /** Called if the device or the worker is lost. */
  readonly onLost?: (message: string) => void;
}

export class WorkerClient<R extends { [K in keyof R]: Exchange }> {
  readonly #options: WorkerClientOptions<R>;
  /** The pending requests, in order. */
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  /** Whether the worker has loaded its modules. */
  #isReady = false;
  #next = 1;

  constructor(options: WorkerClientOptions<R>) {
    this.#options = options;
  }

  /** Sends a request, and resolves with its result. Rejects with `WorkerError`. */
  request<K extends keyof R>(
    kind: K,
    args: R[K]['args'],
    onProgress?: (value: Progress<R[K]>) => void,
  ): Promise<R[K]['result']> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        request: { id, kind, args },
        limitMs: this.#options.limitMs(kind),
        overrun: this.#options.overrun(kind),
        resolve: (value) => resolve(value as R[K]['result']),
        reject,
        onProgress: onProgress && ((value) => onProgress(value as Progress<R[K]>)),
        timer: undefined,
        started: undefined,
        graceMs: undefined,
      };
      this.#pending.set(id, pending);
      this.#open().postMessage(pending.request);
      this.#watchAll();
    });
  }

  /**
   * Marks all pending requests as obsolete. Ends the worker if it processes one of them for longer
   * than `ms` milliseconds.
   */
  supersede(ms: number): void {
    for (const pending of this.#pending.values()) {
      pending.graceMs = ms;
      this.#watch(pending);
    }
    this.#watchAll();
  }

  #open(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.#options.script, { type: 'module', name: this.#options.name });
    // Messages of a worker that has been ended may still arrive.
    const ifCurrent = (act: () => void): void => {
      if (this.#worker === worker) act();
    };
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => ifCurrent(() => this.#receive(data)));
    worker.addEventListener('error', (event) =>
      ifCurrent(() => this.#endAll(overrun(event.message || 'A worker of the page stopped.'))),
    );
    this.#isReady = false;
    this.#worker = worker;
    return worker;
  }

  #receive(reply: Reply): void {
    if (reply.kind === 'lost') return this.#options.onLost?.(reply.message);
    if (reply.kind === 'ready') {
      this.#isReady = true;
      for (const pending of this.#pending.values()) clearTimeout(pending.timer);
      return this.#watchAll();
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
    this.#watchAll();
  }

  /** Starts the timers of the requests that the worker may be processing. */
  #watchAll(): void {
    for (const pending of this.#pending.values()) {
      if (pending.started === undefined) this.#watch(pending);
      if (this.#options.inTurn) return;
    }
  }

  #watch(pending: Pending): void {
    clearTimeout(pending.timer);
    if (!this.#isReady) {
      const late = overrun('A worker of the page could not be loaded.');
      pending.timer = setTimeout(() => this.#endAll(late), loadMs);
      return;
    }
    if (this.#options.inTurn && this.#pending.values().next().value !== pending) return;
    const now = performance.now();
    pending.started ??= now;
    const { graceMs } = pending;
    if (graceMs === undefined) {
      pending.timer = setTimeout(() => this.#giveUp(pending, overrun(pending.overrun)), pending.limitMs);
    } else {
      const rest = Math.max(pending.started + graceMs - now, 0);
      pending.timer = setTimeout(() => this.#giveUp(pending, superseded), rest);
    }
  }

  #giveUp(pending: Pending, error: WorkerError): void {
    if (!this.#options.inTurn) return this.#endAll(error);
    this.#drop(pending, error);
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const other of [...this.#pending.values()]) {
      if (other.graceMs !== undefined) this.#drop(other, superseded);
      else this.#open().postMessage(other.request);
    }
    this.#watchAll();
  }

  /** Ends the worker and rejects all pending requests. */
  #endAll(error: WorkerError): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const pending of [...this.#pending.values()]) this.#drop(pending, error);
    this.#options.onLost?.(error.message);
  }

  #drop({ request, timer, reject }: Pending, error: WorkerError): void {
    clearTimeout(timer);
    this.#pending.delete(request.id);
    reject(error);
  }
}
