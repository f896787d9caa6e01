// Limits that the system sets end the program with exit code 3 or 4 and a message, never with a
// signal or the code of a mismatch.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { isOutOfResources, limitsAddressSpace } from '../../../../src/harness/sessions/system-limits.ts';
import { writeBallotCase } from '../../../ballot-case.ts';

const program = fileURLToPath(new URL('../../../../bin/lanewise.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lanewise-limits-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const limitsOf = (size: string) => `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max address space         ${size}           unlimited            bytes
`;

test.runIf(process.platform === 'linux').each([
  ['2147483648', true],
  ['unlimited ', false],
])('an address space of %s', (size, expected) => expect(limitsAddressSpace(() => limitsOf(size))).toBe(expected));

test.each([
  ['EMFILE', true],
  ['ENFILE', true],
  ['EAGAIN', true],
  ['ENOENT', false],
])('%s', (code, expected) => expect(isOutOfResources(Object.assign(new Error(code), { code }))).toBe(expected));

describe.skipIf(process.platform !== 'linux')('under ulimit', () => {
  const path = writeBallotCase(folder, 'limits', 0x1f);
  const run = (limit: string) => {
    const command = `ulimit -c 0; ulimit ${limit} && exec "$0" "$@"`;
    const argv = ['-c', command, process.execPath, program, 'run', path, '--on', 'cpu'];
    return spawnSync('sh', argv, { encoding: 'utf8', timeout: 60_000 });
  };

  test('-v: the reference runs, in its own process', () => {
    const { status, signal, stdout } = run('-v 2000000');
    expect({ status, signal, stdout }).toEqual({
      status: 0,
      signal: null,
      stdout: expect.stringContaining('1 of 1 passed'),
    });
  });

  test('-n: the exit code is not the one of a mismatch', () => {
    for (const files of [20, 27]) {
      const { status, stderr } = run(`-n ${files}`);
      expect({ status, stderr }).toEqual({ status: 3, stderr: expect.stringContaining('EMFILE') });
    }
  });
});
