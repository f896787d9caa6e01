// The CUDA pane without a compiler: clang's messages at places of the source, and its files.
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ClangClient } from '../../../demo/clang/client.ts';
import { clangFetch, clangFiles, isCached, packedName } from '../../../demo/clang/files.ts';
import { ClangLoader } from '../../../demo/clang/loader.ts';
import type { ClangRequests } from '../../../demo/clang/messages.ts';
import { clangMessages } from '../../../demo/program/clang-messages.ts';
import { WorkerClient } from '../../../demo/workers/client.ts';
import { useLine } from '../../../src/program/function-uses.ts';

describe('clangMessages', () => {
  const source = '#include "a.h"\n__global__ void f(float *p) {\n  p[0] = total + 1;\n}\n';
  const total = source.indexOf('total');

  test.each([
    [
      'an error, with the caret lines of clang',
      "/kernel.cu:3:10: error: use of undeclared identifier 'total'\n    3 |   p[0] = total + 1;\n      |          ^\n1 error generated.\n",
      [{ from: total, to: total + 5, severity: 'error', code: 'clang', hint: undefined, origin: 'text' }],
      ["use of undeclared identifier 'total'"],
    ],
    [
      'a warning with a note',
      '/kernel.cu:3:3: warning: odd\n/kernel.cu:1:1: note: since this\n',
      [{ from: source.indexOf('p[0]'), to: source.indexOf('p[0]') + 1, severity: 'warning', hint: 'since this' }],
      ['odd'],
    ],
    [
      'an error of the selection of PTX',
      '/kernel.cu:3:10: error[LLVM0002]: not supported: x\n  hint: Use y.',
      [{ from: total, code: 'LLVM0002', hint: 'Use y.' }],
      ['not supported: x'],
    ],
    [
      'an error in a header, at the line of the source that a note names',
      '/lanewise-headers/vectors.h:5:1: error: no\n/kernel.cu:3:10: note: in instantiation of g\n',
      [{ from: total, origin: 'text', hint: 'in instantiation of g' }],
      ['no'],
    ],
    [
      'an error in a header without a note, and one without a place',
      "/lanewise-headers/vectors.h:5:1: fatal error: no\nerror: unknown argument: '-x'\n",
      [
        { from: 0, to: 0, origin: 'page' },
        { from: 0, to: 0, origin: 'page' },
      ],
      ['no', "unknown argument: '-x'"],
    ],
    [
      'a place after the end of the source',
      '/kernel.cu:5:9: error: expected }\n/kernel.cu:99:1: error: far\n',
      [
        { from: source.length, to: source.length, origin: 'text' },
        { from: 0, origin: 'page' },
      ],
      ['expected }', 'far'],
    ],
    [
      'a function that whole programs lack',
      useLine({ name: 'total', source: { file: '/kernel.cu', text: source }, offset: total }),
      [{ from: total, to: total + 5, severity: 'error', origin: 'text' }],
      ['`total` is not defined'],
    ],
    ['nothing', 'In file included from /kernel.cu:1:\n', [], []],
  ])('%s', (_, output, expected, texts) => {
    const messages = clangMessages(output, source);
    expect(messages).toMatchObject(expected);
    expect(messages.map(({ text }) => text)).toEqual(texts);
  });

  test('shows a limited number of messages, each of limited length', () => {
    const output = `/kernel.cu:3:10: error: ${'x'.repeat(5000)}\n`.repeat(300);
    const messages = clangMessages(output, source);
    expect(messages).toHaveLength(100);
    expect(messages[0]?.text).toHaveLength(600);
  });
});

describe('the files of clang', () => {
  afterEach(() => vi.unstubAllGlobals());

  const base = 'http://localhost/a/clang/';
  const file = new URL('llvm.core.wasm', base);
  const packed = gzipSync('the module');

  /** Browser caches in memory. */
  function stubCaches(): Map<string, Map<string, Uint8Array<ArrayBuffer>>> {
    const all = new Map<string, Map<string, Uint8Array<ArrayBuffer>>>();
    vi.stubGlobal('caches', {
      keys: async () => [...all.keys()],
      has: async (name: string) => all.has(name),
      delete: async (name: string) => all.delete(name),
      async open(name: string) {
        const files = all.get(name) ?? new Map<string, Uint8Array<ArrayBuffer>>();
        all.set(name, files);
        return {
          async match(url: URL) {
            const body = files.get(url.href);
            return body === undefined ? undefined : new Response(body);
          },
          put: async (url: URL, response: Response) =>
            void files.set(url.href, new Uint8Array(await response.arrayBuffer())),
        };
      },
    });
    return all;
  }

  test('are downloaded once, compressed, and counted', async () => {
    const all = stubCaches();
    const server = vi.fn(async () => new Response(packed));
    vi.stubGlobal('fetch', server);
    for (let visit = 0; visit < 2; visit++) {
      let bytes = 0;
      const load = await clangFetch(base, '1', (more) => {
        bytes += more;
      });
      const response = await load(file);
      expect(response.headers.get('content-type')).toBe('application/wasm');
      expect(await response.text()).toBe('the module');
      expect(bytes).toBe(packed.length);
    }
    expect(server.mock.calls).toEqual([[new URL(`${base}llvm.core.wasm.packed`)]]);
    // A newer version replaces the files of this version.
    await clangFetch(base, '2', () => undefined);
    expect([...all.keys()]).toEqual(['lanewise-clang-2']);
  });

  test('are known to be in the cache only if all of them are', async () => {
    expect(await isCached(base, '1')).toBe(false);
    const all = stubCaches();
    expect(await isCached(base, '1')).toBe(false);
    expect(all.size).toBe(0);
    const addresses = clangFiles.map((name) => new URL(packedName(name), base).href);
    all.set('lanewise-clang-1', new Map(addresses.map((address) => [address, packed])));
    expect(await isCached(base, '1')).toBe(true);
    all.get('lanewise-clang-1')?.delete(addresses[0] ?? '');
    expect(await isCached(base, '1')).toBe(false);
  });

  test('a missing file is an error with its address', async () => {
    vi.stubGlobal('fetch', async () => new Response('', { status: 404 }));
    const load = await clangFetch(base, '1', () => undefined);
    await expect(load(file)).rejects.toThrow(`cannot load ${base}llvm.core.wasm.packed: status 404`);
  });
});

describe('the start of the compiler', () => {
  afterEach(() => vi.unstubAllGlobals());

  test.each([
    ['needs no download', true, ['']],
    ['would need a download', false, []],
  ])('while it %s', async (_, isHere, expected) => {
    const cache = { match: async () => (isHere ? new Response() : undefined) };
    vi.stubGlobal('caches', { has: async () => true, open: async () => cache });
    vi.stubGlobal('document', { baseURI: 'http://localhost/' });
    const sources: string[] = [];
    const client = new (class extends WorkerClient<ClangRequests> {
      override request: ClangClient['request'] = (_kind, { source }) => {
        sources.push(source);
        return new Promise(() => undefined);
      };
    })({ script: '', name: 'clang', limitMs: () => 1, inTurn: true, overrun: () => '' });
    const onLoaded = vi.fn();
    const loader = new ClangLoader(client, onLoaded);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(onLoaded).toHaveBeenCalledTimes(isHere ? 1 : 0);
    loader.start();
    loader.start();
    expect(sources).toEqual(expected);
  });
});
