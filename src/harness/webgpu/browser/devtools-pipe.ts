// Starts Chrome with its DevTools protocol on two pipes. Commands, answers and events are JSON,
// each terminated by a zero byte. Puppeteer contains the same code, but takes longer to load than
// Chrome takes to answer.

import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { fieldsOf, type JsonObject, textOf } from '../../../base/json-value.ts';

/** The file descriptors from which Chrome reads commands, and to which it writes answers. */
const [COMMANDS, ANSWERS] = [3, 4];
/**
 * The maximum number of characters to store of the browser's output. The end of the output contains
 * the reason why the browser did not start.
 */
const KEPT_CHARACTERS = 2_000;

/** Receives an event of Chrome: its method and parameters. */
export type DevToolsEvent = (method: string, parameters: JsonObject) => void;

interface Waiting {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

export class DevToolsPipe {
  readonly process: ChildProcess;
  /**
   * Resolves with a description of how the browser ended, when the browser and all its helper
   * processes have exited.
   */
  readonly ended: Promise<string>;
  readonly #commands: Writable;
  readonly #onEvent: DevToolsEvent;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  /** A description of how the browser ended. */
  #how: string | undefined;
  #unread: string[] = [];
  #errorOutput = '';

  /** Starts the browser in its own process group. `ended` reports a failure to start. */
  constructor(program: string, flags: readonly string[], env: NodeJS.ProcessEnv, onEvent: DevToolsEvent) {
    this.#onEvent = onEvent;
    this.process = spawn(program, ['--remote-debugging-pipe', ...flags], {
      env,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-KEPT_CHARACTERS);
    });
    const [commands, answers] = [this.process.stdio[COMMANDS], this.process.stdio[ANSWERS]];
    if (!(commands instanceof Writable && answers instanceof Readable))
      throw new Error('the browser process lacks its pipes');
    this.#commands = commands;
    // Ignore errors of the pipes: a pipe breaks only when the browser exits, and the 'close' event
    // reports the exit.
    for (const pipe of [commands, answers]) pipe.on('error', () => undefined);
    answers.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.ended = new Promise((resolve) => {
      this.process.once('error', ({ message }) => resolve(message));
      // Wait for 'close' instead of 'exit', because all output has arrived at 'close'.
      this.process.once('close', (code, signal) => {
        resolve(`it ${signal ? `was killed by ${signal}` : `exited with ${code}`}\n${this.#errorOutput}`.trim());
      });
    });
    void this.ended.then((how) => {
      this.#how = how;
      for (const { reject } of this.#waiting.values()) reject(new Error(how));
      this.#waiting.clear();
    });
  }

  /** Whether all processes of the browser have exited. */
  get hasEnded(): boolean {
    return this.#how !== undefined;
  }

  /**
   * Sends a command to the browser, or to the page of `session`. Rejects with Chrome's error
   * message, or with a description of how the browser ended.
   */
  async send(method: string, parameters: JsonObject = {}, session?: string): Promise<JsonObject> {
    if (this.#how !== undefined) throw new Error(this.#how);
    const id = ++this.#count;
    const answered = new Promise<JsonObject>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // JSON omits an undefined session; Chrome would reject `null`.
    this.#commands.write(`${JSON.stringify({ id, method, params: parameters, sessionId: session })}\0`);
    return await answered;
  }

  #read(text: string): void {
    const parts = text.split('\0');
    // A long answer arrives in several pieces.
    this.#unread.push(parts[0] ?? '');
    for (const part of parts.slice(1)) {
      const message = this.#unread.join('');
      this.#unread = [part];
      this.#take(fieldsOf(JSON.parse(message)));
    }
  }

  #take({ id, method, params, result, error }: JsonObject): void {
    if (typeof id !== 'number') return this.#onEvent(textOf(method), fieldsOf(params));
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(fieldsOf(result));
    else waiting?.reject(new Error(textOf(fieldsOf(error).message)));
  }
}
