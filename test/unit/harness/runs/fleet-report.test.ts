// Comparison of machines beyond pass and fail: properties that correlate with differences,
// undefined lanes, speed; and two campaigns.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pc from 'picocolors';
import { afterAll, describe, expect, it } from 'vitest';
import type { Console } from '../../../../src/cli/console.ts';
import { main } from '../../../../src/cli/main.ts';
import { CampaignFile } from '../../../../src/harness/fleet/campaign-file.ts';
import { traitsOf } from '../../../../src/harness/runs/machine-traits.ts';
import { machinesOf } from '../../../../src/harness/runs/merge-results.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-fleet-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Fields = Readonly<Record<string, unknown>>;

const adapter = (vendor: string, driver: string, version: number): Fields => ({
  vendor,
  description: driver,
  host: `chrome/${version}.0.1 windows`,
  subgroupSize: 32,
  software: false,
});

const result = (machine: string, on: Fields, id: string, more: Fields = {}): Fields => ({
  id,
  executor: machine,
  adapter: on,
  lanePlan: 'native',
  status: 'pass',
  cases: 1,
  compared: 32,
  undefined: 0,
  mismatches: 0,
  ms: 1,
  ...more,
});

const failed = { status: 'fail', mismatches: 1, first: { lane: 3, expected: '1', got: '2' } };
const rate = (median: number): Fields => ({
  rate: { samples: 3, median, min: median * 0.99, max: median * 1.01, unit: 'lane operations', float: 'exact' },
});

function write(name: string, document: Fields | readonly Fields[]): string {
  const path = join(folder, name);
  const whole = Array.isArray(document) ? { schemaVersion: 1, tool: {}, results: document } : document;
  writeFileSync(path, JSON.stringify(whole));
  return path;
}

async function lanewise(...args: string[]): Promise<{ code: number; out: string; err: string }> {
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
  const code = await main(args, console);
  return { code, out: out.join(''), err: err.join('') };
}

describe('properties that results may depend on', () => {
  it.each([
    ['chrome/156.0.8078.79 linux', { browser: 'chrome', 'browser version': 'chrome 156.0.8078.79', system: 'linux' }],
    ['HeadlessChrome/156.0.1', { browser: 'HeadlessChrome', 'browser version': 'HeadlessChrome 156.0.1' }],
    ['Dawn (webgpu 0.6.2), Node 20.20.2', { browser: 'Dawn (webgpu 0.6.2), Node 20.20.2' }],
    ['', {}],
    [7, {}],
  ])('%s', (host, expected) => {
    expect(Object.fromEntries(traitsOf({ adapter: { host }, lanePlan: null }))).toEqual(expected);
  });
});

describe('a fleet of four', () => {
  const machines: readonly (readonly [string, Fields])[] = [
    ['a1', adapter('amd', 'amd 24.1', 155)],
    ['a2', adapter('amd', 'amd 24.2', 156)],
    ['n1', adapter('nvidia', 'nvidia 580', 155)],
    ['n2', adapter('nvidia', 'nvidia 580', 156)],
  ];
  const document = write(
    'four.json',
    machines.flatMap(([name, on], index) => [
      result(name, on, 'shfl.sync:up:guard', {
        ...(name.startsWith('a') ? failed : {}),
        observed: { 'source predicated off': name === 'n2' ? { zero: 3, 'own value': 1 } : { zero: 4 } },
      }),
      result(name, on, 'vote.sync:any:guard', name.endsWith('2') ? failed : {}),
      result(name, on, 'match.any.sync:guard', name === 'a1' || name === 'n2' ? failed : {}),
      result(name, on, 'redux.sync:add:guard:independent', rate((index + 1) * 1e12)),
      result(name, on, 'elect.sync:guard'),
    ]),
  );

  it('names the properties of the machines that fail', async () => {
    const { code, out } = await lanewise('merge', document);
    expect(code).toBe(1);
    expect(out).toContain(
      '1 did not pass on the machines with vendor amd; driver amd 24.1 or amd 24.2, and passed on all others',
    );
    expect(out).toContain(
      '1 did not pass on the machines with browser version chrome 156.0.1, and passed on all others',
    );
    // No property distinguishes a1 and n2 from the others.
    expect(out.match(/and passed on all others/g)).toHaveLength(2);
  });

  it('the JSON document, the page and JUnit contain everything', async () => {
    const files = [join(folder, 'four.html'), join(folder, 'four.xml')];
    const { out } = await lanewise('merge', document, '--json', '--html', files[0] ?? '', '--junit', files[1] ?? '');
    const { differences, undefinedLanes, speed } = JSON.parse(out);
    expect(differences).toContainEqual({
      suites: ['match.any.sync:guard'],
      failing: ['amd 24.1, a1', 'nvidia 580, n2'],
      passing: ['amd 24.2, a2', 'nvidia 580, n1'],
      because: [],
    });
    expect(undefinedLanes).toEqual([
      {
        name: 'shfl.sync: source predicated off',
        machines: {
          'amd 24.1, a1': { zero: 4 },
          'amd 24.2, a2': { zero: 4 },
          'nvidia 580, n1': { zero: 4 },
          'nvidia 580, n2': { zero: 3, 'own value': 1 },
        },
      },
    ]);
    expect(speed).toHaveLength(1);
    expect(speed[0].machines['amd 24.2, a2']).toMatchObject({ median: 2e12, unit: 'lane operations' });
    const [html = '', junit = ''] = files.map((file) => readFileSync(file, 'utf8'));
    expect(html).toContain('vendor amd; driver amd 24.1 or amd 24.2');
    expect(html).toContain('<td class="text">zero 75 %, own value 25 %</td>');
    expect(html).toContain('<td class="text">1000 Gop/s (25 %)</td>');
    expect(html).toContain('<summary>By vendor</summary>');
    expect(junit.match(/<testsuite /g)).toHaveLength(4);
    expect(junit).toContain('failures="2"');
  });
});

describe('more machines than a document of one machine names', () => {
  const named = (count: number, idOf: (index: number) => string): object => ({
    schemaVersion: 1,
    results: Array.from({ length: count }, (_, index) => result(`m${index}`, {}, idOf(index))),
  });

  it('are read if they did the same', () => {
    expect(
      machinesOf(
        'a.json',
        named(200, () => 'shfl.sync:up:guard'),
      ),
    ).toHaveLength(200);
  });

  it('are refused if the tables would be empty', () => {
    const document = named(200, (index) => `suite ${index}`);
    expect(() => machinesOf('a.json', document)).toThrow('names more than 64 executors that ran different suites');
  });
});

describe('fleet compare', () => {
  const [old, now] = [adapter('amd', 'amd 24.1', 155), adapter('amd', 'amd 24.1', 156)];
  const before = write('before.json', [
    result('a', old, 'shfl.sync:up:guard'),
    result('a', old, 'vote.sync:any:guard', failed),
    result('a', old, 'match.any.sync:guard', failed),
    result('a', old, 'elect.sync:guard', { observed: { 'left to the hardware': { zero: 9 } } }),
    result('a', old, 'activemask:plain'),
    result('a', old, 'redux.sync:add:guard:independent', rate(1e12)),
    result('a', old, 'redux.sync:min:guard:independent', rate(1e12)),
  ]);
  const results = [
    result('a', now, 'shfl.sync:up:guard', failed),
    result('a', now, 'vote.sync:any:guard'),
    result('a', now, 'match.any.sync:guard', failed),
    result('a', now, 'elect.sync:guard', { observed: { 'left to the hardware': { 'own value': 7 } } }),
    result('a', now, 'redux.sync:add:guard:independent', rate(0.8e12)),
    result('a', now, 'redux.sync:min:guard:independent', rate(1.005e12)),
  ];
  // A file of `--campaign` whose last line is incomplete.
  const after = join(folder, 'after.jsonl');
  const campaign = new CampaignFile(after, { command: 'validate', lanewise: '0.1.0' });
  campaign.add('a', 'launches 0', results.slice(0, 2));
  campaign.add('a', 'launches 1', results.slice(2));
  writeFileSync(after, '{"machine":"a","pie', { flag: 'a' });

  it('lists the changes of a new browser', async () => {
    const { code, out } = await lanewise('fleet', 'compare', before, after);
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      'a: 1 suites broken, 1 fixed, 1 still not passing, 3 pass as before, 1 in one campaign only',
      '  browser version: chrome 155.0.1 → chrome 156.0.1',
      '  shfl.sync:up:guard: pass → fail',
      '  vote.sync:any:guard: fail → pass',
      '  elect.sync: left to the hardware: zero → own value',
      '  redux.sync:add:guard:independent: 20.0 % slower',
      '',
    ]);
  });

  it('writes a page, JUnit and JSON', async () => {
    const files = [join(folder, 'change.html'), join(folder, 'change.xml')];
    const args = ['--json', '--html', files[0] ?? '', '--junit', files[1] ?? ''];
    const { out } = await lanewise('fleet', 'compare', before, after, ...args);
    const [machine] = JSON.parse(out).machines;
    expect(machine).toMatchObject({ machine: 'a', good: 3, uncompared: 1, broken: [{ id: 'shfl.sync:up:guard' }] });
    const [html = '', junit = ''] = files.map((file) => readFileSync(file, 'utf8'));
    expect(html).toContain('Something that passed before does not pass now.');
    expect(html).toContain('lane 3: expected 1, got 2');
    expect(junit).toContain('<testsuite name="a" tests="3" failures="1" errors="0" skipped="1">');
  });

  it('passes if nothing has become worse, and fails if a machine is missing', async () => {
    expect((await lanewise('fleet', 'compare', before, before)).code).toBe(0);
    const two = write(
      'two.json',
      ['a', 'b'].map((name) => result(name, old, 'elect.sync:guard')),
    );
    const { code, out } = await lanewise(
      'fleet',
      'compare',
      two,
      write('one.json', [result('a', old, 'elect.sync:guard')]),
    );
    expect(out).toContain('b: only in the earlier campaign');
    expect(code).toBe(1);
    expect((await lanewise('fleet', 'compare', before, join(folder, 'none.json'))).code).toBe(2);
  });
});
