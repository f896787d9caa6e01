// One page of the server: its document, its modules, and the exchange of messages and answers with
// it.
//
// Other processes of the machine, pages of other local origins, and other machines on the network
// can reach the server too. Any of them could answer in place of the GPU. So every request must
// have a random token in its path, this server's Host, and the `Sec-Fetch-Site` that a browser
// sends for the page itself (scripts of other origins can set neither header). Answers also need a
// second secret, which the page receives once, only through the debugging protocol.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { GpuError } from '../../../runtime/device/job.ts';

/**
 * Returns the text of the page. Its program is one file, because twenty modules would be twenty
 * requests in a chain.
 */
const documentOf = (base: string): string =>
  `<!doctype html><meta charset="utf-8"><title>lanewise</title><script type="module" src="${base}/bundle/page.js"></script>`;

/** The page may run only this server's modules, and connect only to this server. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** The maximum size of an answer apart from its buffers: names, sizes, or an error's text. */
const MAX_HEAD_BYTES = 1 << 20;

interface Exchange {
  readonly message: readonly Uint8Array[];
  readonly maxBytes: number;
  readonly resolve: (answer: ArrayBuffer) => void;
  readonly reject: (error: GpuError) => void;
}

/**
 * A page. It posts each answer to `answerPath`, and the response is the next message, as soon as
 * there is one. So a job needs a single request. The page's first post is empty.
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

  /** Creates a page with new secrets. `folder` contains the modules (compiled JavaScript). */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether the path belongs to this page. */
  owns(path: string): boolean {
    return equal(path.slice(0, this.base.length), this.base);
  }

  /**
   * Sends the page a message, and resolves with its answer, whose buffers have at most
   * `payloadBytes`. Must not be called before the previous answer. Rejects with `GpuError` 'lost'
   * if the answer is larger.
   */
  exchange(message: readonly Uint8Array[], payloadBytes: number): Promise<ArrayBuffer> {
    return new Promise((resolve, reject) => {
      this.#queued = { message, maxBytes: payloadBytes + MAX_HEAD_BYTES, resolve, reject };
      this.#handOut();
    });
  }

  /**
   * Answers a request whose path belongs to this page. Rejects if a module is missing, or if the
   * page disconnects during the response.
   */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const site = request.headers['sec-fetch-site'];
    if (equal(path, this.answerPath)) {
      return request.method === 'POST' ? await this.#takeAnswer(request, response) : refuse(response, 405);
    }
    if (request.method !== 'GET') return refuse(response, 405);
    const rest = path.slice(this.base.length);
    if (rest === '/') {
      // Browsers send `none` only for an address that the user typed or a debugger opened.
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

  /**
   * Accepts the page's first post, or its answer to the current message. Any other post has no
   * effect.
   */
  async #takeAnswer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers['sec-fetch-site'] !== 'same-origin') return refuse(response, 403);
    const exchange = this.#running;
    if (this.#waiting || (this.#hasGreeted && !exchange)) return refuse(response, 409);
    const answer = await readBody(request, exchange?.maxBytes ?? 0);
    // Two posts may have been read concurrently. Only one of them is the page's.
    if (this.#running !== exchange || this.#waiting) return refuse(response, 409);
    if (answer === undefined) {
      this.#running = undefined;
      exchange?.reject(new GpuError('lost', 'the page sent a larger answer than requested'));
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

/**
 * Answers a request with an error status. Closes the connection, because an unread body may still
 * arrive.
 */
export function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...HEADERS, connection: 'close' }).end();
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}

/** Compares in constant time, so that the time does not reveal how much of a guess is correct. */
function equal(text: string, secretText: string): boolean {
  const [given, wanted] = [Buffer.from(text), Buffer.from(secretText)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Reads the body of a request. Returns undefined if it exceeds `maxBytes`. */
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
