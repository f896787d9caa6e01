// What the set-up scripts share: running a command quietly, saying what is done, and apt.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** One short line for each step that had something to do. */
export function say(message) {
  process.stderr.write(`set-up: ${message}\n`);
}

/**
 * Runs a command without its chatter. Returns true on success; on failure prints what it wrote, shortened.
 * `timeoutMs` kills it; `quiet` drops the lines as well, where failing is an expected answer.
 */
/** @type {(command: string, args: readonly string[], options?: { timeoutMs?: number, env?: object, cwd?: string, quiet?: boolean }) => boolean} */
export function run(command, args, { timeoutMs = 900_000, env = {}, cwd, quiet = false } = {}) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 << 20,
    env: { ...process.env, ...env },
    // Windows has npm and npx as .cmd files, which only a shell starts.
    shell: process.platform === 'win32',
    ...(cwd ? { cwd } : {}),
  });
  if (result.status === 0) return true;
  if (!quiet) {
    const written = `${result.stdout ?? ''}\n${result.stderr ?? ''}`.trim().split('\n');
    // npm says the reason first, compilers and apt say it last.
    const shown = written.length > 24 ? [...written.slice(0, 12), '…', ...written.slice(-12)] : written;
    for (const line of shown) process.stderr.write(`    ${line}\n`);
    const reason = result.error?.message ?? `exit ${result.status ?? result.signal}`;
    say(`\`${command} ${args.join(' ')}\` failed (${reason})`);
  }
  return false;
}

/** `{ id, codename, version }` of a Debian family system, undefined elsewhere. */
export function debianRelease() {
  if (!existsSync('/etc/debian_version') || !existsSync('/etc/os-release')) return undefined;
  const fields = new Map(
    readFileSync('/etc/os-release', 'utf8')
      .split('\n')
      .map((line) => line.split('='))
      .filter((pair) => pair.length === 2)
      .map(([key, value]) => [key, value.replace(/^"|"$/g, '')]),
  );
  return {
    id: fields.get('ID') ?? '',
    codename: fields.get('VERSION_CODENAME') ?? '',
    version: fields.get('VERSION_ID') ?? '',
  };
}

/** Whether apt can be used here without asking anybody. */
export function canUseApt() {
  return process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** Refreshes the lists once a run, then installs. `release` picks a suite such as backports. */
/** @type {(packages: readonly string[], options?: { release?: string }) => boolean} */
export function aptInstall(packages, { release } = {}) {
  say(`as root: apt-get update, apt-get install ${packages.join(' ')}${release ? ` from ${release}` : ''}`);
  aptUpdate();
  const target = release ? ['-t', release] : [];
  return run('apt-get', ['install', '-y', '--no-install-recommends', ...target, ...packages], {
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  });
}

let updated = false;

/** `apt-get update`. A source that fails is no reason to stop: the package may come from another. */
export function aptUpdate({ again = false } = {}) {
  if (updated && !again) return;
  run('apt-get', ['update'], { timeoutMs: 180_000 });
  updated = true;
}
