// The command `lanewise fuzz` on the interpreter and in processes. Adapters have their own tests.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { saveFailure } from '../../../../src/harness/fuzz/failures.ts';
import { fuzz } from '../../../../src/harness/fuzz/fuzz.ts';
import { sharesOf } from '../../../../src/harness/fuzz/jobs.ts';
import { referenceOf } from '../../../../src/harness/fuzz/reference.ts';
import { readCase } from '../../../../src/harness/launches/case-file-node.ts';
import { lanewise } from '../../../command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('compares kernels and prints their number', async () => {
  const { code, out, err } = await lanewise('fuzz', '--on', 'cpu', '--count', '5', '--seed', '1');
  expect(out).toMatch(/^All agree: 5 kernels, [\d,]+ values compared on cpu \([\d.]+ s\)\n$/);
  expect(err).toContain('seed 1');
  expect(code).toBe(0);
});

test('a run that compares nothing fails', async () => {
  const { code, out } = await lanewise('fuzz', '--on', 'cpu', '--count', '0');
  expect(out).toContain('Nothing was checked');
  expect(code).toBe(1);
});

test('writes one JSON document', async () => {
  const { code, out } = await lanewise('fuzz', '--on', 'cpu', '--count', '2', '--seed', '3', '--json');
  expect(JSON.parse(out)).toMatchObject({
    schemaVersion: 1,
    run: { command: 'fuzz', seed: 3 },
    kernels: 2,
    failures: 0,
    found: [],
  });
  expect(code).toBe(0);
});

test.each([
  [3, 0, 8],
  [4, 5, 2],
  [1, 0, 0],
])('%i jobs share the kernels from %i on, %i of them', (jobs, first, count) => {
  const numbers = sharesOf(jobs, first, count).flatMap((share) =>
    Array.from({ length: share.count ?? 0 }, (_, at) => share.first + at * share.step),
  );
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, at) => first + at));
});

test.skipIf(!existsSync('dist/bundle/harness/fuzz/worker.js'))('several processes share the kernels', async () => {
  const { code, out } = await lanewise('fuzz', '--on', 'cpu', '--count', '6', '--seed', '1', '--jobs', '2');
  expect(out).toContain('All agree: 6 kernels');
  expect(code).toBe(0);
});

test('a campaign continues after its last run', async () => {
  const path = join(folder, 'campaign.json');
  const run = (...more: string[]) => lanewise('fuzz', '--on', 'cpu', '--campaign', path, ...more);
  expect((await run('--seed', '7', '--count', '3')).code).toBe(0);
  const second = await run('--count', '2');
  expect(second.err).toContain('seed 7, from kernel 3 on');
  expect((await run('--seed', '8', '--count', '1')).err).toContain('seed 8\n');
  const { runs } = JSON.parse(readFileSync(path, 'utf8'));
  expect(runs).toMatchObject([
    { seed: 7, first: 0, end: 3, kernels: 3, on: ['cpu'], jobs: 1, failures: 0, changed: [], found: [] },
    { seed: 7, first: 3, end: 5, kernels: 2 },
    { seed: 8, first: 0, end: 1, kernels: 1 },
  ]);
  expect(runs[0].executors[0]).toContain('cpu');
  expect(runs[0].compared).toBeGreaterThan(0);
});

test('a file that is not a campaign is not overwritten', async () => {
  const path = join(folder, 'other.json');
  writeFileSync(path, '{"runs": [1]}');
  const { code, err } = await lanewise('fuzz', '--on', 'cpu', '--count', '1', '--campaign', path);
  expect([code, err]).toEqual([2, expect.stringContaining('not a campaign')]);
  expect(readFileSync(path, 'utf8')).toBe('{"runs": [1]}');
});

test('with a count and a time, the first limit reached ends the run', async () => {
  const { code, out } = await lanewise('fuzz', '--on', 'cpu', '--count', '1000000', '--seconds', '0.5', '--seed', '1');
  expect(out).toContain('All agree');
  expect(code).toBe(0);
});

test.each([
  ['--seed', 'x'],
  ['--count', '-1'],
  ['--jobs', 'many'],
])('bad usage: %s %s', async (option, value) => {
  expect((await lanewise('fuzz', option, value)).code).toBe(2);
});

test('mutates PTX files', async () => {
  const path = join(folder, 'add.ptx');
  writeFileSync(
    path,
    '.version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .b32 a; add.u32 a, 1, 2; ret; }\n',
  );
  const { code, out } = await lanewise('fuzz', '--front-end', '10', '--seed', '1', path);
  expect(out).toMatch(/^Nothing failed: 10 inputs/);
  expect(code).toBe(0);
  expect((await lanewise('fuzz', '--front-end', '5', join(folder, 'absent.ptx'))).code).toBe(2);
});

test('a failure is saved as a case that reproduces it', async () => {
  // Makes the reference compute maxima instead of minima.
  const wrong = (ptx: string) => ptx.replaceAll('redux.sync.min', 'redux.sync.max');
  const { found } = await fuzz({
    // Some early kernel of this seed has such a minimum.
    seed: 3,
    count: 400,
    maxFailures: 1,
    executors: [cpuExecutor()],
    reference: (launch) => referenceOf({ ...launch, ptx: wrong(launch.ptx) }),
  });
  const [failure] = found;
  if (!failure) throw new Error('nothing was found');
  const path = saveFailure(failure, join(folder, 'out'));
  expect(readdirSync(join(folder, 'out')).length).toBe(4);
  const launch = readCase(path);
  expect(launch.ptx).toContain('redux.sync.min');
  expect(launch.params.some((param) => param.kind === 'buffer' && param.expect !== undefined)).toBe(true);
  expect((await lanewise('run', path, '--on', 'cpu')).code).toBe(0);
});
