// Opens a session in a browser through a WebDriver endpoint.

import type { GpuSession } from '../../../runtime/device/job.ts';
import { requirePackage } from '../../sessions/packages.ts';
import { openPageSession } from './page-transport.ts';
import { WebDriverDriver } from './webdriver-driver.ts';
import type { WebDriverTarget } from './webdriver-target.ts';

/**
 * The default time limit in milliseconds. A grid may wait for a free machine, and a cloud may have
 * to start one.
 */
const OPEN_TIMEOUT_MS = 300_000;

/**
 * Opens a browser, a page and a device. Throws `GpuError` 'unavailable' if there is no session or
 * no adapter, and 'timeout'.
 */
export async function openWebDriver(target: WebDriverTarget, openTimeoutMs = OPEN_TIMEOUT_MS): Promise<GpuSession> {
  requirePackage('selenium-webdriver', 'webdriver');
  return await openPageSession(new WebDriverDriver(target), { timeoutMs: openTimeoutMs, serve: target.serve });
}
