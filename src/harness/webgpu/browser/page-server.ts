// The web server of the pages. It serves the pages' modules, and exchanges jobs and results in
// binary form. WebGPU requires a secure context, and pages on 127.0.0.1 are secure contexts. HTTP
// transfers 100 MB directly, while the debugging protocol would need base64.

import { createServer, type Server } from 'node:http';
import { isLoopback, loopback, type ServeAddress } from './serve-address.ts';
import { type PageScript, refuse, ServedPage } from './served-page.ts';

export interface PageServer {
  /** The address of the page, which is served only once. */
  readonly url: string;
  /** The address to which the page posts its answers. Only the page knows this address. */
  readonly answerUrl: string;
  /** Exchanges messages as `ServedPage.exchange` does. */
  exchange(message: readonly Uint8Array[], payloadBytes: number): Promise<ArrayBuffer>;
  close(): Promise<void>;
}

/**
 * Starts a server at `address` for a page with the modules in `folder` (compiled JavaScript), of
 * which `script` is the page's program. Pages at the same port share a server. Throws the system's
 * error if the port is in use.
 */
export async function startPageServer(
  folder: string,
  address: ServeAddress = loopback,
  script: PageScript = 'page',
): Promise<PageServer> {
  const page = new ServedPage(folder, script);
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

/** A server and its pages. The server closes with its last page. */
interface PageHost {
  /** The required `Host` header of requests. */
  readonly name: string;
  readonly pages: Set<ServedPage>;
  close(): Promise<void>;
}

/** The open servers at fixed ports. */
const hosts = new Map<string, Promise<PageHost>>();

/** Adds `page` to the server at `address`, which is started if necessary. Returns the server. */
async function hostOf(page: ServedPage, address: ServeAddress): Promise<PageHost> {
  if (address.port === 0) return await openHost(page, address);
  const key = `${address.host}:${address.port}`;
  for (let known = hosts.get(key); known; known = hosts.get(key)) {
    const host = await known;
    if (host.pages.size > 0) {
      host.pages.add(page);
      return host;
    }
    // The last page of this server is closed, so its port is free once the server has closed.
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
    // A page of another site could use another name for this address to evade the browser's origin
    // rules (DNS rebinding).
    if (request.headers.host !== name) return refuse(response, 403);
    const path = request.url ?? '/';
    const page = [...pages].find((candidate) => candidate.owns(path));
    if (!page) return refuse(response, 404);
    page.handle(request, response).catch(() => {
      // A module is missing, or the page disconnected during the response.
      if (response.headersSent) response.end();
      else refuse(response, 404);
    });
  });
  // On a machine under load, the transfer of a 100 MB result may take long.
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
 * Starts to listen and returns the port. For local browsers, listens on the loopback address.
 * Otherwise listens on all addresses, because the address that other machines use may not be an
 * address of this machine.
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
