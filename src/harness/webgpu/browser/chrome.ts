// Opens a session in headless Chrome.

import { GpuError, type GpuSession } from '../../../runtime/device/job.ts';
import { requirePackage } from '../../sessions/packages.ts';
import { ChromeDriver } from './chrome-driver.ts';
import { chromeFlags, type FlagChoice, flagChoices, thisMachine } from './chrome-flags.ts';
import { findBrowser } from './find-browser.ts';
import { type OpenInPage, openPageSession } from './page-transport.ts';

export interface ChromeOptions {
  /**
   * The kind of adapter. `auto` tries the GPU if the machine may have one, and otherwise uses
   * SwiftShader.
   */
  readonly adapter?: 'auto' | 'hardware' | 'software';
  readonly openTimeoutMs?: number;
}

const OPEN_TIMEOUT_MS = 60_000;

/**
 * Opens a browser, a page and a device. `adapter.software` says whether the device is a software
 * adapter. Throws `GpuError` 'unavailable' if there is no browser or no adapter, and 'timeout'.
 */
export const openChrome = (options: ChromeOptions = {}): Promise<GpuSession> => openInChrome(options, openPageSession);

/** A page with an opened device. */
interface DevicePage {
  readonly adapter: { readonly software?: boolean };
  close(): Promise<void>;
}

/**
 * Opens Chrome with the flags for its best adapter, and a page of it with `open`. Throws as
 * `openChrome` does.
 */
export async function openInChrome<T extends DevicePage>(options: ChromeOptions, open: OpenInPage<T>): Promise<T> {
  const { adapter = 'auto', openTimeoutMs = OPEN_TIMEOUT_MS } = options;
  const { path } = await findBrowser().catch((error: unknown) => {
    // If there is no browser, Puppeteer can be installed, which also installs a browser.
    requirePackage('puppeteer', 'chrome');
    throw error;
  });
  // If the user has set the flags, there is no choice to make.
  if (process.env.CHROME_FLAGS?.trim()) return await launch(path, 'hardware', openTimeoutMs, open);
  const choices = flagChoices(adapter, thisMachine());
  for (const choice of choices.slice(0, -1)) {
    try {
      const session = await launch(path, choice, openTimeoutMs, open);
      if (!session.adapter.software) return session;
      // Chrome chose a software adapter by itself. Start Chrome again with the flags for software
      // adapters, which are well tested.
      await session.close();
    } catch (error) {
      if (!(error instanceof GpuError)) throw error;
    }
  }
  return await launch(path, choices.at(-1) ?? 'software', openTimeoutMs, open);
}

async function launch<T>(
  executablePath: string,
  choice: FlagChoice,
  timeoutMs: number,
  open: OpenInPage<T>,
): Promise<T> {
  const flags = chromeFlags(choice, {
    override: process.env.CHROME_FLAGS,
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
  });
  return await open(new ChromeDriver(executablePath, flags), { timeoutMs });
}
