import { spawnSync } from 'node:child_process';

const VERSION_TIMEOUT_MS = 5_000;

/**
 * Runs the browser to print its version. Returns its error output if that fails, usually because a
 * shared library is missing, and '' otherwise.
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
