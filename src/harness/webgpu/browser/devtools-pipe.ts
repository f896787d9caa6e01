// Chrome, started with its DevTools protocol on two pipes: commands, their answers and events as JSON, each ended by a zero byte. Puppeteer has the
// same inside, but takes longer to load than Chrome takes to answer.

import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { fieldsOf, type JsonObject, textOf } from '../../../base/json-value.ts';

/** Where Chrome reads commands and writes answers. */
const [COMMANDS, ANSWERS] = [3, 4];
/** The end of what it wrote says why it did not start; it may have written much before. */
const KEPT_CHARACTERS = 2_000;

/** What Chrome tells without being asked; of a page, if it has a session. */
export type DevToolsEvent = (method: string, parameters: JsonObject) => void;

interface Waiting {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

export class DevToolsPipe {
  readonly process: ChildProcess;
  /** Resolves with how the browser ended when it and all its helpers have gone, whoever of them was started first. */
  readonly ended: Promise<string>;
  readonly #commands: Writable;
  readonly #onEvent: DevToolsEvent;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  /** How it ended. */
  #how: string | undefined;
  #unread: string[] = [];
  #errorOutput = '';

  /** Starts the browser, in a process group of its own. What keeps it from starting is told by `ended`. */
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
    if (!(commands instanceof Writable && answers instanceof Readable)) throw new Error('the browser has no pipes');
    this.#commands = commands;
    // A pipe that breaks shows by the browser's end.
    for (const pipe of [commands, answers]) pipe.on('error', () => undefined);
    answers.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.ended = new Promise((resolve) => {
      this.process.once('error', ({ message }) => resolve(message));
      // 'close' and not 'exit': by then all that it wrote has arrived.
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

  /** Whether all its processes have gone. */
  get hasEnded(): boolean {
    return this.#how !== undefined;
  }

  /** Sends a command, to a page where there is a session. Rejects with what Chrome says against it, and when the browser ends. */
  async send(method: string, parameters: JsonObject = {}, session?: string): Promise<JsonObject> {
    if (this.#how !== undefined) throw new Error(this.#how);
    const id = ++this.#count;
    const answered = new Promise<JsonObject>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // Chrome takes no session that is undefined, and JSON writes none.
    this.#commands.write(`${JSON.stringify({ id, method, params: parameters, sessionId: session })}\0`);
    return await answered;
  }

  #read(text: string): void {
    const parts = text.split('\0');
    // A long answer comes in many pieces.
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
