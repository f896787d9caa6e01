// Ctrl-C leaves nothing behind: no browser, no profile folder, no child process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import { hasDawnDriver } from '../../src/harness/webgpu/dawn/dawn.ts';

const hasBrowser = await findBrowser().then(
  () => true,
  () => false,
);

const CASES = [
  {
    name: 'chrome',
    present: hasBrowser,
    open: "(await import('./dist/harness/webgpu/browser/chrome.js')).openChrome()",
  },
  {
    name: 'dawn',
    present: hasDawnDriver({ driver: 'swiftshader' }),
    open: "(await import('./dist/harness/webgpu/dawn/dawn.js')).openDawn({ driver: 'swiftshader' })",
  },
];

for (const { name, present, open } of CASES) {
  // Reads /proc to see what is still running.
  test.skipIf(!present || process.platform !== 'linux')(`${name} is closed on SIGINT`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lanewise-interrupt-'));
    const program = `await ${open}; console.log('open'); setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      // Every process below inherits the folder's name, by which it is found.
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      expect(processesWith(folder).length).toBeGreaterThan(1);
      child.kill('SIGINT');
      const [code] = await once(child, 'exit');
      expect(code).toBe(130);
      await expect.poll(() => processesWith(folder), { timeout: 60_000 }).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/// Ids of the processes whose environment holds `text`. One that has ended, and waits to be reaped, has none.
function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/environ`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}
