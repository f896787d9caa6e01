// Shared functions of the setup scripts: quiet commands, progress lines, and apt.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Prints one short line about a step that has changed something. */
export function say(message) {
  process.stderr.write(`set-up: ${message}\n`);
}

/**
 * Runs a command without its output. Returns true on success; on failure prints the output,
 * shortened. The command is killed after `timeoutMs`. `quiet` also omits the output of a failure,
 * if a failure is expected.
 */
/** @type {(command: string, args: readonly string[], options?: { timeoutMs?: number, env?: object, cwd?: string, quiet?: boolean }) => boolean} */
export function run(command, args, { timeoutMs = 900_000, env = {}, cwd, quiet = false } = {}) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 << 20,
    env: { ...process.env, ...env },
    // On Windows, npm and npx are .cmd files, which can be started only by a shell.
    shell: process.platform === 'win32',
    ...(cwd ? { cwd } : {}),
  });
  if (result.status === 0) return true;
  if (!quiet) {
    const written = `${result.stdout ?? ''}\n${result.stderr ?? ''}`.trim().split('\n');
    // npm reports the reason of a failure first, but compilers and apt report it last, so print the
    // beginning and the end.
    const shown = written.length > 24 ? [...written.slice(0, 12), '…', ...written.slice(-12)] : written;
    for (const line of shown) process.stderr.write(`    ${line}\n`);
    const reason = result.error?.message ?? `exit ${result.status ?? result.signal}`;
    say(`\`${command} ${args.join(' ')}\` failed (${reason})`);
  }
  return false;
}

/**
 * Returns `{ id, codename, version }` of a system of the Debian family, or undefined on other
 * systems.
 */
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

/** Returns whether apt works on this machine without a password. */
export function canUseApt() {
  return process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/**
 * Installs packages, after an update of the package lists once per run. `release` selects a suite
 * such as backports.
 */
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

/**
 * Runs `apt-get update`. Ignores the failure of a source, because the package may come from another
 * source.
 */
export function aptUpdate({ again = false } = {}) {
  if (updated && !again) return;
  run('apt-get', ['update'], { timeoutMs: 180_000 });
  updated = true;
}
