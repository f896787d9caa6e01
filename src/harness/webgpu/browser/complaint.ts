import { spawnSync } from 'node:child_process';

const VERSION_TIMEOUT_MS = 5_000;

/**
 * Returns the output of a browser that cannot even print its version; the usual cause is a missing
 * shared library. Returns '' if it can.
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
