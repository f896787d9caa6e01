// The web server behind the page: its modules, and the jobs and results as binary, on 127.0.0.1 only.
// WebGPU needs a secure context, which this address is; and HTTP carries 100 MB where the debugging
// protocol would need base64.

import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';

const PAGE =
  '<!doctype html><meta charset="utf-8"><title>lanewise</title><script type="module" src="/harness/webgpu/chrome/page.js"></script>';

export interface PageServer {
  readonly origin: string;
  /// Gives the page a message and waits for its answer. One at a time.
  exchange(message: readonly Uint8Array[]): Promise<ArrayBuffer>;
  close(): Promise<void>;
}

interface Exchange {
  readonly message: readonly Uint8Array[];
  readonly resolve: (answer: ArrayBuffer) => void;
}

/// Serves the modules under `folder` (compiled JavaScript). The page posts each answer to /next, and gets the next
/// message as the response when there is one: a single request for each job.
export async function startPageServer(folder: string): Promise<PageServer> {
  let waitingPage: ServerResponse | undefined;
  let queued: Exchange | undefined;
  let running: Exchange | undefined;

  const handOut = (): void => {
    if (!queued || !waitingPage) return;
    const [exchange, response] = [queued, waitingPage];
    [queued, waitingPage, running] = [undefined, undefined, exchange];
    const length = exchange.message.reduce((sum, part) => sum + part.byteLength, 0);
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': length });
    for (const part of exchange.message) response.write(part);
    response.end();
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === '/next' && request.method === 'POST') {
      const answer = await readBody(request);
      const done = running;
      running = undefined;
      waitingPage = response;
      done?.resolve(answer);
      handOut();
    } else if (path === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    } else if (path.endsWith('.js') && normalize(path) === path) {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(await readFile(join(folder, path)));
    } else {
      response.writeHead(404).end();
    }
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => {
      // A missing module, or a page that went away in the middle.
      if (!response.headersSent) response.writeHead(404);
      response.end();
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

  return {
    origin: `http://127.0.0.1:${address.port}`,
    exchange: (message) =>
      new Promise((resolve) => {
        queued = { message, resolve };
        handOut();
      }),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readBody(request: IncomingMessage): Promise<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body.buffer;
}
