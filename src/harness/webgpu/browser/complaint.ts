import { spawnSync } from 'node:child_process';

const VERSION_TIMEOUT_MS = 5_000;

/**
 * Asks a browser for its version. Returns its output if it fails, usually because a shared library
 * is missing; otherwise ''.
 */
export function complaintOf(executablePath: string): string {
  // On Windows, a browser would open a window instead.
  if (process.platform === 'win32') return '';
  const { status, stderr } = spawnSync(executablePath, ['--version'], {
    encoding: 'utf8',
    timeout: VERSION_TIMEOUT_MS,
  });
  return status === 0 ? '' : (stderr ?? '').trim();
}
