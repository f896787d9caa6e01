// Documents of several machines, side by side.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pc from 'picocolors';
import { afterAll, describe, expect, it } from 'vitest';
import type { Console } from '../../src/cli/console.ts';
import { main } from '../../src/cli/main.ts';
import { machinesOf, withUniqueNames } from '../../src/harness/runs/merge-results.ts';

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

  it('says that all agree, and exits 0', async () => {
    const { code, out } = await merge(good, good);
    expect(code).toBe(0);
    expect(out).toContain('GPU A, chrome (1): 2 of 2 suites passed, 4,096 lane results compared');
    expect(out).toContain('GPU A, chrome (2)');
    expect(out).toContain('All 8,192 lane results of 2 machines agree');
  });

  it('tells apart what differs, and writes a page that needs nothing else', async () => {
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
    ['one with a strange status', documentOf(result('a:b', 'x', { status: 'fine' })), /without an id or a status/],
  ])('refuses %s', async (_, content, message) => {
    const { code, err } = await merge(write('odd.json', content));
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  it('keeps the executors of one document apart, and skipped suites out of the failures', () => {
    const skipped = {
      ...result('redux.sync.f32:min:guard', 'H200'),
      executor: 'cuda',
      status: 'unsupported',
      skipped: 'needs sm_100a',
    };
    const machines = withUniqueNames(machinesOf('x.json', documentOf(result('a:b', 'H200'), skipped)));
    expect(machines.map(({ name }) => name)).toEqual(['H200, chrome', 'H200, cuda']);
    expect(machines[1]?.results.get('redux.sync.f32:min:guard')?.status).toBe('skipped');
  });
});
