// Documents of several machines, side by side.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pc from 'picocolors';
import { afterAll, describe, expect, it } from 'vitest';
import { cpuMs } from '../../../../src/base/cpu-time.ts';
import type { Console } from '../../../../src/cli/console.ts';
import { main } from '../../../../src/cli/main.ts';
import { machinesOf, withUniqueNames } from '../../../../src/harness/runs/merge-results.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-merge-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const result = (id: string, description: string, more: object = {}): object => ({
  id,
  executor: 'chrome',
  adapter: { description, subgroupSize: 32, software: false, host: 'Chrome/140' },
  lanePlan: 'native',
  status: 'pass',
  cases: 64,
  compared: 2048,
  undefined: 12,
  mismatches: 0,
  ms: 1,
  ...more,
});

const documentOf = (...results: readonly object[]): object => ({
  schemaVersion: 1,
  tool: { version: '0.1.0' },
  results,
});

function write(name: string, content: object | string): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function merge(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const plain = pc.createColors(false);
  const console: Console = {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    annotate: () => undefined,
    outColors: plain,
    errColors: plain,
    errStream: process.stderr,
  };
  const code = await main(['merge', ...args], console);
  return { code, out: out.join(''), err: err.join('') };
}

describe('merge', () => {
  const good = write(
    'good.json',
    documentOf(result('shfl.sync:up:register', 'GPU A'), result('elect.sync:guard', 'GPU A')),
  );
  const failing = result('shfl.sync:up:register', 'GPU <B>', {
    status: 'fail',
    mismatches: 3,
    first: { expected: '0x1', got: '0x2', lane: 7, reproduce: "npx lanewise validate 'shfl.sync:up:register#3'" },
  });
  const bad = write('bad.json', documentOf(failing));

  it('reports that all agree, and exits with 0', async () => {
    const { code, out } = await merge(good, good);
    expect(code).toBe(0);
    expect(out).toContain('GPU A, chrome (1): 2 of 2 suites passed, 4,096 lane results compared');
    expect(out).toContain('GPU A, chrome (2)');
    expect(out).toContain('All 8,192 lane results of 2 machines agree');
  });

  it('shows the differences, and writes a self-contained page', async () => {
    const page = join(folder, 'out', 'machines.html');
    const { code, out } = await merge(good, bad, '--html', page);
    expect(code).toBe(1);
    expect(out).toContain('shfl.sync:up:register: GPU A, chrome: pass; GPU <B>, chrome: fail');
    expect(out).toContain('elect.sync:guard: GPU A, chrome: pass; GPU <B>, chrome: absent');
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('<th scope="row">shfl.sync up</th><td class="pass"');
    expect(html).toContain('GPU &lt;B&gt;, chrome');
    expect(html).toContain('lane 7: expected 0x1, got 0x2');
    expect(html).not.toMatch(/<(script|link|img)|https?:/);
  });

  it('prints one JSON document', async () => {
    const { code, out, err } = await merge(good, bad, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ schemaVersion: 1, machines: [{ name: 'GPU A, chrome' }, { file: bad }] });
    expect(err).toContain('did not pass everywhere');
  });

  it.each([
    ['no JSON', '{', /cannot read/],
    ['another document', { results: [] }, /schemaVersion 1/],
    ['an empty one', documentOf(), /has no results/],
    ['one with an unknown status', documentOf(result('a:b', 'x', { status: 'fine' })), /without an id or a status/],
  ])('refuses %s', async (_, content, message) => {
    const { code, err } = await merge(write('odd.json', content));
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  it('separates the executors of one document, and does not count skipped suites as failures', () => {
    const skipped = {
      ...result('redux.sync.f32:min:guard', 'H200'),
      executor: 'cuda',
      status: 'unsupported',
      skipped: 'needs sm_100a',
    };
    const machines = withUniqueNames(machinesOf('x.json', documentOf(result('a:b', 'H200'), skipped)));
    expect(machines.map(({ name }) => name)).toEqual(['H200, chrome', 'H200, cuda']);
    expect(machines[1]?.results.get('redux.sync.f32:min:guard')?.[0]?.status).toBe('skipped');
  });

  it('keeps every result of an id: a pass before or after a failure does not hide it', async () => {
    const passing = result('k', 'GPU A');
    const mismatch = result('k', 'GPU A', { status: 'fail', mismatches: 3, first: { expected: '1', got: '2' } });
    for (const [name, results] of Object.entries({ after: [mismatch, passing], before: [passing, mismatch] })) {
      const page = join(folder, `${name}.html`);
      const { code, out } = await merge(write(`${name}.json`, documentOf(...results)), '--html', page);
      expect(code).toBe(1);
      expect(out).toContain('1 of 2 suites passed');
      expect(out).toMatch(/k: GPU A, chrome: (fail, pass|pass, fail)/);
      expect(readFileSync(page, 'utf8')).toContain('<td class="fail"');
    }
  });

  it('shows the worse of two suites in one cell of the table', async () => {
    const results = [
      result('a:b', 'GPU A', { status: 'fail', mismatches: 1, first: { expected: '1', got: '2' } }),
      result('a:b', 'GPU A'),
      result('a:c', 'GPU A'),
    ];
    const page = join(folder, 'place.html');
    await merge(write('place.json', documentOf(...results)), '--html', page);
    expect(readFileSync(page, 'utf8')).toMatch(/<th scope="row">a<\/th><td class="fail" title="a:b: fail/);
  });

  it.each([
    ['a pass with mismatches', result('k', 'x', { mismatches: 1 })],
    ['a pass with a first mismatch', result('k', 'x', { first: { expected: '1', got: '2' } })],
  ])('refuses a document that reports %s as a pass', async (_, content) => {
    const { code, err } = await merge(write('forged.json', documentOf(content)));
    expect(code).toBe(2);
    expect(err).toContain('contains a result with mismatches and status pass: k');
  });

  it('does not count a failure as skipped', async () => {
    const failed = result('k', 'x', { status: 'fail', mismatches: 1, skipped: 'needs sm_100a' });
    expect((await merge(write('skipped.json', documentOf(result('j', 'x'), failed)))).code).toBe(1);
  });

  it('continues after an unreadable file, and the exit code shows the failure', async () => {
    const odd = write('odd.json', '{');
    const { code, out, err } = await merge(odd, good);
    expect(code).toBe(2);
    expect(err).toContain(`cannot read ${odd}`);
    expect(out).toContain('GPU A, chrome: 2 of 2 suites passed');
    expect((await merge(odd, good, bad)).code).toBe(1);
  });

  it('fails if one machine compared nothing', async () => {
    const idle = write('idle.json', documentOf(result('k', 'Idle', { compared: 0 })));
    expect((await merge(good, idle)).code).toBe(1);
  });

  it('makes the names of machines unique', () => {
    const named = (name: string): object => documentOf(result('k', name));
    const files = ['A', 'A', 'A, chrome (1)', 'B'];
    const machines = withUniqueNames(files.flatMap((name) => machinesOf('x.json', named(name))));
    expect(new Set(machines.map(({ name }) => name)).size).toBe(4);
  });

  it.each([
    ['objects in place of strings', { lanePlan: { toString: 1 }, first: { expected: { toString: 1 }, lane: [] } }],
    ['a lone surrogate in an id', { id: 'k\ud800', message: 'odd\ud800\ufffe' }],
    ['names of Object.prototype', { id: '__proto__', executor: 'constructor', adapter: 'toString' }],
    ['invalid counts', { cases: -1, compared: '7', undefined: null, ms: {} }],
  ])('survives %s', async (_, more) => {
    const page = join(folder, 'odd.html');
    const failed = result('k', 'x', { status: 'fail', mismatches: 1, message: 'why', ...more });
    const { code } = await merge(write('odd.json', documentOf(failed)), '--json', '--html', page);
    expect(code).toBe(1);
    expect(readFileSync(page, 'utf8')).not.toMatch(/\p{Surrogate}|\ufffe/u);
  });

  // With a cell for each machine in each row, 100,000 results of 64 executors would need 260 MB.
  it('uses no space for machines that lack a suite', async () => {
    const machines = 64;
    const own = Array.from({ length: 1_600 }, (_, index) =>
      result(`row:form${index}`, 'GPU', { executor: `machine ${index % machines}` }),
    );
    const failed = result('row:failed', 'GPU', { executor: 'machine 0', status: 'fail', mismatches: 1 });
    const page = join(folder, 'sparse.html');
    const { code, out, err } = await merge(write('sparse.json', documentOf(...own, failed)), '--json', '--html', page);
    expect(code).toBe(1);
    const { uneven } = JSON.parse(out);
    expect(uneven.length).toBe(1_601);
    expect(uneven[1]).toEqual({ id: 'row:form64', statuses: { 'GPU, machine 0': 'pass' } });
    expect(err).toContain('  row:form64: GPU, machine 0: pass; absent from 63 machines\n');
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('contains 601 more');
    // The failure is last in the document, but is among the rows that the page shows.
    expect(html).toContain('<th scope="row">row:failed</th>');
  });

  // Grouping in quadratic time would take 34 s for 10,000 results.
  it('needs time in proportion to the number of results', async () => {
    const many = (count: number): string => {
      const results = Array.from({ length: count }, (_, index) => result(`row${index}:form${index % 7}`, 'GPU A'));
      return write(`many-${count}.json`, documentOf(...results));
    };
    const files = new Map([2_000, 16_000].map((count) => [count, many(count)]));
    const timeOf = async (count: number): Promise<number> => {
      const start = cpuMs();
      expect((await merge(files.get(count) ?? '', '--json', '--html', join(folder, 'many.html'))).code).toBe(0);
      return cpuMs() - start;
    };
    await timeOf(2_000);
    const small = await timeOf(2_000);
    // There are eight times as many results, so a quadratic algorithm would need 64 times as long.
    expect(await timeOf(16_000)).toBeLessThan(30 * small + 500);
  });
});
