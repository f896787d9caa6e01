// The HTTP server of Chrome's page: the page has access, and no other client changes anything.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, test } from 'vitest';

import { type PageServer, startPageServer } from '../../../../src/harness/webgpu/browser/page-server.ts';
import { freePort } from '../../../free-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-server-'));
mkdirSync(join(folder, 'bundle'));
writeFileSync(join(folder, 'bundle/page.js'), 'export {};');
writeFileSync(join(folder, 'secret.json'), '{}');

const opened: PageServer[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

async function open(): Promise<PageServer> {
  const server = await startPageServer(folder);
  opened.push(server);
  return server;
}

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends one request with exactly these headers, plus those that HTTP requires. */
function ask(server: PageServer, { path, method = 'GET', headers = {}, body }: Asked): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      const { statusCode = 0, headers: got } = response;
      response.on('end', () => resolve({ status: statusCode, headers: got, body: Buffer.concat(chunks) }));
      response.on('error', reject);
    });
    // After a refused body the connection may be closed.
    sent.on('error', reject);
    sent.end(body);
  });
}

const sameOrigin = { 'sec-fetch-site': 'same-origin' };
const typed = { 'sec-fetch-site': 'none' };
const text = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString();
const message = [Buffer.from('job')];

/** Posts in the same way as the page. */
const post = (server: PageServer, body?: string): Promise<Answer> =>
  ask(server, {
    path: server.answerUrl,
    method: 'POST',
    headers: sameOrigin,
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  });

test('the page receives its document, its modules, and messages in response to answers', async () => {
  const server = await open();
  const { pathname } = new URL(server.url);
  const page = await ask(server, { path: pathname, headers: typed });
  expect(page.status).toBe(200);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const [, source = ''] = /src="([^"]+)"/.exec(page.body.toString()) ?? [];
  expect(await ask(server, { path: source, headers: sameOrigin })).toMatchObject({ status: 200 });
  const first = post(server);
  const answer = server.exchange(message, 8);
  expect((await first).body.toString()).toBe('job');
  const second = post(server, 'result');
  expect(text(await answer)).toBe('result');
  const next = server.exchange([Buffer.from('job 2')], 8);
  expect((await second).body.toString()).toBe('job 2');
  void post(server, 'result 2').catch(() => undefined);
  expect(text(await next)).toBe('result 2');
});

test('the document does not contain the answer address, and is served once', async () => {
  const server = await open();
  const { pathname } = new URL(server.url);
  const page = await ask(server, { path: pathname, headers: typed });
  expect(page.body.toString()).not.toContain(server.answerUrl);
  expect((await ask(server, { path: pathname, headers: typed })).status).toBe(403);
});

describe('a forged answer changes nothing', () => {
  const other = '/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const forgeries: readonly (readonly [string, (server: PageServer) => Asked])[] = [
    ['without a token', () => ({ path: '/next', headers: sameOrigin })],
    ['with another token', ({ answerUrl }) => ({ path: other + answerUrl.slice(other.length), headers: sameOrigin })],
    ['with the page’s token only', ({ url }) => ({ path: new URL(url).pathname + other, headers: sameOrigin })],
    ['without a browser’s headers', ({ answerUrl }) => ({ path: answerUrl })],
    ['from another site', ({ answerUrl }) => ({ path: answerUrl, headers: { 'sec-fetch-site': 'cross-site' } })],
    ['from another port', ({ answerUrl }) => ({ path: answerUrl, headers: { 'sec-fetch-site': 'same-site' } })],
    [
      'under another host name',
      ({ answerUrl, url }) => ({
        path: answerUrl,
        headers: { ...sameOrigin, host: `evil.example:${new URL(url).port}` },
      }),
    ],
    [
      'under localhost',
      ({ answerUrl, url }) => ({ path: answerUrl, headers: { ...sameOrigin, host: `localhost:${new URL(url).port}` } }),
    ],
    ['that is empty', ({ answerUrl }) => ({ path: answerUrl, headers: sameOrigin, body: new Uint8Array(0) })],
  ];
  it.each(forgeries)('%s', async (_, forge) => {
    const server = await open();
    const first = post(server);
    const answer = server.exchange(message, 64);
    await first;
    const forged = { body: Buffer.from('forged'), ...forge(server), method: 'POST' };
    expect((await ask(server, forged)).status).toBeGreaterThanOrEqual(400);
    void post(server, 'right').catch(() => undefined);
    expect(text(await answer)).toBe('right');
  });

  it('before the page has received anything', async () => {
    const server = await open();
    void post(server).catch(() => undefined);
    // The page is waiting, so a second post is not from the page.
    await expect.poll(async () => (await post(server, 'forged')).status).toBe(409);
    const answer = server.exchange(message, 64);
    void post(server, 'right').catch(() => undefined);
    expect(text(await answer)).toBe('right');
  });
});

test('an answer larger than requested fails, and is not stored', async () => {
  const server = await open();
  const first = post(server);
  const answer = server.exchange(message, 16);
  const failed = expect(answer).rejects.toMatchObject({ kind: 'lost', message: /more than it was asked for/ });
  await first;
  await post(server, 'x'.repeat(4 << 20)).catch(() => undefined);
  await failed;
});

test.each([
  ['a module that is missing', '/harness/webgpu/browser/absent.js', 404],
  ['a file that is not a module', '/secret.json', 404],
  ['a module above the folder', '/../page-server.js', 404],
  ['the same, encoded', '/%2e%2e/page-server.js', 404],
  ['a folder', '/harness/webgpu/browser', 404],
])('%s is %s: %i', async (_, path, status) => {
  const server = await open();
  const base = new URL(server.url).pathname.replace(/\/$/, '');
  expect((await ask(server, { path: base + path, headers: sameOrigin })).status).toBe(status);
});

test('only the page receives modules', async () => {
  const server = await open();
  const base = new URL(server.url).pathname.replace(/\/$/, '');
  for (const headers of [{}, typed, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
    expect((await ask(server, { path: `${base}/bundle/page.js`, headers })).status).toBe(403);
  }
  expect((await ask(server, { path: '/bundle/page.js', headers: sameOrigin })).status).toBe(404);
});

describe('at a fixed port', () => {
  it('pages share the server, and each has its own secrets', async () => {
    const address = { host: '127.0.0.1', port: await freePort() };
    const servers = await Promise.all([1, 2].map(() => startPageServer(folder, address)));
    opened.push(...servers);
    const [first, second] = servers;
    if (!first || !second) throw new Error('two servers were started');
    expect(new URL(first.url).port).toBe(String(address.port));
    expect(new URL(second.url).port).toBe(String(address.port));
    expect(second.url).not.toBe(first.url);
    const answer = second.exchange(message, 64);
    const given = post(second);
    // The server refuses another host, and the exchange of the second page continues.
    expect((await ask(first, { path: first.answerUrl, method: 'POST', headers: { host: 'elsewhere' } })).status).toBe(
      403,
    );
    expect((await given).body.toString()).toBe('job');
    void post(second, 'right').catch(() => undefined);
    expect(text(await answer)).toBe('right');
  });

  it('a closed page is not served, and the port is free after the last one', async () => {
    const address = { host: '127.0.0.1', port: await freePort() };
    const first = await startPageServer(folder, address);
    const second = await startPageServer(folder, address);
    opened.push(second);
    await first.close();
    expect((await ask(second, { path: new URL(first.url).pathname, headers: typed })).status).toBe(404);
    expect((await ask(second, { path: new URL(second.url).pathname, headers: typed })).status).toBe(200);
    const closing = second.close();
    const third = await startPageServer(folder, address);
    opened.push(third);
    await closing;
    expect((await ask(third, { path: new URL(third.url).pathname, headers: typed })).status).toBe(200);
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));
