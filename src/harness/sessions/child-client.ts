// The parent's end of a child process that holds a device.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { GpuError, messageOf } from '../../runtime/device/gpu-error.ts';
import { withTimeLimit } from '../../runtime/device/turns.ts';
import { bundledProgram } from './dist-folder.ts';
import { keepProcess } from './keeper.ts';
import { exited, killGroup } from './open-sessions.ts';

const CLOSE_TIMEOUT_MS = 5_000;
/** The end of what it wrote says why it died; a driver may have written much before. */
const KEPT_CHARACTERS = 2_000;

export interface ChildOptions<FromChild> {
  /** In messages: `Dawn`. */
  readonly name: string;
  /** The program, as `bundledProgram` finds it. */
  readonly program: string;
  readonly env?: Readonly<Record<string, string>>;
  /** An open file for its standard output, which goes nowhere otherwise. */
  readonly output?: number;
  /** The error that a message reports; undefined if it is an answer. */
  errorOf(message: FromChild): GpuError | undefined;
}

/** One child process; it serves until it is closed or killed, or ends by itself. One request at a time. */
export class ChildClient<ToChild extends object, FromChild extends { readonly kind: string }> {
  readonly #options: ChildOptions<FromChild>;
  readonly #child: ChildProcess;
  readonly #exit: Promise<never>;
  #errorOutput = '';
  #ended = false;

  /** Starts the process. Throws `GpuError` 'unavailable' before the first build. */
  constructor(options: ChildOptions<FromChild>) {
    this.#options = options;
    this.#child = fork(bundledProgram(options.program), [], {
      // Carries bigint, Map and typed arrays as they are.
      serialization: 'advanced',
      env: { ...process.env, ...options.env },
      // Its own group: Ctrl-C in a terminal then reaches this process only, which closes the child in order.
      detached: true,
      execArgv: [],
      stdio: ['ignore', options.output ?? 'ignore', 'pipe', 'ipc'],
    });
    const release = keepProcess(this.#child.pid, 'session');
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-KEPT_CHARACTERS);
    });
    // 'close' and not 'exit': by then all that it wrote has arrived.
    this.#exit = once(this.#child, 'close').then(([code, signal]) => {
      this.#ended = true;
      release();
      const how = signal ? `was killed by ${signal}` : `exited with ${code}`;
      throw new GpuError('lost', `the ${options.name} process ${how}\n${this.#errorOutput}`.trim());
    });
    this.#exit.catch(() => undefined);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The child's first message. Throws `GpuError` 'unavailable' or 'timeout'; the process is killed then. */
  async opened<Kind extends FromChild['kind']>(
    kind: Kind,
    timeoutMs: number,
  ): Promise<Extract<FromChild, { readonly kind: Kind }>> {
    try {
      return await withTimeLimit(this.#answer(kind), timeoutMs, `opening ${this.#options.name}`);
    } catch (error) {
      this.kill();
      if (error instanceof GpuError && (error.kind === 'unavailable' || error.kind === 'timeout')) throw error;
      // One that dies while it opens its device has no usable driver.
      throw new GpuError('unavailable', messageOf(error));
    }
  }

  /** Sends a request and waits for its answer. Throws the error that the child reports, and `GpuError` 'lost'. */
  async ask<Kind extends FromChild['kind']>(
    request: ToChild,
    kind: Kind,
  ): Promise<Extract<FromChild, { readonly kind: Kind }>> {
    const answer = this.#answer(kind);
    this.post(request);
    return await answer;
  }

  /** Sends what has no answer. */
  post(message: ToChild): void {
    // A failure to send shows as the child's exit.
    this.#child.send(message, () => undefined);
  }

  /** Ends it in order, by its own leave: `farewell` is the message that asks for it. */
  async close(farewell: ToChild): Promise<void> {
    if (this.#child.connected) this.post(farewell);
    await this.exited();
    this.kill();
  }

  /** Ends it at once: nothing else ends a kernel that never returns. */
  kill(): void {
    this.#ended = true;
    if (this.#child.exitCode === null && this.#child.signalCode === null) killGroup(this.#child.pid);
  }

  /** Waits until it has gone, some seconds at most. */
  async exited(): Promise<void> {
    await exited(this.#child, CLOSE_TIMEOUT_MS);
  }

  async #answer<Kind extends FromChild['kind']>(kind: Kind): Promise<Extract<FromChild, { readonly kind: Kind }>> {
    const { name, errorOf } = this.#options;
    const listening = new AbortController();
    const received = once(this.#child, 'message', { signal: listening.signal });
    received.catch(() => undefined);
    try {
      const [message]: FromChild[] = await Promise.race([received, this.#exit]);
      if (!message) throw new GpuError('lost', `the ${name} process sent an empty message`);
      const error = errorOf(message);
      if (error) throw error;
      if (!isOfKind(message, kind)) throw new GpuError('lost', `${name} answered out of turn: ${message.kind}`);
      return message;
    } finally {
      listening.abort();
    }
  }
}

function isOfKind<Message extends { readonly kind: string }, Kind extends Message['kind']>(
  message: Message,
  kind: Kind,
): message is Extract<Message, { readonly kind: Kind }> {
  return message.kind === kind;
}
