// Scripts: the last line of a CI run, the table of undefined lanes, and the choice of Dawn's driver
// by environment variable.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { driverFromEnvironment } from '../../../src/harness/webgpu/dawn/vulkan-drivers.ts';

const BROKEN_FILE = { status: 'failed', assertionResults: [] };
const COUNTS = {
  success: true,
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 2,
  numTodoTests: 1,
  testResults: [],
};

test.each([
  ['all well', [COUNTS], '5 passed, 0 failed, 3 skipped', 0],
  ['a failure', [{ ...COUNTS, success: false, numFailedTests: 2 }], '5 passed, 2 failed, 3 skipped', 1],
  [
    'a file that does not load',
    [{ ...COUNTS, success: false, testResults: [BROKEN_FILE] }],
    '5 passed, 1 failed, 3 skipped',
    1,
  ],
  ['an error outside tests', [{ ...COUNTS, success: false }], '5 passed, 1 failed, 3 skipped', 1],
  ['nothing ran', [{ ...COUNTS, numPassedTests: 0 }], '0 passed, 1 failed, 3 skipped', 1],
  ['no report', [undefined], '0 passed, 1 failed, 0 skipped', 1],
  ['two runs', [COUNTS, COUNTS], '10 passed, 0 failed, 6 skipped', 0],
  ['a second run without a report', [COUNTS, undefined], '5 passed, 1 failed, 3 skipped', 1],
])('count-tests: %s', (_, reports, line, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-test-'));
  try {
    const paths = reports.map((report, index) => {
      const path = join(folder, `${index}.json`);
      if (report) writeFileSync(path, JSON.stringify(report));
      return path;
    });
    const script = ['scripts/count-tests.mjs', ...paths];
    const { stdout, status } = spawnSync(process.execPath, script, { encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: `${line}\n`, status: code });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function observed(folder: string, ...args: string[]): { table: string; status: number | null } {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/observed.mjs', '--docs', folder, ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return { table: readFileSync(join(folder, 'reference/undefined-lanes.md'), 'utf8'), status };
}

test('docs/reference/undefined-lanes.md is made from docs/results', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-test-'));
  try {
    cpSync('docs/results', join(folder, 'results'), { recursive: true });
    expect(observed(folder).table).toBe(readFileSync('docs/reference/undefined-lanes.md', 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('observed: a report of several executors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-test-'));
  const adapter = { description: 'A GPU', host: 'a driver', subgroupSize: 32 };
  const result = (id: string, executor: string, more: object) => ({ id, executor, adapter, lanePlan: null, ...more });
  const report = {
    tool: { name: 'lanewise' },
    run: { seed: 1, exhaustive: false, started: '2026-01-02T03:04:05Z' },
    results: [
      result('shfl:up:exited', 'cuda', { observed: { 'source has exited': { zero: 1200 } } }),
      result('shfl:bfly:exited', 'cuda', { observed: { 'source has exited': { zero: 34 } } }),
      result('vote:all:outside', 'cuda', { skipped: 'it traps' }),
      result('special:warpid:one-warp', 'cuda', { observed: { 'left to the hardware': { other: 1 } } }),
      result('shfl:up:exited', 'dawn', { observed: { 'source has exited': { 'own value': 2, other: 5 } } }),
      result('vote:all:outside', 'dawn', { observed: { 'not in its own membermask': { zero: 7 } } }),
      result('vote:all:register', 'dawn', {}),
    ],
  };
  try {
    mkdirSync(join(folder, 'results'));
    writeFileSync(join(folder, 'report.json'), JSON.stringify(report));
    const { table } = observed(folder, join(folder, 'report.json'), 'gpu', 'a command', '1.2');
    expect(table.slice(table.indexOf('## '))).toMatchInlineSnapshot(`
      "## A GPU

      2026-01-02, driver 1.2; \`a command\`

      - native: A GPU, subgroups of 32, a driver
      - Dawn: A GPU, subgroups of 32, a driver

      | instruction | the lane, or its source | native | Dawn |
      |---|---|---|---|
      | \`shfl\` | source has exited | zero (1,234) | other 5, own value 2 |
      | \`%warpid\` | left to the hardware | other (1) |  |
      | \`vote\` | not in its own membermask | not run | zero (7) |
      "
    `);
    expect(JSON.parse(readFileSync(join(folder, 'results', 'gpu-observed.json'), 'utf8')).rows[0]).toEqual({
      suite: 'shfl:up:exited',
      cause: 'source has exited',
      gives: { cuda: { zero: 1200 }, dawn: { 'own value': 2, other: 5 } },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('merge-fuzz: adds the runs of a campaign, each once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-test-'));
  const [document, campaign] = [join(folder, 'gpu-fuzz.json'), join(folder, 'campaign.json')];
  const run = (first: number, kernels: number) => ({
    seed: 5, first, end: first + 10, on: ['dawn', 'cuda'], jobs: 2, started: `at ${first}`, ms: 1500, kernels, compared: 7 * kernels,
    executors: ['dawn: A GPU', 'cuda: A GPU'], failures: 0, dropped: {}, changed: [3], found: [],
  }); // biome-ignore format: one run
  const merge = (runs: readonly object[]) => {
    writeFileSync(campaign, JSON.stringify({ runs }));
    const { status, stdout } = spawnSync(process.execPath, ['scripts/merge-fuzz.mjs', document, campaign], {
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    return JSON.parse(stdout);
  };
  try {
    const old = { command: 'before', executors: ['cpu (reference)', 'cuda'], kernels: 100, values: 1000, failures: 1 };
    writeFileSync(document, JSON.stringify({ gpu: 'A GPU', runs: [old] }));
    expect(merge([run(0, 4)])).toMatchObject({ kernels: 104, kernelsOnWebGpuAndNatively: 4 });
    // The first run continued while the second one ran.
    const withMatrices = { ...run(10, 6), matrix: 'hopper', holding: 'mma[.]' };
    expect(merge([run(0, 9), withMatrices])).toEqual({
      kernels: 115,
      values: 1105,
      failures: 1,
      kernelsOnWebGpuAndNatively: 15,
      failuresThere: 0,
    });
    const { gpu, runs } = JSON.parse(readFileSync(document, 'utf8'));
    expect([gpu, runs.length, runs[0].command]).toEqual(['A GPU', 3, 'before']);
    expect(runs[1]).toMatchObject({
      command: 'npx lanewise fuzz --on dawn,cuda --jobs 2 --seed 5 --first 0 --seconds 2',
      kernels: 9,
      changed: [3],
    });
    expect(runs[2].command).toBe(
      "npx lanewise fuzz --on dawn,cuda --matrix hopper --holding 'mma[.]' --jobs 2 --seed 5 --first 10 --seconds 2",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('LANEWISE_DAWN names a driver', () => {
  expect(driverFromEnvironment(undefined)).toEqual({ driver: 'default' });
  expect(driverFromEnvironment('lavapipe16')).toEqual({ driver: 'lavapipe', subgroupSize: 16 });
  expect(driverFromEnvironment('swiftshader')).toEqual({ driver: 'swiftshader' });
  expect(() => driverFromEnvironment('lavapipe32')).toThrow(/expected one of .*lavapipe16/);
});

test.skipIf(process.platform === 'win32')('set-up prints its actions as root before it does them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-test-'));
  try {
    // A fake apt-get, which prints its arguments and fails. The script prints the output of a
    // command that fails.
    writeFileSync(join(folder, 'apt-get'), '#!/bin/sh\necho "ran: $@"\nexit 1\n', { mode: 0o755 });
    const program = `import { aptInstall } from './scripts/steps.mjs'; aptInstall(['chromium'], { release: 'x-backports' });`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    });
    const said = stderr.indexOf('set-up: as root: apt-get update, apt-get install chromium from x-backports');
    expect(said).toBeGreaterThanOrEqual(0);
    expect(stderr.indexOf('ran: update')).toBeGreaterThan(said);
  } finally {
    rmSync(folder, { recursive: true });
  }
  // The scripts announce each action as root, and each effect that outlives the setup, just before
  // it happens.
  expect(readFileSync('scripts/lavapipe.mjs', 'utf8')).toMatch(
    /say\(`as root: adding the apt source [^`]*stays[^`]*`\);\n\s*writeFileSync/,
  );
  expect(readFileSync('scripts/setup.mjs', 'utf8')).toMatch(/say\('as root: [^']*--install-deps[^']*'\);/);
});
