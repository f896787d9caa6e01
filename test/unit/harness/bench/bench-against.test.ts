// Comparison of benchmarks with earlier benchmarks, from documents of both versions.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import picocolors from 'picocolors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Console } from '../../../../src/cli/console.ts';
import { main } from '../../../../src/cli/main.ts';
import { compareDocuments } from '../../../../src/harness/bench/compare-documents.ts';
import { DocumentError, readDocument } from '../../../../src/harness/bench/document.ts';

interface Given {
  readonly id: string;
  readonly rate?: readonly [min: number, median: number, max: number];
  readonly status?: string;
  readonly series?: string;
}

function documentOf(results: readonly Given[], schemaVersion = 2, host = 'Chromium 1') {
  return {
    schemaVersion,
    run: { command: 'bench' },
    executors: [{ name: 'chrome', adapter: { description: 'GPU', host } }],
    results: results.map(({ id, rate, status = 'measured', series = 'chrome' }) => ({
      id,
      series,
      status,
      unit: 'bytes',
      ...(rate ? { rate: { samples: 9, min: rate[0], median: rate[1], max: rate[2] } } : {}),
    })),
    toolResults: [
      { id: 'first-result', machine: 'chrome', unit: 'ms', value: { samples: 3, min: 400, median: 500, max: 600 } },
    ],
  };
}

const before = documentOf([
  { id: 'kernel:copy', rate: [99, 100, 101] },
  { id: 'kernel:scan', rate: [99, 100, 101] },
  { id: 'kernel:sort', rate: [99, 100, 101] },
  { id: 'kernel:gemv', rate: [99, 100, 101], series: 'chrome exact' },
  { id: 'kernel:gone', rate: [99, 100, 101] },
  { id: 'kernel:noisy', rate: [50, 100, 150] },
  { id: 'kernel:near', rate: [100, 100, 100] },
  { id: 'kernel:never', status: 'refused' },
  { id: 'kernel:only-before', rate: [99, 100, 101] },
]);
const after = documentOf(
  [
    { id: 'kernel:copy', rate: [100, 100.5, 101] },
    { id: 'kernel:scan', rate: [79, 80, 81] },
    { id: 'kernel:sort', rate: [119, 120, 121] },
    { id: 'kernel:gemv', rate: [59, 60, 61], series: 'chrome exact' },
    { id: 'kernel:gone', status: 'wrong' },
    { id: 'kernel:noisy', rate: [60, 80, 90] },
    { id: 'kernel:near', rate: [98, 98, 98] },
    { id: 'kernel:never', rate: [1, 1, 1] },
    { id: 'kernel:new', rate: [1, 1, 1] },
  ],
  2,
  'Chromium 2',
);

const slow = documentOf([{ id: 'kernel:copy', rate: [89, 90, 91] }]);

test('lists the changes beyond the spread and the tolerance', () => {
  const found = compareDocuments(readDocument(before), readDocument(after), 0.03);
  expect(found).toMatchObject({
    slower: [
      { name: 'kernel:gemv, chrome exact', ratio: 0.6 },
      { name: 'kernel:scan, chrome', ratio: 0.8 },
    ],
    faster: [{ name: 'kernel:sort, chrome', ratio: 1.2 }],
    lost: [{ name: 'kernel:gone, chrome', outcome: 'wrong' }],
    // The entries copy, noisy and near, and the tool's first result.
    same: 4,
    uncompared: 3,
    machines: [{ name: 'chrome', before: 'GPU, Chromium 1', after: 'GPU, Chromium 2' }],
  });
  const strict = compareDocuments(readDocument(before), readDocument(after), 0);
  expect(strict.slower.map(({ name }) => name)).toContain('kernel:near, chrome');
});

test('a longer time is slower', () => {
  const [old, now] = [documentOf([]), documentOf([])];
  now.toolResults[0] = { id: 'first-result', machine: 'chrome', unit: 'ms', value: { samples: 3, min: 900, median: 1000, max: 1100 } }; // biome-ignore format: one line
  const found = compareDocuments(readDocument(old), readDocument(now), 0.03);
  expect(found.slower).toMatchObject([{ name: 'first-result, chrome', ratio: 0.5, unit: 'ms' }]);
});

test('forms of old documents are the invariant ones', () => {
  const id = 'shfl.sync:up:register:independent';
  const old = readDocument(documentOf([{ id, rate: [1, 1, 1] }, { id: 'vote.sync:all:immediate:dependent' }], 1));
  expect([...old.figures.keys()]).toEqual([
    'shfl.sync:up:register-invariant:independent, chrome',
    'vote.sync:all:immediate:dependent, chrome',
    'first-result, chrome',
  ]);
  expect(readDocument(documentOf([{ id }])).figures.has(`${id}, chrome`)).toBe(true);
});

test('the recorded documents are read', () => {
  const recorded = readDocument(JSON.parse(readFileSync('docs/results/h200-bench.json', 'utf8')));
  expect(recorded.figures.get('kernel:copy, chrome')?.spread?.median).toBeGreaterThan(1e12);
});

test.each([[{}], [[]], [null], [{ ...before, schemaVersion: 3 }], [{ ...before, run: { command: 'validate' } }]])(
  'a file that is not a document: case %#',
  (document) => {
    expect(() => readDocument(document)).toThrow(DocumentError);
  },
);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanewise-against-'));
  for (const [name, document] of Object.entries({ before, after, slow, empty: documentOf([]), other: {} })) {
    const toolResults = name === 'empty' ? [] : undefined;
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(toolResults ? { ...document, toolResults } : document));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function bench(...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const plain = picocolors.createColors(false);
  const console: Console = {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    annotate: () => undefined,
    outColors: plain,
    errColors: plain,
    errStream: process.stderr,
  };
  const argv = args.map((arg) => (arg.endsWith('.json') ? join(folder, arg) : arg));
  return { code: await main(['bench', ...argv], console), out: out.join(''), err: err.join('') };
}

test('compares two files without measuring', async () => {
  const { code, out } = await bench('--from', 'after.json', '--against', 'before.json');
  expect(
    out.replaceAll(folder, '.'),
  ).toBe(`against ./before.json: 2 slower, 1 faster, 1 lost, 4 the same, 3 not compared
  chrome is another: GPU, Chromium 1 → GPU, Chromium 2
  kernel:gone, chrome: measured → wrong
  kernel:gemv, chrome exact: 1.00e-7 GB/s → 6.00e-8 GB/s (slower, 60.0% of the speed)
  kernel:scan, chrome: 1.00e-7 GB/s → 8.00e-8 GB/s (slower, 80.0% of the speed)
  kernel:sort, chrome: 1.00e-7 GB/s → 1.20e-7 GB/s (faster, 120.0% of the speed)
`);
  expect(code).toBe(1);
});

test('--json', async () => {
  const { code, out, err } = await bench('--from', 'after.json', '--against', 'before.json', '--json');
  expect(JSON.parse(out)).toMatchObject({ schemaVersion: 1, slower: [{ ratio: 0.6 }, { ratio: 0.8 }], same: 4 });
  expect(err).toContain('2 slower');
  expect(code).toBe(1);
});

test.each([
  {
    args: ['--from', 'before.json', '--against', 'before.json'],
    code: 0,
    says: '0 slower, 0 faster, 0 lost, 9 the same',
  },
  { args: ['--from', 'slow.json', '--against', 'before.json'], code: 1, says: '1 slower' },
  { args: ['--from', 'slow.json', '--against', 'before.json', '--tolerance', '20'], code: 0, says: '0 slower' },
  { args: ['--from', 'empty.json', '--against', 'before.json'], code: 2, says: 'was measured' },
  { args: ['--from', 'after.json', '--against', 'other.json'], code: 2, says: 'not a document of `lanewise bench`' },
  { args: ['--from', 'after.json', '--against', 'missing.json'], code: 2, says: 'cannot read' },
  { args: ['--from', 'after.json'], code: 2, says: 'name the earlier document with --against' },
  { args: ['kernels', '--from', 'after.json', '--against', 'before.json'], code: 2, says: 'remove the selection' },
  { args: ['--from', 'after.json', '--against', 'before.json', '--tolerance', 'x'], code: 2, says: '0 or more' },
])('bench $args: exit code $code', async ({ args, code, says }) => {
  const result = await bench(...args);
  expect(result.out + result.err).toContain(says);
  expect(result.code).toBe(code);
});
