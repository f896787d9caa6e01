// Opens a session in headless Firefox, driven by Puppeteer through WebDriver BiDi. Firefox
// implements WebGPU by wgpu, with the shader compiler naga, and lacks subgroups.

import { join } from 'node:path';
import type { GpuSession } from '../../../runtime/device/job.ts';
import { requirePackage } from '../../sessions/packages.ts';
import { findFirefox } from './find-browser.ts';
import { type OpenInPage, openPageSession } from './page-transport.ts';
import { PuppeteerDriver } from './puppeteer-driver.ts';

/** Firefox's preferences, each with its reason. */
const PREFERENCES = {
  // WebGPU is on by default only on Windows and macOS.
  'dom.webgpu.enabled': true,
  // The blocklist contains software adapters and drivers of data center cards.
  'gfx.webgpu.ignore-blocklist': true,
  // The page does not use any network except 127.0.0.1.
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  // A kernel may run longer than the limit for a page's script.
  'dom.max_script_run_time': 0,
} as const;

const OPEN_TIMEOUT_MS = 90_000;

/**
 * Opens Firefox, a page and a device. `adapter.software` says whether the adapter is Mesa's
 * lavapipe. Throws `GpuError` 'unavailable' if there is no Firefox or no adapter, and 'timeout'.
 */
export const openFirefox = (options: FirefoxOptions = {}): Promise<GpuSession> =>
  openInFirefox(options, openPageSession);

export interface FirefoxOptions {
  readonly openTimeoutMs?: number;
}

/** Opens Firefox, and a page of it with `open`. Throws as `openFirefox` does. */
export async function openInFirefox<T>(options: FirefoxOptions, open: OpenInPage<T>): Promise<T> {
  requirePackage('puppeteer', 'firefox');
  const executablePath = findFirefox();
  const timeoutMs = options.openTimeoutMs ?? OPEN_TIMEOUT_MS;
  const driver = new PuppeteerDriver({
    name: 'Firefox',
    executablePath,
    flags: Object.entries(PREFERENCES).map(([name, value]) => `${name}=${value}`),
    timeoutMs,
    options: (folder) => ({
      browser: 'firefox',
      headless: true,
      userDataDir: join(folder, 'profile'),
      extraPrefsFirefox: { ...PREFERENCES },
    }),
  });
  return await open(driver, { timeoutMs });
}
