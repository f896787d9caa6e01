// Opens Dawn on a Vulkan driver.
import { GpuError } from '../../../runtime/device/gpu-error.ts';
import { installedBrowser } from '../browser/find-browser.ts';
import { type DriverChoice, driverEnvironment } from './vulkan-drivers.ts';

/** The fallbacks if the machine's own drivers provide no adapter. */
const software: readonly DriverChoice[] = [{ driver: 'lavapipe' }, { driver: 'swiftshader' }];

/**
 * Calls `open` with the environment of a driver. If the machine's own drivers provide no adapter,
 * calls it again with that of a software driver. Rejects with `GpuError` 'unavailable' if there is
 * no adapter or the driver is not installed.
 */
export async function openOnDriver<T>(
  choice: DriverChoice,
  open: (environment: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const environment = driverEnvironment(choice, installedBrowser());
  if (!environment) throw new GpuError('unavailable', `the Vulkan driver ${choice.driver} is not installed`);
  const pinned = choice.driver !== 'default' || process.env.VK_DRIVER_FILES !== undefined;
  try {
    return await open(environment);
  } catch (error) {
    if (pinned || !(error instanceof GpuError) || error.kind !== 'unavailable') throw error;
    for (const fallback of software) {
      const own = driverEnvironment(fallback, installedBrowser());
      if (own) return await open(own);
    }
    throw error;
  }
}
