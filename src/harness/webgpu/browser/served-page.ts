// One page behind the server: its document, its modules, and the exchange of messages and answers with it.
//
// Other processes of the machine, pages of other local origins, and on a network other machines reach the server too. What they
// could do is to answer in the GPU's place, so every request has to carry a random token in its path, this server's Host, and the
// `Sec-Fetch-Site` that a browser sends for the page itself (scripts of other origins can set neither). Answers have to carry a
// second secret, which the page gets through the debugging protocol alone, once.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { GpuError } from '../../../runtime/device/job.ts';

/** The page's program is one file: twenty modules would be twenty requests, each after the one that names it. */
const documentOf = (base: string): string =>
  `<!doctype html><meta charset="utf-8"><title>lanewise</title><script type="module" src="${base}/bundle/page.js"></script>`;

/** The page runs our modules and talks to this server; nothing else. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** What an answer may have beside its buffers: names, sizes, or an error's text. */
const MAX_HEAD_BYTES = 1 << 20;

interface Exchange {
  readonly message: readonly Uint8Array[];
  readonly maxBytes: number;
  readonly resolve: (answer: ArrayBuffer) => void;
  readonly reject: (error: GpuError) => void;
}

/**
 * The page posts each answer to `answerPath`, and gets the next message as the response when there is one: a single request for
 * each job. Its first post is empty.
 */
export class ServedPage {
  readonly base = `/${secret()}`;
  readonly answerPath = `${this.base}/${secret()}`;
  readonly #folder: string;
  #isGiven = false;
  #hasGreeted = false;
  #waiting: ServerResponse | undefined;
  #queued: Exchange | undefined;
  #running: Exchange | undefined;

  /** `folder` holds the modules (compiled JavaScript). */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether a request's path is of this page. */
  owns(path: string): boolean {
    return equal(path.slice(0, this.base.length), this.base);
  }

  /**
   * Gives the page a message and waits for its answer, of at most `payloadBytes` beside its head. One at a time. Rejects with
   * `GpuError` 'lost' where the answer is larger.
   */
  exchange(message: readonly Uint8Array[], payloadBytes: number): Promise<ArrayBuffer> {
    return new Promise((resolve, reject) => {
      this.#queued = { message, maxBytes: payloadBytes + MAX_HEAD_BYTES, resolve, reject };
      this.#handOut();
    });
  }

  /** Answers a request that it `owns`. Rejects where a module is missing, or the page went away in the middle. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const site = request.headers['sec-fetch-site'];
    if (equal(path, this.answerPath)) {
      return request.method === 'POST' ? await this.#takeAnswer(request, response) : refuse(response, 405);
    }
    if (request.method !== 'GET') return refuse(response, 405);
    const rest = path.slice(this.base.length);
    if (rest === '/') {
      // What a person types, or a debugger opens, comes from no site.
      if (site !== 'none' || this.#isGiven) return refuse(response, 403);
      this.#isGiven = true;
      response.writeHead(200, { ...HEADERS, 'content-type': 'text/html' }).end(documentOf(this.base));
    } else if (/^(\/[\w-]+)+\.js$/.test(rest)) {
      if (site !== 'same-origin') return refuse(response, 403);
      const module = await readFile(join(this.#folder, rest));
      response.writeHead(200, { ...HEADERS, 'content-type': 'text/javascript' }).end(module);
    } else {
      refuse(response, 404);
    }
  }

  /** Ends the request that the page keeps open for its next message. */
  close(): void {
    this.#waiting?.destroy();
    this.#waiting = undefined;
  }

  #handOut(): void {
    const [exchange, response] = [this.#queued, this.#waiting];
    if (!exchange || !response) return;
    [this.#queued, this.#waiting, this.#running] = [undefined, undefined, exchange];
    const length = exchange.message.reduce((sum, part) => sum + part.byteLength, 0);
    response.writeHead(200, { ...HEADERS, 'content-type': 'application/octet-stream', 'content-length': length });
    for (const part of exchange.message) response.write(part);
    response.end();
  }

  /** Takes the page's first post, or its answer to the message that it was given. Everything else changes nothing. */
  async #takeAnswer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers['sec-fetch-site'] !== 'same-origin') return refuse(response, 403);
    const exchange = this.#running;
    if (this.#waiting || (this.#hasGreeted && !exchange)) return refuse(response, 409);
    const answer = await readBody(request, exchange?.maxBytes ?? 0);
    // Two posts may have been read at the same time: one of them is the page's.
    if (this.#running !== exchange || this.#waiting) return refuse(response, 409);
    if (answer === undefined) {
      this.#running = undefined;
      exchange?.reject(new GpuError('lost', 'the page answered with more than it was asked for'));
      return refuse(response, 413);
    }
    if (this.#hasGreeted && answer.byteLength === 0) return refuse(response, 400);
    this.#hasGreeted = true;
    this.#running = undefined;
    this.#waiting = response;
    exchange?.resolve(answer);
    this.#handOut();
  }
}

/** The connection is closed: a body that was not read may still be coming. */
export function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...HEADERS, connection: 'close' }).end();
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}

/** Without telling by its time how much of a guess is right. */
function equal(text: string, secretText: string): boolean {
  const [given, wanted] = [Buffer.from(text), Buffer.from(secretText)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Undefined where there is more than `maxBytes`. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<ArrayBuffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) return undefined;
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body.buffer;
}
