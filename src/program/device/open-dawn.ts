// Opens a runtime on Dawn, for programs in Node.
import { openOnDriver } from '../../harness/webgpu/dawn/open-on-driver.ts';
import { driverFromEnvironment } from '../../harness/webgpu/dawn/vulkan-drivers.ts';
import { Runtime } from '../../runtime/node.ts';
import type { RuntimeOptions } from '../../runtime/runtime-options.ts';

/**
 * Opens a runtime on the driver in LANEWISE_DAWN, or on the machine's own driver. Without an adapter,
 * uses lavapipe or SwiftShader. Rejects with `GpuError` 'unavailable'.
 */
export const openDawnRuntime = (options: RuntimeOptions): Promise<Runtime> =>
  openOnDriver(driverFromEnvironment(process.env.LANEWISE_DAWN), (environment) => {
    Object.assign(process.env, environment);
    return Runtime.open(options);
  });
