// The web server behind the pages: their modules, and the jobs and results as binary. WebGPU needs a secure context, which
// 127.0.0.1 is; and HTTP carries 100 MB where the debugging protocol would need base64.

import { createServer, type Server } from 'node:http';
import { isLoopback, loopback, type ServeAddress } from './serve-address.ts';
import { refuse, ServedPage } from './served-page.ts';

export interface PageServer {
  /** The address of the page. It is given out once. */
  readonly url: string;
  /** Where the page posts its answers; for the page alone. */
  readonly answerUrl: string;
  /** As `ServedPage.exchange`. */
  exchange(message: readonly Uint8Array[], payloadBytes: number): Promise<ArrayBuffer>;
  close(): Promise<void>;
}

/**
 * A page with the modules under `folder` (compiled JavaScript), of a server at `address`: pages at one port share their server.
 * Throws the system's error where the port is taken.
 */
export async function startPageServer(folder: string, address: ServeAddress = loopback): Promise<PageServer> {
  const page = new ServedPage(folder);
  const host = await hostOf(page, address);
  return {
    url: `http://${host.name}${page.base}/`,
    answerUrl: page.answerPath,
    exchange: (message, payloadBytes) => page.exchange(message, payloadBytes),
    async close() {
      page.close();
      host.pages.delete(page);
      if (host.pages.size === 0) await host.close();
    },
  };
}

/** A server, and the pages that it has. It closes with the last of them. */
interface PageHost {
  /** What requests must carry as `Host`. */
  readonly name: string;
  readonly pages: Set<ServedPage>;
  close(): Promise<void>;
}

/** Servers at fixed ports, until they have closed. */
const hosts = new Map<string, Promise<PageHost>>();

/** The server at `address`, with `page` among its pages. */
async function hostOf(page: ServedPage, address: ServeAddress): Promise<PageHost> {
  if (address.port === 0) return await openHost(page, address);
  const key = `${address.host}:${address.port}`;
  for (let known = hosts.get(key); known; known = hosts.get(key)) {
    const host = await known;
    if (host.pages.size > 0) {
      host.pages.add(page);
      return host;
    }
    // Its last page has gone: the port is free again when it has closed.
    await host.close();
  }
  const forget = (): void => void hosts.delete(key);
  const host = openHost(page, address, forget);
  hosts.set(key, host);
  host.catch(forget);
  return await host;
}

async function openHost(first: ServedPage, address: ServeAddress, onClosed?: () => void): Promise<PageHost> {
  const pages = new Set([first]);
  let name = '';
  const server = createServer((request, response) => {
    // Another name for this address is how a foreign page gets past the browser's own rules (DNS rebinding).
    if (request.headers.host !== name) return refuse(response, 403);
    const path = request.url ?? '/';
    const page = [...pages].find((candidate) => candidate.owns(path));
    if (!page) return refuse(response, 404);
    page.handle(request, response).catch(() => {
      // A missing module, or a page that went away in the middle.
      if (response.headersSent) response.end();
      else refuse(response, 404);
    });
  });
  // A result of 100 MB may take its time on a busy machine.
  server.requestTimeout = 0;
  name = `${address.host}:${await listen(server, address)}`;
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await ended;
    onClosed?.();
  };
  return { name, pages, close: () => (closed ??= close()) };
}

/**
 * Listens where browsers will look for it: on this machine alone, or on all its addresses, since the one that others see need not be
 * one of its own. Returns the port.
 */
async function listen(server: Server, address: ServeAddress): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: address.port, ...(isLoopback(address) ? { host: bindable(address.host) } : {}) }, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the page server has no port');
  return bound.port;
}

const bindable = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
