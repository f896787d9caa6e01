// Output of results to a full disk, a closed pipe, and a folder that cannot be written.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { lanewise as lanewiseHere } from '../../command-line.ts';
import { drawn } from '../../effort.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-output-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const program = fileURLToPath(new URL('../../../bin/lanewise.js', import.meta.url));
writeFileSync(join(folder, 'scan.ptx'), 'shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff;\n');
const validate = ['validate', 'elect.sync:one-warp', '--on', 'cpu', '--seed', '1'];

function lanewise(args: readonly string[], stdout: 'pipe' | number = 'pipe', env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', stdout, 'pipe'],
  });
}

describe.skipIf(!existsSync('/dev/full'))('on a full disk', () => {
  const commands = [[['translate', 'scan.ptx']], [['validate', '--list']], [[...validate, '--json']]] as const;
  test.each(drawn(commands, 1))('%j fails with the reason', (args) => {
    const { status, stderr } = lanewise(args, openSync('/dev/full', 'w'));
    expect(stderr).toMatch(/error: cannot write the output: .*ENOSPC/);
    expect(stderr).not.toContain('    at ');
    expect(status).toBe(2);
  });
});

test('a reader that closes the pipe early is not an error', async () => {
  const child = spawn(process.execPath, [program, 'validate', '--list'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
});

describe('a reports folder that cannot be written', () => {
  // A file has the folder's name, so even root cannot create the folder.
  writeFileSync(join(folder, 'reports'), '');
  async function inFolder(args: readonly string[]) {
    const home = process.cwd();
    process.chdir(folder);
    try {
      return await lanewiseHere(...args);
    } finally {
      process.chdir(home);
    }
  }

  test('keeps the results if no report was requested', async () => {
    const { code, out, err } = await inFolder(validate);
    expect(err).toMatch(/warning: cannot write reports\/validate\.json: .*; the results are only printed/);
    expect(out).toMatch(/All [\d,]+ lane results .* agree/);
    expect(out).not.toContain('Report:');
    expect(code).toBe(0);
  });
  const destinations: readonly (readonly [name: string, args: readonly string[]])[] = [
    ['--html', [...validate, '--html', 'reports/x.html']],
    ['--junit', [...validate, '--junit', 'reports/x.xml']],
    ['fuzz --out', ['fuzz', '--on', 'cpu', '--count', '1', '--out', 'reports/fuzz']],
    ['bench --out', ['bench', 'tool', '--out', 'reports/bench.json']],
  ];
  test.each(destinations)('is found before anything runs: %s', async (_, args) => {
    const { code, out, err } = await inFolder(args);
    expect(err).toMatch(/error: cannot write reports/);
    expect(out).toBe('');
    expect(code).toBe(2);
  });
});

test('inside GitHub Actions, text from other sources runs no workflow command', () => {
  const name = 'x\n::error file=a::b.ptx';
  writeFileSync(join(folder, name), 'add.u32 nonsense;');
  const { stderr, status } = lanewise(['translate', name], 'pipe', { GITHUB_ACTIONS: 'true' });
  expect(status).toBe(2);
  expect(stderr).toContain('PTX');
  expect(stderr.split('\n').filter((line) => line.trimStart().startsWith('::'))).toEqual([]);
  const absent = lanewise(['translate', 'absent\n::error::x'], 'pipe', { GITHUB_ACTIONS: 'true' });
  expect(absent.stderr.split('\n').filter((line) => line.trimStart().startsWith('::'))).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'Ctrl-C ends a run in several processes without errors about broken pipes',
  async () => {
    const args = [program, 'fuzz', '--on', 'cpu', '--jobs', '2', '--seconds', '120', '--out', 'interrupted'];
    // The child has its own process group, because a terminal interrupts a whole group.
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let errors = '';
    child.stderr.on('data', (text) => {
      errors += text;
    });
    const ended = once(child, 'close');
    await expect.poll(() => errors, { timeout: 120_000 }).toContain('reference interpreter');
    await new Promise((done) => setTimeout(done, 300));
    process.kill(-(child.pid ?? 0), 'SIGINT');
    const [code] = await ended;
    expect(errors).not.toMatch(/EPIPE|ERR_IPC| {4}at /);
    expect(code).toBe(130);
  },
);
