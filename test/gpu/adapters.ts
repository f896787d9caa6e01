// The adapters that this machine can open, for tests that run on each of them.
import type { Launch } from '../../src/base/launch.ts';
import type { ExecutorChoice, KernelExecutor, OpenOptions, RunOptions } from '../../src/harness/executors/executor.ts';
import { openExecutor } from '../../src/harness/executors/open-executor.ts';
import { findBrowser } from '../../src/harness/webgpu/browser/find-browser.ts';
import { hasDawnDriver } from '../../src/harness/webgpu/dawn/dawn.ts';
import { driverFromEnvironment } from '../../src/harness/webgpu/dawn/vulkan-drivers.ts';

export interface Adapter {
  readonly name: string;
  /**
   * Whether the machine has the adapter. Tests of missing adapters are skipped, and counted as
   * skipped.
   */
  readonly present: boolean;
  readonly on: ExecutorChoice;
  readonly adapter: string | undefined;
  open(options?: OpenOptions): Promise<KernelExecutor>;
}

const hasBrowser = await findBrowser().then(
  () => true,
  () => false,
);

/**
 * Returns an executor with longer time limits for launches, because compiling a shader may take
 * long on a machine under load.
 */
function patient(executor: KernelExecutor): KernelExecutor {
  const run = executor.run.bind(executor);
  return Object.assign(executor, {
    run: (launch: Launch, options: RunOptions = {}) => run(launch, { timeoutMs: 300_000, ...options }),
  });
}

function adapter(on: ExecutorChoice, name: string | undefined, present: boolean): Adapter {
  return {
    name: name === undefined ? on : `${on} on ${name}`,
    present,
    on,
    adapter: name,
    open: async (options = {}) =>
      patient(await openExecutor(on, name === undefined ? options : { ...options, adapter: name })),
  };
}

const dawn = (name: string): Adapter => adapter('dawn', name, hasDawnDriver(driverFromEnvironment(name)));

/** Chrome on this machine's default adapter: its GPU, or SwiftShader. */
const chrome: Adapter = adapter('chrome', undefined, hasBrowser);

export const adapters: readonly Adapter[] = [
  chrome,
  dawn('swiftshader'),
  dawn('lavapipe4'),
  dawn('lavapipe8'),
  dawn('lavapipe16'),
];
