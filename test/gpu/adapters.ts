// The adapters that this machine can open, for tests that run on each of them.
import type { ExecutorChoice, KernelExecutor, OpenOptions } from '../../src/harness/executors/executor.ts';
import { openExecutor } from '../../src/harness/executors/open-executor.ts';
import { findBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import { hasDawnDriver } from '../../src/harness/webgpu/dawn/dawn.ts';
import { driverFromEnvironment } from '../../src/harness/webgpu/dawn/vulkan-drivers.ts';

// Half of lavapipe's time goes into optimizing shaders that then run for milliseconds.
process.env.GALLIVM_PERF ??= 'nopt';

export interface Adapter {
  readonly name: string;
  /// Those that are not are skipped, and counted as such.
  readonly present: boolean;
  readonly on: ExecutorChoice;
  readonly adapter: string | undefined;
  open(options?: OpenOptions): Promise<KernelExecutor>;
}

const hasBrowser = await findBrowser().then(
  () => true,
  () => false,
);

function adapter(on: ExecutorChoice, name: string | undefined, present: boolean): Adapter {
  return {
    name: name === undefined ? on : `${on} on ${name}`,
    present,
    on,
    adapter: name,
    open: (options = {}) => openExecutor(on, name === undefined ? options : { ...options, adapter: name }),
  };
}

const dawn = (name: string): Adapter => adapter('dawn', name, hasDawnDriver(driverFromEnvironment(name)));

/// Chrome on whatever the machine has: its GPU, or SwiftShader.
export const chrome: Adapter = adapter('chrome', undefined, hasBrowser);

export const adapters: readonly Adapter[] = [
  chrome,
  dawn('swiftshader'),
  dawn('lavapipe4'),
  dawn('lavapipe8'),
  dawn('lavapipe16'),
];
