// The keeper removes the leftovers of a killed process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  killSession,
  type Leftover,
  leftoverLine,
  leftoversOf,
  nothingLeft,
  removeOnce,
  startOf,
} from '../../../../src/harness/sessions/leftovers.ts';
import { ScratchFolder } from '../../../../src/harness/sessions/scratch-folder.ts';
import { ChromeDriver } from '../../../../src/harness/webgpu/browser/chrome-driver.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-leftovers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isLinux = process.platform === 'linux';

describe('the keeper’s lines', () => {
  const a: Leftover = { kind: 'folder', path: '/tmp/a\n"b"' };
  const b: Leftover = { kind: 'session', pid: 12, start: '34' };
  const plus = (leftover: Leftover): string => leftoverLine('+', leftover);
  const minus = (leftover: Leftover): string => leftoverLine('-', leftover);
  it.each([
    ['nothing', [], []],
    ['both', [plus(a), plus(b)], [a, b]],
    ['a withdrawn one', [plus(a), plus(b), minus(a)], [b]],
    ['everything withdrawn', [plus(a), plus(b), nothingLeft], []],
    ['later lines', [plus(a), nothingLeft, plus(b)], [b]],
    ['an incomplete last line', [plus(a), plus(b).slice(0, -3)], [a]],
  ])('%s', (_, lines, left) => {
    expect(leftoversOf(lines.join('\n'))).toEqual(left);
  });
});

/** Starts a process that sleeps. The test's end kills it. */
function sleeper(options: { readonly detached?: boolean; readonly env?: NodeJS.ProcessEnv } = {}): ChildProcess {
  const child = spawn('sleep', ['600'], { stdio: 'ignore', ...options });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const signalOf = async (child: ChildProcess): Promise<unknown> => (await once(child, 'exit'))[1];

describe.skipIf(!isLinux)('removing', () => {
  it('kills the processes that have a folder’s path in their environment, and removes the folder', async () => {
    const path = join(folder, 'used');
    mkdirSync(join(path, 'below'), { recursive: true });
    writeFileSync(join(path, 'below/file'), '');
    const [user, other] = [sleeper({ env: { TMPDIR: path } }), sleeper({ env: { TMPDIR: join(folder, 'else') } })];
    expect(removeOnce([{ kind: 'folder', path }])).toHaveLength(1);
    expect(await signalOf(user)).toBe('SIGKILL');
    expect(existsSync(path)).toBe(false);
    expect(removeOnce([{ kind: 'folder', path }])).toEqual([]);
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  });

  it('kills the rest of a session after its leader, in any process group', async () => {
    const leader = spawn('setsid', ['sh', '-c', 'sleep 600 & echo $! $$; wait'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line]: [Buffer] = await once(leader.stdout, 'data').then(([data]) => [data]);
    const [left = 0, session = 0] = String(line).trim().split(' ').map(Number);
    process.kill(session, 'SIGKILL');
    await expect.poll(() => startOf(session)).toBe('');
    expect(startOf(left)).not.toBe('');
    killSession(session);
    await expect.poll(() => startOf(left)).toBe('');
  });

  it('spares a process that reuses the id of an ended one', async () => {
    const child = sleeper({ detached: true });
    const { pid = 0 } = child;
    for (const kind of ['process', 'session'] as const) expect(removeOnce([{ kind, pid, start: '1' }])).toEqual([]);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    expect(removeOnce([{ kind: 'process', pid, start: startOf(pid) }])).toHaveLength(1);
    expect(await signalOf(child)).toBe('SIGKILL');
  });
});

// A wrapper that does not `exec`, like Debian's /usr/bin/chromium-headless-shell.
it.skipIf(!isLinux)('a browser whose shell wrapper has died ends when it is closed', async () => {
  const [wrapper, pids] = [join(folder, 'chrome-wrapper'), join(folder, 'pids')];
  writeFileSync(wrapper, `#!/bin/sh\nsleep 600 &\necho $$ $! > ${pids}.new\nmv ${pids}.new ${pids}\nwait\n`, {
    mode: 0o755,
  });
  const driver = new ChromeDriver(wrapper, []);
  driver.start();
  onTestFinished(() => driver.kill());
  await expect.poll(() => existsSync(pids)).toBe(true);
  const [shell = 0, browser = 0] = readFileSync(pids, 'utf8').split(' ').map(Number);
  process.kill(shell, 'SIGKILL');
  await expect.poll(() => startOf(shell)).toBe('');
  await driver.close();
  // The kernel ends a process some time after its signal.
  await expect.poll(() => startOf(browser)).toBe('');
});

it('a scratch folder that cannot be filled is removed', () => {
  expect(() => new ScratchFolder('x', join(folder, 'missing'))).toThrow(/ENOENT/);
  expect(existsSync(join(folder, 'missing'))).toBe(false);
});

// The folder of compiled modules. The keeper's process and the test's program import them.
const modules = new URL('../../../../dist/harness/sessions/', import.meta.url);
const program = `
  import { spawn } from 'node:child_process';
  const { ScratchFolder } = await import(process.argv[1] + 'scratch-folder.js');
  const { keepProcess } = await import(process.argv[1] + 'keeper.js');
  const folder = new ScratchFolder('lanewise-test-');
  const env = folder.environment;
  const found = spawn('sleep', ['600'], { stdio: 'ignore', detached: true, env });
  const kept = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
  const release = keepProcess(kept.pid, 'session');
  if (process.argv[2] === 'released') { found.kill('SIGKILL'); kept.kill('SIGKILL'); release(); await folder.remove(); }
  console.log(JSON.stringify({ folder: folder.path, pids: [found.pid, kept.pid] }));
  if (process.argv[2] === 'spin') for (;;) ;
  if (process.argv[2] !== 'released') setInterval(() => undefined, 1000);
`;

describe.skipIf(!isLinux || !existsSync(modules))('a process that ends', () => {
  it.each([
    ['waits', 'SIGKILL'],
    ['waits', 'SIGTERM'],
    ['spin', 'SIGKILL'],
    ['released', undefined],
  ] as const)('%s, %s: nothing of it remains', async (how, signal) => {
    const temporary = mkdtempSync(join(folder, 'tmp-'));
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, modules.href, how], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    const [text]: [Buffer] = await once(child.stdout, 'data').then(([data]) => [data]);
    const told: { readonly folder: string; readonly pids: readonly number[] } = JSON.parse(String(text));
    expect(existsSync(told.folder)).toBe(how !== 'released');
    if (signal) child.kill(signal);
    await exit;
    await expect.poll(() => told.pids.map(startOf), { timeout: 60_000 }).toEqual(['', '']);
    await expect.poll(() => existsSync(told.folder), { timeout: 60_000 }).toBe(false);
    // The keeper of that process, which has the same environment, also ends.
    await expect.poll(() => keepersIn(temporary), { timeout: 60_000 }).toEqual([]);
  });
});

function keepersIn(temporary: string): string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      return readFileSync(`/proc/${id}/environ`, 'utf8').includes(`TMPDIR=${temporary}`);
    } catch {
      return false;
    }
  });
}

// Node drops a signal if its handler is removed before the event loop delivers the signal.
it.skipIf(!existsSync(modules) || process.platform === 'win32')(
  'a signal during the close of the last session ends the process',
  async () => {
    const program = `
    const { guard } = await import(process.argv[1] + 'open-sessions.js');
    const release = guard({ close: async () => undefined, kill: () => undefined });
    process.kill(process.pid, 'SIGINT');
    release();
    setTimeout(() => console.log('went on'), 3000);
  `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, modules.href], { stdio: 'ignore' });
    expect((await once(child, 'exit'))[0]).toBe(130);
  },
);
