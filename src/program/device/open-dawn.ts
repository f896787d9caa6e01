// Opens a runtime on Dawn, for programs in Node.
import { installedBrowser } from '../../harness/webgpu/browser/find-browser.ts';
import { driverEnvironment, driverFromEnvironment } from '../../harness/webgpu/dawn/vulkan-drivers.ts';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import { Runtime } from '../../runtime/node.ts';
import type { RuntimeOptions } from '../../runtime/runtime-options.ts';

/**
 * Opens a runtime on the driver in LANEWISE_DAWN, or on the machine's own driver. Without an adapter,
 * uses lavapipe or SwiftShader. Rejects with `GpuError` 'unavailable'.
 */
export async function openDawnRuntime(options: RuntimeOptions): Promise<Runtime> {
  const choice = driverFromEnvironment(process.env.LANEWISE_DAWN);
  const environment = driverEnvironment(choice, installedBrowser());
  if (environment === undefined)
    throw new GpuError('unavailable', `the Vulkan driver ${choice.driver} is not installed`);
  Object.assign(process.env, environment);
  try {
    return await Runtime.open(options);
  } catch (error) {
    const isPinned = process.env.VK_DRIVER_FILES !== undefined;
    if (isPinned || !(error instanceof GpuError) || error.kind !== 'unavailable') throw error;
    for (const driver of ['lavapipe', 'swiftshader'] as const) {
      const software = driverEnvironment({ driver }, installedBrowser());
      if (software === undefined) continue;
      Object.assign(process.env, software);
      return await Runtime.open(options);
    }
    throw error;
  }
}
