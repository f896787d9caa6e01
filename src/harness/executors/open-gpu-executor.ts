// Opens the WebGPU executors in Node: a browser, or Dawn.

import type { GpuSession } from '../../runtime/device/job.ts';
import { preflight } from '../../runtime/preflight/preflight.ts';
import type { WebDriverTarget } from '../webgpu/browser/webdriver-target.ts';
import { type ExecutorChoice, isWebDriver, type OpenOptions, type StartedExecutor } from './executor.ts';
import type { Facts, GpuExecutor, GpuExecutorIdentity, GpuExecutorName } from './gpu-executor.ts';

export type GpuExecutorChoice = Extract<ExecutorChoice, GpuExecutorName | `webdriver=${string}`>;

/**
 * Starts to open a session and to measure it. Throws RangeError for an invalid adapter name or
 * address. `opened` rejects with `GpuError` 'unavailable'.
 */
export async function startGpuExecutor(
  choice: GpuExecutorChoice,
  options: OpenOptions,
): Promise<StartedExecutor<GpuExecutor>> {
  const { identity, open } = await sessionOpener(choice, options.adapter);
  const device = open();
  return { device, opened: openSession({ identity, open }, options, device) };
}

/**
 * Opens an executor as `startGpuExecutor` does. The WebDriver target is an object instead of a
 * text.
 */
export async function openOnTarget(target: WebDriverTarget, options: OpenOptions): Promise<GpuExecutor> {
  const opener = await webDriverOpener(target);
  return await openSession(opener, options, opener.open());
}

/** Opens the executor. `opening` is the first session, which has already been requested. */
async function openSession(
  { identity, open }: SessionOpener,
  options: OpenOptions,
  opening: Promise<GpuSession>,
): Promise<GpuExecutor> {
  // Load the translator, which is a megabyte of code, while the browser or the process starts.
  const [session, executors, { translate }] = await Promise.all([
    opening,
    import('./gpu-executor.ts'),
    import('../../translate/index.ts'),
  ]);
  try {
    const facts = { ...(await factsOf(session, identity, options)), translate };
    return new executors.GpuExecutor(identity, options, open, session, facts);
  } catch (error) {
    await session.close();
    throw error;
  }
}

/**
 * Returns the cached facts of the adapter, or measures them. Facts of a browser on WebDriver are
 * never cached, because its machine cannot be identified.
 */
async function factsOf(
  session: GpuSession,
  { name }: GpuExecutorIdentity,
  options: OpenOptions,
): Promise<Omit<Facts, 'translate'>> {
  const { adapter } = session;
  const store = options.facts === 'kept' && name !== 'webdriver' ? await import('./preflight-store.ts') : undefined;
  const kept = store?.readKept(adapter);
  if (kept) return { measured: kept.preflight, measuredAt: kept.since };
  const measured = await preflight(session);
  store?.keep(adapter, measured);
  return { measured };
}

interface SessionOpener {
  readonly identity: GpuExecutorIdentity;
  readonly open: () => Promise<GpuSession>;
}

async function webDriverOpener(target: WebDriverTarget): Promise<SessionOpener> {
  const { openWebDriver } = await import('../webgpu/browser/webdriver.ts');
  const { shownTarget } = await import('../webgpu/browser/webdriver-target.ts');
  return { identity: { name: 'webdriver', on: shownTarget(target) }, open: () => openWebDriver(target) };
}

/**
 * Returns a function that opens sessions of a kind. Loads the modules for browsers or Dawn on
 * demand.
 */
async function sessionOpener(choice: GpuExecutorChoice, adapter: string | undefined): Promise<SessionOpener> {
  if (isWebDriver(choice)) {
    if (adapter !== undefined)
      throw new RangeError(`unknown adapter '${adapter}' for webdriver: the capabilities select the adapter`);
    const { parseWebDriverTarget } = await import('../webgpu/browser/webdriver-target.ts');
    return await webDriverOpener(parseWebDriverTarget(choice.slice('webdriver='.length)));
  }
  const identity = { name: choice };
  if (choice === 'dawn') {
    const { openDawn } = await import('../webgpu/dawn/dawn.ts');
    const { driverFromEnvironment } = await import('../webgpu/dawn/vulkan-drivers.ts');
    const driver = adapter === undefined ? {} : driverFromEnvironment(adapter);
    return { identity, open: () => openDawn(driver) };
  }
  if (choice === 'firefox') {
    if (adapter !== undefined)
      throw new RangeError(`unknown adapter '${adapter}' for firefox: it uses the machine's own adapter`);
    const { openFirefox } = await import('../webgpu/browser/firefox.ts');
    return { identity, open: () => openFirefox() };
  }
  const { openChrome } = await import('../webgpu/browser/chrome.ts');
  const choices = { swiftshader: 'software', hardware: 'hardware' } as const;
  if (adapter === undefined) return { identity, open: () => openChrome() };
  if (adapter !== 'swiftshader' && adapter !== 'hardware') {
    throw new RangeError(`unknown adapter '${adapter}' for chrome: expected swiftshader or hardware`);
  }
  return { identity, open: () => openChrome({ adapter: choices[adapter] }) };
}
