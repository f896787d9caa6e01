// The page's side of a worker. One that does not answer in time is ended; the next request starts a fresh one.
import type { Exchange, PlainError, Progress, Reply } from './protocol.ts';

interface Pending {
  readonly request: { readonly id: number; readonly kind: PropertyKey; readonly args: unknown };
  readonly limitMs: number;
  readonly overrun: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((value: unknown) => void) | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** When the worker could begin with it. */
  started: number | undefined;
  /** Milliseconds that it may still take, where nobody waits for the answer any more. */
  graceMs: number | undefined;
}

/** What went wrong on the worker's side; `kind` as `PlainError` has it. */
export class WorkerError extends Error {
  readonly kind: string | undefined;

  constructor({ name, kind, message }: PlainError) {
    super(message);
    this.name = name;
    this.kind = kind;
  }
}

/** How long a worker may take to load its modules: that is the network's time. */
const loadMs = 60_000;

const overrun = (message: string): WorkerError => new WorkerError({ name: 'WorkerError', kind: 'overrun', message });
const superseded = new WorkerError({
  name: 'WorkerError',
  kind: 'superseded',
  message: 'something newer was asked for',
});

export interface WorkerClientOptions<R> {
  /** Address of the script that serves as worker, and the name by which it knows which one it is. */
  readonly script: string;
  readonly name: string;
  /** Milliseconds without a sign after which a request is given up. */
  readonly limitMs: (kind: keyof R) => number;
  /** What is said then. */
  readonly overrun: (kind: keyof R) => string;
  /** Whether the worker does one thing after the other: then the limit is the first one's, and the others outlive it. */
  readonly inTurn: boolean;
  /** Hears of a device, or a worker, that went away. */
  readonly onLost?: (message: string) => void;
}

export class WorkerClient<R extends { [K in keyof R]: Exchange }> {
  readonly #options: WorkerClientOptions<R>;
  /** In the order in which they were made. */
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  /** Whether it has loaded its modules. */
  #isReady = false;
  #next = 1;

  constructor(options: WorkerClientOptions<R>) {
    this.#options = options;
  }

  /** Rejects with `WorkerError`. */
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

  /** Nobody waits any more for what was asked for so far: a worker that is at one such request for longer than `ms` is ended. */
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
    // What an ended worker had sent may still arrive.
    const ifCurrent = (act: () => void): void => {
      if (this.#worker === worker) act();
    };
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => ifCurrent(() => this.#receive(data)));
    worker.addEventListener('error', (event) =>
      ifCurrent(() => this.#endAll(overrun(event.message || 'A part of the page stopped.'))),
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

  /** Starts the clock of what the worker can be at. */
  #watchAll(): void {
    for (const pending of this.#pending.values()) {
      if (pending.started === undefined) this.#watch(pending);
      if (this.#options.inTurn) return;
    }
  }

  #watch(pending: Pending): void {
    clearTimeout(pending.timer);
    if (!this.#isReady) {
      const late = overrun('A part of the page could not be loaded.');
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

  /** Ends the worker and everything that waits for it. */
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
