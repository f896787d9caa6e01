// The line that ends a CI run, and the choice of Dawn's driver by environment variable.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { driverFromEnvironment } from '../../src/harness/gpu/vulkan-drivers.ts';

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
  ['all well', COUNTS, '5 passed, 0 failed, 3 skipped', 0],
  ['a failure', { ...COUNTS, success: false, numFailedTests: 2 }, '5 passed, 2 failed, 3 skipped', 1],
  [
    'a file that does not load',
    { ...COUNTS, success: false, testResults: [BROKEN_FILE] },
    '5 passed, 1 failed, 3 skipped',
    1,
  ],
  ['an error outside of tests', { ...COUNTS, success: false }, '5 passed, 1 failed, 3 skipped', 1],
  ['nothing ran', { ...COUNTS, numPassedTests: 0 }, '0 passed, 1 failed, 3 skipped', 1],
  ['no report', undefined, '0 passed, 1 failed, 0 skipped', 1],
])('count-tests: %s', (_, report, line, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-test-'));
  try {
    const path = join(folder, 'report.json');
    if (report) writeFileSync(path, JSON.stringify(report));
    const { stdout, status } = spawnSync(process.execPath, ['scripts/count-tests.mjs', path], { encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: `${line}\n`, status: code });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('LANEWISE_DAWN names a driver', () => {
  expect(driverFromEnvironment(undefined)).toEqual({ driver: 'default' });
  expect(driverFromEnvironment('lavapipe16')).toEqual({ driver: 'lavapipe', subgroupSize: 16 });
  expect(driverFromEnvironment('swiftshader')).toEqual({ driver: 'swiftshader' });
  expect(() => driverFromEnvironment('lavapipe32')).toThrow(/must be one of .*lavapipe16/);
});
