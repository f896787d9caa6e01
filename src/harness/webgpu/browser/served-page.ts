// One page of the server: its document, its modules, and the exchange of messages and answers.
//
// Other processes of the machine, pages of other local origins, and other machines on the network
// can also reach the server. They could answer in place of the GPU. Therefore every request must
// have a random token in its path, the `Host` header of this server, and the `Sec-Fetch-Site`
// header that a browser sends for the page itself. Scripts of other origins cannot set these
// headers. Answers also need a second secret, which the page receives once, only through the
// debugging protocol.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { sharingHeaders } from '../../../base/sharing-headers.ts';
import { GpuError } from '../../../runtime/device/job.ts';

/**
 * The program of a page: a file of `dist/bundle`. `page` runs jobs; `program-page` runs whole programs,
 * which are WebAssembly.
 */
export type PageScript = 'page' | 'program-page';

/**
 * Returns the HTML of the page. The program that runs jobs is one file, because twenty modules would
 * need a chain of twenty requests.
 */
const documentOf = (base: string, script: PageScript): string =>
  `<!doctype html><meta charset="utf-8"><title>lanewise</title><script type="module" src="${base}/bundle/${script}.js"></script>`;

/** The policy that allows the page to run only our modules and to connect only to this server. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-resource-policy': 'same-origin',
  // Programs of browsers without JSPI need shared memory.
  ...sharingHeaders,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/**
 * The maximum number of bytes of an answer apart from its buffers: names, sizes, or the text of an
 * error.
 */
const MAX_HEAD_BYTES = 1 << 20;

interface Exchange {
  readonly message: readonly Uint8Array[];
  readonly maxBytes: number;
  readonly resolve: (answer: ArrayBuffer) => void;
  readonly reject: (error: GpuError) => void;
}

/**
 * A page and its connection. The page posts each answer to `answerPath`, and the response is the
 * next message, as soon as there is one. A job thus needs a single request. The page's first post
 * is empty.
 */
export class ServedPage {
  readonly base = `/${secret()}`;
  readonly answerPath = `${this.base}/${secret()}`;
  readonly #folder: string;
  readonly #script: PageScript;
  #isGiven = false;
  #hasGreeted = false;
  #waiting: ServerResponse | undefined;
  #queued: Exchange | undefined;
  #running: Exchange | undefined;

  /** Creates a page whose modules (compiled JavaScript) are in `folder`. */
  constructor(folder: string, script: PageScript) {
    this.#folder = folder;
    this.#script = script;
  }

  /** Whether the path belongs to this page. */
  owns(path: string): boolean {
    return equal(path.slice(0, this.base.length), this.base);
  }

  /**
   * Sends a message to the page and waits for the answer. The answer has at most `payloadBytes`
   * bytes in addition to its head; if it is larger, rejects with `GpuError` 'lost'. Only one
   * message may be pending.
   */
  exchange(message: readonly Uint8Array[], payloadBytes: number): Promise<ArrayBuffer> {
    return new Promise((resolve, reject) => {
      this.#queued = { message, maxBytes: payloadBytes + MAX_HEAD_BYTES, resolve, reject };
      this.#handOut();
    });
  }

  /**
   * Answers a request whose path `owns` accepts. Rejects if a module is missing, or if the page
   * disconnects during the response.
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
      response.writeHead(200, { ...HEADERS, 'content-type': 'text/html' }).end(documentOf(this.base, this.#script));
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
   * Accepts the page's first post, or the page's answer to the current message. Refuses any other
   * post.
   */
  async #takeAnswer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers['sec-fetch-site'] !== 'same-origin') return refuse(response, 403);
    const exchange = this.#running;
    if (this.#waiting || (this.#hasGreeted && !exchange)) return refuse(response, 409);
    const answer = await readBody(request, exchange?.maxBytes ?? 0);
    // Two posts may have been read concurrently, but only one of them is from the page.
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
 * Refuses a request and closes the connection, because the request's unread body may still arrive.
 */
export function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...HEADERS, connection: 'close' }).end();
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * Whether two texts are equal. The comparison takes constant time, so that its time does not reveal
 * how much of a guess is correct.
 */
function equal(text: string, secretText: string): boolean {
  const [given, wanted] = [Buffer.from(text), Buffer.from(secretText)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Reads the body of a request. Returns undefined if the body exceeds `maxBytes` bytes. */
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
