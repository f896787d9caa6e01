// The parent's end of a connection to a child process that holds a device.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { GpuError, messageOf } from '../../runtime/device/gpu-error.ts';
import { withTimeLimit } from '../../runtime/device/turns.ts';
import { bundledProgram } from './dist-folder.ts';
import { keepProcess } from './keeper.ts';
import { exited, killGroup } from './open-sessions.ts';

const CLOSE_TIMEOUT_MS = 5_000;
/**
 * The number of characters that are kept from the end of the child's output. They explain why the
 * child ended. A driver may have written much text before.
 */
const KEPT_CHARACTERS = 2_000;

export interface ChildOptions<FromChild> {
  /** The name in messages, such as `Dawn`. */
  readonly name: string;
  /** The name of the program for `bundledProgram`. */
  readonly program: string;
  readonly env?: Readonly<Record<string, string>>;
  /** An open file for the child's standard output. Without it, the output is discarded. */
  readonly output?: number;
  /**
   * Whether a message is a notice, which precedes the answer to a request. By default, no message
   * is a notice.
   */
  isNotice?(message: FromChild): boolean;
  /** Returns the error that a message reports; undefined if the message is an answer. */
  errorOf(message: FromChild): GpuError | undefined;
}

/** A child process. It serves one request at a time, until it is closed, is killed or exits. */
export class ChildClient<ToChild extends object, FromChild extends { readonly kind: string }> {
  readonly #options: ChildOptions<FromChild>;
  readonly #child: ChildProcess;
  readonly #exit: Promise<never>;
  #errorOutput = '';
  #ended = false;

  /** Starts the process. Throws `GpuError` 'unavailable' if the project has not been built. */
  constructor(options: ChildOptions<FromChild>) {
    this.#options = options;
    this.#child = fork(bundledProgram(options.program), [], {
      // This serialization transfers bigint, Map and typed arrays unchanged.
      serialization: 'advanced',
      env: { ...process.env, ...options.env },
      // The child has its own process group. So Ctrl-C in a terminal reaches only this process,
      // which closes the child in an orderly way.
      detached: true,
      execArgv: [],
      stdio: ['ignore', options.output ?? 'ignore', 'pipe', 'ipc'],
    });
    const release = keepProcess(this.#child.pid, 'session');
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-KEPT_CHARACTERS);
    });
    // Wait for 'close' and not for 'exit', because at 'close' all output has arrived.
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

  /**
   * Returns the child's first message. If there is none, kills the process and throws `GpuError`
   * 'unavailable' or 'timeout'.
   */
  async opened<Kind extends FromChild['kind']>(
    kind: Kind,
    timeoutMs: number,
  ): Promise<Extract<FromChild, { readonly kind: Kind }>> {
    try {
      return await withTimeLimit(this.#answer(kind), timeoutMs, `opening ${this.#options.name}`);
    } catch (error) {
      this.kill();
      if (error instanceof GpuError && (error.kind === 'unavailable' || error.kind === 'timeout')) throw error;
      // If a child ends while it opens its device, its driver cannot be used.
      throw new GpuError('unavailable', messageOf(error));
    }
  }

  /**
   * Sends a request and waits for its answer. `onNotice` receives the messages that precede the
   * answer. Throws the error that the child reports, or `GpuError` 'lost'.
   */
  async ask<Kind extends FromChild['kind']>(
    request: ToChild,
    kind: Kind,
    onNotice?: (message: FromChild) => void,
  ): Promise<Extract<FromChild, { readonly kind: Kind }>> {
    const answer = this.#answer(kind, onNotice);
    this.post(request);
    return await answer;
  }

  /** Sends a message that has no answer. */
  post(message: ToChild): void {
    // If sending fails, the child will exit.
    this.#child.send(message, () => undefined);
  }

  /** Closes the child in an orderly way. The child exits when it receives `farewell`. */
  async close(farewell: ToChild): Promise<void> {
    if (this.#child.connected) this.post(farewell);
    await this.exited();
    this.kill();
  }

  /** Kills the child, which is the only way to end a kernel that never returns. */
  kill(): void {
    this.#ended = true;
    if (this.#child.exitCode === null && this.#child.signalCode === null) killGroup(this.#child.pid);
  }

  /** Waits until the child has exited, but at most for some seconds. */
  async exited(): Promise<void> {
    await exited(this.#child, CLOSE_TIMEOUT_MS);
  }

  async #answer<Kind extends FromChild['kind']>(
    kind: Kind,
    onNotice?: (message: FromChild) => void,
  ): Promise<Extract<FromChild, { readonly kind: Kind }>> {
    const { name, errorOf, isNotice } = this.#options;
    let receive: (message: FromChild) => void = () => undefined;
    const received = new Promise<FromChild>((resolve) => {
      receive = (message) => {
        if (message && isNotice?.(message)) onNotice?.(message);
        else resolve(message);
      };
    });
    this.#child.on('message', receive);
    try {
      const message = await Promise.race([received, this.#exit]);
      if (!message) throw new GpuError('lost', `the ${name} process sent an empty message`);
      const error = errorOf(message);
      if (error) throw error;
      if (!isOfKind(message, kind)) throw new GpuError('lost', `unexpected answer of ${name}: ${message.kind}`);
      return message;
    } finally {
      this.#child.off('message', receive);
    }
  }
}

function isOfKind<Message extends { readonly kind: string }, Kind extends Message['kind']>(
  message: Message,
  kind: Kind,
): message is Extract<Message, { readonly kind: Kind }> {
  return message.kind === kind;
}
