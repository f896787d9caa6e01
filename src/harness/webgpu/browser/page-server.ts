// The web server behind the page: its modules, and the jobs and results as binary, on 127.0.0.1 only.
// WebGPU needs a secure context, which this address is; and HTTP carries 100 MB where the debugging
// protocol would need base64.
//
// Other processes of the machine, and pages of other local origins, reach this port too. What they could do is to answer in the
// GPU's place, so every request has to carry a random token in its path, this server's Host, and the `Sec-Fetch-Site` that a
// browser sends for the page itself (scripts of other origins can set neither). Answers have to carry a second secret, which the
// page gets through the debugging protocol alone, once.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { GpuError } from '../../../runtime/device/job.ts';

const page = (base: string): string =>
  `<!doctype html><meta charset="utf-8"><title>lanewise</title><script type="module" src="${base}/harness/webgpu/browser/page.js"></script>`;

/// The page runs our modules and talks to this server; nothing else.
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/// What an answer may have beside its buffers: names, sizes, or an error's text.
const MAX_HEAD_BYTES = 1 << 20;

export interface PageServer {
  /// The address of the page. It is given out once.
  readonly url: string;
  /// Where the page posts its answers; for the page alone.
  readonly answerUrl: string;
  /// Gives the page a message and waits for its answer, of at most `payloadBytes` beside its head. One at a time. Rejects with
  /// `GpuError` 'lost' where the answer is larger.
  exchange(message: readonly Uint8Array[], payloadBytes: number): Promise<ArrayBuffer>;
  close(): Promise<void>;
}

interface Exchange {
  readonly message: readonly Uint8Array[];
  readonly maxBytes: number;
  readonly resolve: (answer: ArrayBuffer) => void;
  readonly reject: (error: GpuError) => void;
}

/// Serves the modules under `folder` (compiled JavaScript). The page posts each answer to `answerUrl`, and gets the next
/// message as the response when there is one: a single request for each job. Its first post is empty.
export async function startPageServer(folder: string): Promise<PageServer> {
  const base = `/${secret()}`;
  const answerPath = `${base}/${secret()}`;
  let host = '';
  let isPageGiven = false;
  let hasGreeted = false;
  let waitingPage: ServerResponse | undefined;
  let queued: Exchange | undefined;
  let running: Exchange | undefined;

  const handOut = (): void => {
    if (!queued || !waitingPage) return;
    const [exchange, response] = [queued, waitingPage];
    [queued, waitingPage, running] = [undefined, undefined, exchange];
    const length = exchange.message.reduce((sum, part) => sum + part.byteLength, 0);
    response.writeHead(200, { ...HEADERS, 'content-type': 'application/octet-stream', 'content-length': length });
    for (const part of exchange.message) response.write(part);
    response.end();
  };

  /// Takes the page's first post, or its answer to the message that it was given. Everything else changes nothing.
  const takeAnswer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers['sec-fetch-site'] !== 'same-origin') return refuse(response, 403);
    const exchange = running;
    if (waitingPage || (hasGreeted && !exchange)) return refuse(response, 409);
    const answer = await readBody(request, exchange?.maxBytes ?? 0);
    // Two posts may have been read at the same time: one of them is the page's.
    if (running !== exchange || waitingPage) return refuse(response, 409);
    if (answer === undefined) {
      running = undefined;
      exchange?.reject(new GpuError('lost', 'the page answered with more than it was asked for'));
      return refuse(response, 413);
    }
    if (hasGreeted && answer.byteLength === 0) return refuse(response, 400);
    hasGreeted = true;
    running = undefined;
    waitingPage = response;
    exchange?.resolve(answer);
    handOut();
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Another name for this address is how a foreign page gets past the browser's own rules (DNS rebinding).
    if (request.headers.host !== host) return refuse(response, 403);
    const path = request.url ?? '/';
    const site = request.headers['sec-fetch-site'];
    if (equal(path, answerPath)) {
      return request.method === 'POST' ? await takeAnswer(request, response) : refuse(response, 405);
    }
    if (!equal(path.slice(0, base.length), base)) return refuse(response, 404);
    if (request.method !== 'GET') return refuse(response, 405);
    const rest = path.slice(base.length);
    if (rest === '/') {
      // What a person types, or a debugger opens, comes from no site.
      if (site !== 'none' || isPageGiven) return refuse(response, 403);
      isPageGiven = true;
      response.writeHead(200, { ...HEADERS, 'content-type': 'text/html' }).end(page(base));
    } else if (/^(\/[\w-]+)+\.js$/.test(rest)) {
      if (site !== 'same-origin') return refuse(response, 403);
      const module = await readFile(join(folder, rest));
      response.writeHead(200, { ...HEADERS, 'content-type': 'text/javascript' }).end(module);
    } else {
      refuse(response, 404);
    }
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => {
      // A missing module, or a page that went away in the middle.
      if (response.headersSent) response.end();
      else refuse(response, 404);
    });
  });
  // A result of 100 MB may take its time on a busy machine.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the page server has no port');
  host = `127.0.0.1:${address.port}`;

  return {
    url: `http://${host}${base}/`,
    answerUrl: answerPath,
    exchange: (message, payloadBytes) =>
      new Promise((resolve, reject) => {
        queued = { message, maxBytes: payloadBytes + MAX_HEAD_BYTES, resolve, reject };
        handOut();
      }),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}

/// Without telling by its time how much of a guess is right.
function equal(text: string, secretText: string): boolean {
  const [given, wanted] = [Buffer.from(text), Buffer.from(secretText)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/// The connection is closed: a body that was not read may still be coming.
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...HEADERS, connection: 'close' }).end();
}

/// Undefined where there is more than `maxBytes`.
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
