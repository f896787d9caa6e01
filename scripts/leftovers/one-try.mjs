// One try: starts a command, causes an event at a random moment, and checks for leftovers.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kill, markerName, Watch } from './processes.mjs';

/**
 * The time limit of a command in milliseconds. After an event that is not a signal, the command may
 * recover, and must then end by itself. Firefox needs minutes on a machine under load.
 */
const END_MS = 600_000;
const STEP_MS = 50;
const DISK_BYTES = 256 << 20;

/** Patterns for the command lines of a browser's main process and of its GPU process. */
const victims = {
  chrome: { browser: /--remote-debugging-pipe/, gpu: /--type=gpu-process/ },
  firefox: { browser: /--profile (?!.*-contentproc)/, gpu: /-contentproc/ },
  webdriver: { browser: /^(?!.*--type=).*--user-data-dir/, gpu: /--type=gpu-process/ },
  dawn: { browser: /dawn-child/, gpu: /dawn-child/ },
};

export const executors = Object.keys(victims);
export const events = ['SIGINT', 'SIGTERM', 'SIGKILL', 'killed browser', 'killed GPU process', 'full disk'];

/**
 * `command`: the arguments of `lanewise`. `delayMs`: the time of `event`; undefined means no event.
 * `random`: numbers from 0 to 1. `cleanLimitMs`: the limit for all leftovers to disappear.
 * @param {{ on: string, command: (url?: string) => string[], event?: string, delayMs?: number,
 *   random: () => number, program: string, cleanLimitMs: number }} choice
 * @returns The times of the start, the event and the end of the command, and the leftovers that
 *   remain after `cleanLimitMs`.
 */
export async function oneTry({ on, command, event, delayMs, random, program, cleanLimitMs }) {
  const marker = `${process.pid}-${Math.floor(random() * 2 ** 48).toString(36)}`;
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-stress-'));
  const temporary = join(folder, 'tmp');
  const remote = join(folder, 'remote');
  for (const path of [temporary, remote]) mkdirSync(path);
  const isMounted = event === 'full disk';
  if (isMounted) mount(temporary);
  const env = { ...process.env, [markerName]: marker, TMPDIR: temporary, LANEWISE_CACHE: 'off', GALLIVM_PERF: 'nopt' };
  const watch = new Watch(marker);
  const driver = on === 'webdriver' ? await startDriver({ ...env, TMPDIR: remote }) : undefined;
  if (driver) watch.ignore(driver.process.pid);
  try {
    const args = [program, ...command(driver?.url)];
    const child = spawn(process.execPath, args, { env, detached: true, stdio: 'ignore' });
    const exit = once(child, 'exit').then(() => performance.now());
    const began = performance.now();
    let ended = false;
    void exit.then(() => (ended = true));
    const happened = event === undefined ? began : await happen();
    const limitMs = event?.startsWith('SIG') ? cleanLimitMs : END_MS;
    const end = await Promise.race([exit, sleep(limitMs, undefined, { ref: false })]);
    if (end === undefined) {
      const left = watch.look().map(({ command: text }) => text.slice(0, 200));
      const late = await Promise.race([exit, sleep(END_MS, undefined, { ref: false })]);
      return { began, happened, hung: true, lateMs: late && late - happened, left, ended: undefined, files: [] };
    }
    // After a signal to the command, the leftovers must end within the limit. The command may
    // recover from other events, so in these cases the limit starts when the command ends.
    const from = event?.startsWith('SIG') ? happened : end;
    return { began, happened, ended: end, hung: false, ...(await remaining(from)) };

    async function happen() {
      for (const until = performance.now() + delayMs; performance.now() < until && !ended; await sleep(STEP_MS)) {
        watch.look();
      }
      watch.look();
      if (event.startsWith('SIG')) {
        // Send the signal to the command or to its whole process group. A terminal or a service
        // manager signals the group.
        kill(random() < 0.5 ? -child.pid : child.pid, event);
        return performance.now();
      }
      if (event === 'full disk') {
        fill(join(temporary, 'filler'));
        return performance.now();
      }
      const pattern = victims[on][event === 'killed browser' ? 'browser' : 'gpu'];
      for (; !ended; await sleep(STEP_MS)) {
        const found = watch.look().filter(({ command: text }) => pattern.test(text));
        if (found.length === 0) continue;
        kill(found[Math.floor(random() * found.length)].pid, 'SIGKILL');
        return performance.now();
      }
      return undefined;
    }

    async function remaining(from) {
      for (;;) {
        const left = watch.look().map(({ command: text }) => text.slice(0, 200));
        const sessions = driver ? await sessionsOf(driver.url) : [];
        const files = readdirSync(temporary).filter((name) => name !== 'filler');
        if (left.length + sessions.length + files.length === 0)
          return { cleanMs: performance.now() - from, left, files };
        if (performance.now() - from > cleanLimitMs) return { left: [...left, ...sessions], files };
        await sleep(STEP_MS);
      }
    }
  } finally {
    watch.killAll();
    if (driver) kill(driver.process.pid, 'SIGKILL');
    if (isMounted) spawnSync('umount', ['--lazy', temporary]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/**
 * Returns whether this user may mount a file system, which is necessary for the full-disk event.
 */
export function canMount() {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-stress-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', folder]);
  if (status === 0) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return status === 0;
}

function mount(folder) {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder]);
  if (status !== 0) throw new Error(`cannot mount ${folder}`);
}

function fill(path) {
  const file = openSync(path, 'w');
  try {
    for (let size = 1 << 20; size >= 1; size >>= 1) {
      const block = new Uint8Array(size);
      try {
        for (;;) if (writeSync(file, block) < size) break;
      } catch {
        // The disk no longer has space for a block of this size.
      }
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Starts a chromedriver only for this try. It represents another machine, so folders that it leaves
 * after a session do not count as leftovers.
 */
async function startDriver(env) {
  const port = await freePort();
  const driver = spawn('chromedriver', [`--port=${port}`], { env, detached: true, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  for (const until = performance.now() + 60_000; performance.now() < until; await sleep(STEP_MS)) {
    const answer = await fetch(`${url}/status`).catch(() => undefined);
    if (answer?.ok) return { process: driver, url };
  }
  kill(driver.pid, 'SIGKILL');
  throw new Error('chromedriver does not answer');
}

async function sessionsOf(url) {
  try {
    const { value } = await (await fetch(`${url}/sessions`, { signal: AbortSignal.timeout(5_000) })).json();
    return value.map(({ id }) => `session ${id}`);
  } catch {
    // The driver does not answer while it ends a browser. In that case, the search for leftovers
    // finds the browser's processes.
    return [];
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
