// No process, folder or session of a command remains after Ctrl-C, a kill, a crash of the browser
// or GPU process, or a full disk. `LANEWISE_LONG=1` makes 200 random tries;
// docs/results/leftovers.json records such a run.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { findBrowser, findFirefox } from '../../src/harness/webgpu/browser/find-browser.ts';
import { hasDawnDriver } from '../../src/harness/webgpu/dawn/dawn.ts';
import { seed } from '../seed.ts';

const isLong = process.env.LANEWISE_LONG === '1';

const hasBrowser = await findBrowser().then(
  () => true,
  () => false,
);

function has(find: () => unknown): boolean {
  try {
    return find() !== false;
  } catch {
    return false;
  }
}

const present = {
  chrome: hasBrowser,
  dawn: hasDawnDriver({ driver: 'lavapipe', subgroupSize: 8 }),
  firefox: has(findFirefox),
  webdriver: hasBrowser && has(() => execFileSync('chromedriver', ['--version'])),
};
const on = Object.entries(present).flatMap(([name, isPresent]) => (isPresent ? [name] : []));

// The test reads /proc to find the processes that still run.
test.skipIf(on.length === 0 || process.platform !== 'linux')(
  `commands leave nothing running, seed ${seed}`,
  async () => {
    const short = ['--tries', '2', '--jobs', '2', '--works', 'run,endless', '--within', '3000'];
    // The child process that owns a WebDriver session ends the session when its browser has opened.
    // This may take long on a machine under load.
    const options = ['--on', on.join(), '--seed', String(seed), '--clean', '60000', ...(isLong ? [] : short)];
    const args = ['scripts/stress-leftovers.mjs', ...options];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
    const [code] = await once(child, 'close');
    expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/ 0 left something/) });
  },
  7_200_000,
);
