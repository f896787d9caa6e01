// Opens the executors on WebGPU in Node: a browser, or Dawn.

import type { GpuSession } from '../../runtime/device/job.ts';
import { preflight } from '../../runtime/preflight/preflight.ts';
import type { WebDriverTarget } from '../webgpu/browser/webdriver-target.ts';
import { type ExecutorChoice, isWebDriver, type OpenOptions, type StartedExecutor } from './executor.ts';
import type { Facts, GpuExecutor, GpuExecutorIdentity, GpuExecutorName } from './gpu-executor.ts';

export type GpuExecutorChoice = Extract<ExecutorChoice, GpuExecutorName | `webdriver=${string}`>;

/**
 * Starts to open a session, which is then measured. Throws RangeError for an adapter's name or an address that is none; `opened` throws `GpuError`
 * 'unavailable'.
 */
export async function startGpuExecutor(
  choice: GpuExecutorChoice,
  options: OpenOptions,
): Promise<StartedExecutor<GpuExecutor>> {
  const { identity, open } = await sessionOpener(choice, options.adapter);
  const device = open();
  return { device, opened: openSession({ identity, open }, options, device) };
}

/** As `startGpuExecutor`, for a browser behind WebDriver whose address need not be text. */
export async function openOnTarget(target: WebDriverTarget, options: OpenOptions): Promise<GpuExecutor> {
  const opener = await webDriverOpener(target);
  return await openSession(opener, options, opener.open());
}

/** `opening`: the first session, which has been asked for. */
async function openSession(
  { identity, open }: SessionOpener,
  options: OpenOptions,
  opening: Promise<GpuSession>,
): Promise<GpuExecutor> {
  // The translator is a megabyte, which is loaded while the browser or the process starts.
  const [session, executors] = await Promise.all([opening, import('./gpu-executor.ts')]);
  try {
    return new executors.GpuExecutor(identity, options, open, session, await factsOf(session, identity, options));
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** What is kept of the adapter, or else measured. A browser behind WebDriver runs on a machine that cannot be looked at. */
async function factsOf(session: GpuSession, { name }: GpuExecutorIdentity, options: OpenOptions): Promise<Facts> {
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

/** Opens sessions of that kind. Browsers and Dawn are loaded here, when one is opened. */
async function sessionOpener(choice: GpuExecutorChoice, adapter: string | undefined): Promise<SessionOpener> {
  if (isWebDriver(choice)) {
    if (adapter !== undefined) throw new RangeError(`webdriver has no adapter '${adapter}': capabilities choose it`);
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
      throw new RangeError(`firefox has no adapter '${adapter}': it takes what the machine has`);
    const { openFirefox } = await import('../webgpu/browser/firefox.ts');
    return { identity, open: () => openFirefox() };
  }
  const { openChrome } = await import('../webgpu/browser/chrome.ts');
  const choices = { swiftshader: 'software', hardware: 'hardware' } as const;
  if (adapter === undefined) return { identity, open: () => openChrome() };
  if (adapter !== 'swiftshader' && adapter !== 'hardware') {
    throw new RangeError(`chrome has no adapter '${adapter}': use swiftshader or hardware`);
  }
  return { identity, open: () => openChrome({ adapter: choices[adapter] }) };
}
