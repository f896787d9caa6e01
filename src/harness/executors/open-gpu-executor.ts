// Opens the executors on WebGPU in Node: a headless browser, or Dawn.

import type { GpuSession } from '../../runtime/device/job.ts';
import type { OpenOptions } from './executor.ts';
import { GpuExecutor, type GpuExecutorName } from './gpu-executor.ts';

/// Opens a session and measures it. Throws `GpuError` 'unavailable', and RangeError for an adapter's name that is none.
export async function openGpuExecutor(name: GpuExecutorName, options: OpenOptions): Promise<GpuExecutor> {
  const open = await sessionOpener(name, options.adapter);
  const { preflight } = await import('../../runtime/preflight/preflight.ts');
  const session = await open();
  try {
    return new GpuExecutor(name, options, open, session, await preflight(session));
  } catch (error) {
    await session.close();
    throw error;
  }
}

/// Opens sessions of that kind. Browsers and Dawn are loaded here, when one is opened.
async function sessionOpener(name: GpuExecutorName, adapter: string | undefined): Promise<() => Promise<GpuSession>> {
  if (name === 'dawn') {
    const { openDawn } = await import('../webgpu/dawn/dawn.ts');
    const { driverFromEnvironment } = await import('../webgpu/dawn/vulkan-drivers.ts');
    const choice = adapter === undefined ? {} : driverFromEnvironment(adapter);
    return () => openDawn(choice);
  }
  if (name === 'firefox') {
    if (adapter !== undefined)
      throw new RangeError(`firefox has no adapter '${adapter}': it takes what the machine has`);
    const { openFirefox } = await import('../webgpu/browser/firefox.ts');
    return () => openFirefox();
  }
  const { openChrome } = await import('../webgpu/browser/chrome.ts');
  const choices = { swiftshader: 'software', hardware: 'hardware' } as const;
  if (adapter === undefined) return () => openChrome();
  if (adapter !== 'swiftshader' && adapter !== 'hardware') {
    throw new RangeError(`chrome has no adapter '${adapter}': use swiftshader or hardware`);
  }
  return () => openChrome({ adapter: choices[adapter] });
}
