// A stand-in for a Selenium Grid hub with one driver. It creates sessions and forwards their
// commands. As in the real hub, a restart forgets all sessions. A real node ends forgotten sessions
// after a timeout; here, `stop()` ends them at once.

import { createServer, type Server } from 'node:http';
import { freePort } from '../free-port.ts';

export interface SmallHub {
  readonly url: string;
  /** Closes all connections and forgets the sessions. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startSmallHub(driver: string): Promise<SmallHub> {
  const port = await freePort();
  const sessions = new Set<string>();
  let server: Server | undefined;
  const hub: SmallHub = {
    url: `http://127.0.0.1:${port}`,
    async start() {
      server = createServer(async (request, response) => {
        const answer = (status: number, value: string): void => {
          response.writeHead(status, { 'content-type': 'application/json' }).end(value);
        };
        const { method = 'GET', url = '/' } = request;
        const [, , id] = url.split('/');
        if (id !== undefined && !sessions.has(id)) {
          return answer(404, '{"value":{"error":"invalid session id","message":"no such session","stacktrace":""}}');
        }
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const body = Buffer.concat(chunks);
        const sent = { method, headers: { 'content-type': 'application/json' } };
        const reply = await fetch(driver + url, body.length > 0 ? { ...sent, body } : sent);
        const text = await reply.text();
        if (method === 'POST' && id === undefined) {
          const created: unknown = JSON.parse(text).value.sessionId;
          if (typeof created === 'string') sessions.add(created);
        }
        answer(reply.status, text);
      });
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
    },
    async stop() {
      const closed = new Promise((resolve) => server?.close(resolve));
      server?.closeAllConnections();
      await closed;
      const orphans = [...sessions];
      sessions.clear();
      await Promise.all(orphans.map((id) => fetch(`${driver}/session/${id}`, { method: 'DELETE' })));
    },
  };
  await hub.start();
  return hub;
}
