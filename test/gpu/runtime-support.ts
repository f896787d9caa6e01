// A runtime on Dawn over SwiftShader in this process.
import { installedBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import { driverEnvironment } from '../../src/harness/webgpu/dawn/vulkan-drivers.ts';
import { Runtime, type RuntimeOptions } from '../../src/runtime/node.ts';

/**
 * The environment that selects SwiftShader; undefined if this machine does not have SwiftShader.
 */
export const swiftShader = driverEnvironment({ driver: 'swiftshader' }, installedBrowser());

/** Whether this machine has SwiftShader. */
export const hasSwiftShader = swiftShader !== undefined;

export async function openRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  Object.assign(process.env, swiftShader);
  return await Runtime.open(options);
}
