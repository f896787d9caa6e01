// Browsers through WebDriver, with chromedriver in place of a grid. scripts/try-grid.mjs uses a
// real grid.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openExecutor } from '../../src/harness/executors/open-executor.ts';
import { openOnTarget } from '../../src/harness/executors/open-gpu-executor.ts';
import { CampaignFile } from '../../src/harness/fleet/campaign-file.ts';
import { parseFleet } from '../../src/harness/fleet/fleet-file.ts';
import { validatePieces } from '../../src/harness/fleet/pieces.ts';
import { runFleet } from '../../src/harness/fleet/run-fleet.ts';
import { machinesOf, resultsOf } from '../../src/harness/runs/merge-results.ts';
import { totals } from '../../src/harness/runs/results.ts';
import { validate } from '../../src/harness/runs/validate.ts';
import { planLaunches } from '../../src/harness/suites/index.ts';
import { chromeFlags } from '../../src/harness/webgpu/browser/chrome-flags.ts';
import { findBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import { freePort } from '../free-port.ts';
import { type Chromedriver, startChromedriver } from './chromedriver.ts';
import { startSmallHub } from './small-hub.ts';

const browser = await findBrowser().then(
  ({ path }) => path,
  () => undefined,
);

function hasDriver(): boolean {
  try {
    return execFileSync('chromedriver', ['--version'], { encoding: 'utf8' }).startsWith('ChromeDriver');
  } catch {
    return false;
  }
}

/** Whether a process runs. A zombie, whose parent has not waited for it, does not run. */
function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

describe.skipIf(browser === undefined || !hasDriver())('webdriver', () => {
  let driver: Chromedriver;
  let url: string;
  const args = [
    '--headless=new',
    ...chromeFlags('software', { override: undefined, platform: process.platform, isRoot: true }),
  ];
  const options = { binary: browser, args };

  beforeAll(async () => {
    driver = await startChromedriver();
    url = driver.url;
  }, 120_000);
  afterAll(() => driver?.end());

  it('ends the browser of a session that was not closed', async () => {
    const other = await startChromedriver();
    onTestFinished(() => other.end());
    const capabilities = { alwaysMatch: { 'goog:chromeOptions': options } };
    const reply = await fetch(`${other.url}/session`, { method: 'POST', body: JSON.stringify({ capabilities }) });
    expect(reply.status).toBe(200);
    const browser = Number(execFileSync('pgrep', ['-P', String(other.pid)], { encoding: 'utf8' }));
    expect(isRunning(browser)).toBe(true);
    await other.end();
    await expect.poll(() => isRunning(browser), { timeout: 60_000 }).toBe(false);
  }, 180_000);

  it('opens a browser, describes it, and agrees in every lane', async () => {
    const executor = await openExecutor(`webdriver=${url}?goog:chromeOptions=${JSON.stringify(options)}`);
    try {
      const { name, on, adapter } = executor.describe();
      expect(name).toBe('webdriver');
      expect(on).toContain(`webdriver=${url}?browserName=chrome&goog:chromeOptions=`);
      expect(adapter).toMatchObject({ software: true });
      expect(adapter?.host).toMatch(/^chrome[\w-]*\/\d.* linux$/);
      const queries = ['vote.sync:any:immediate'];
      const results = await validate({ queries, seed: 1, executors: [executor] });
      expect(results.map(({ status }) => status)).toEqual(results.map(() => 'pass'));
      expect(totals(results).compared).toBeGreaterThan(1000);
    } finally {
      await executor.close();
    }
  }, 180_000);

  it('a fleet finishes all pieces, even if a browser is killed and the hub restarts', async () => {
    const hub = await startSmallHub(url);
    onTestFinished(() => hub.stop());
    const [machine] = parseFleet(
      'fleet.json',
      JSON.stringify({
        grid: hub.url,
        serve: `127.0.0.1:${await freePort()}`,
        machines: [{ name: 'this one', sessions: 1, capabilities: { 'goog:chromeOptions': options } }],
      }),
    );
    if (!machine) throw new Error('the file has one machine');
    const queries = ['elect.sync'];
    const pieces = validatePieces({ queries, seed: 1, exhaustive: false });
    expect(pieces.length).toBeGreaterThan(1);
    const campaign = new CampaignFile(undefined, {});
    let killed = false;
    let restarted: Promise<void> | undefined;
    const restart = async (): Promise<void> => {
      await hub.stop();
      await new Promise((resolve) => setTimeout(resolve, 500));
      await hub.start();
    };
    const ends = await runFleet({
      machines: [{ ...machine, open: () => openOnTarget(machine.target, {}) }],
      pieces,
      isDone: () => false,
      waitMs: 120_000,
      retryMs: 200,
      onOpened() {
        if (killed) return;
        killed = true;
        // Kills one of the driver's children: the browser of the session that has just opened.
        execFileSync('pkill', ['-KILL', '-P', String(driver.pid), '-o']);
      },
      onPiece(name, piece, results) {
        campaign.add(name, piece, results);
        restarted ??= restart();
      },
    });
    await restarted;
    await hub.stop();
    expect(restarted).toBeDefined();
    expect(ends).toEqual([{ machine: 'this one', left: [], reason: '' }]);
    const results = campaign.resultsOf(
      'this one',
      pieces.map(({ id }) => id),
    );
    const [merged] = machinesOf('fleet.json', { schemaVersion: 1, results });
    expect(merged?.name).toMatch(/, this one$/);
    expect(merged && resultsOf(merged).map(({ status }) => status)).toEqual(results.map(() => 'pass'));
    expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
    const plan = planLaunches({ queries, seed: 1, exhaustive: false });
    const ids = plan.flatMap(({ suites }) => suites.map(({ id }) => id));
    expect(new Set(results.map(({ id }) => id))).toEqual(new Set(ids));
    // There is no open session.
    const { value: left } = await (await fetch(`${url}/sessions`)).json();
    expect(left).toEqual([]);
  }, 300_000);
});
