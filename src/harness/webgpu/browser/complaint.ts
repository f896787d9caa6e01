import { spawnSync } from 'node:child_process';

const VERSION_TIMEOUT_MS = 5_000;

/** What a browser says when it cannot even print its version: most often a shared library that is missing. '' for nothing. */
export function complaintOf(executablePath: string): string {
  // Browsers on Windows open a window instead.
  if (process.platform === 'win32') return '';
  const { status, stderr } = spawnSync(executablePath, ['--version'], {
    encoding: 'utf8',
    timeout: VERSION_TIMEOUT_MS,
  });
  return status === 0 ? '' : (stderr ?? '').trim();
}
