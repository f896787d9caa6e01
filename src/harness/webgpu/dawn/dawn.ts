// Opens a session on Dawn, Chrome's WebGPU implementation, through the `webgpu` package in a child
// process.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GpuError, type GpuSession, type OnPhase } from '../../../runtime/device/job.ts';
import { ChildClient } from '../../sessions/child-client.ts';
import { guard } from '../../sessions/open-sessions.ts';
import { requirePackage } from '../../sessions/packages.ts';
import { installedBrowser } from '../browser/find-browser.ts';
import { startSession, type Transport } from '../session.ts';
import type { FromChild, ToChild } from './dawn-messages.ts';
import { openOnDriver } from './open-on-driver.ts';
import type { DawnDriver, DriverChoice } from './vulkan-drivers.ts';
import { driverEnvironment, driverFromEnvironment } from './vulkan-drivers.ts';

export interface DawnOptions {
  /**
   * The Vulkan driver. By default, the LANEWISE_DAWN variable selects the driver. If that variable
   * is not set, the machine's own drivers are used.
   */
  readonly driver?: DawnDriver;
  /** The subgroup size of lavapipe. */
  readonly subgroupSize?: 4 | 8 | 16;
  readonly openTimeoutMs?: number;
}

const OPEN_TIMEOUT_MS = 60_000;

/**
 * Opens a device. Throws `GpuError` 'unavailable' if there is no adapter or the requested driver is
 * not installed.
 */
export async function openDawn(options: DawnOptions = {}): Promise<GpuSession> {
  const { openTimeoutMs = OPEN_TIMEOUT_MS } = options;
  const choice = choose(options);
  requirePackage('webgpu', 'dawn');
  return await openOnDriver(choice, (environment) => openChild(environment, openTimeoutMs));
}

/** Whether the driver's files are installed. The driver may still not work. */
export function hasDawnDriver(choice: DriverChoice): boolean {
  return driverEnvironment(choice, installedBrowser()) !== undefined;
}

function choose({ driver, subgroupSize }: DawnOptions): DriverChoice {
  if (driver === undefined) return driverFromEnvironment(process.env.LANEWISE_DAWN);
  return subgroupSize === undefined ? { driver } : { driver, subgroupSize };
}

async function openChild(environment: Readonly<Record<string, string>>, timeoutMs: number): Promise<GpuSession> {
  const child: DawnChild = new ChildClient({
    name: 'Dawn',
    program: 'harness/webgpu/dawn/dawn-child',
    env: environment,
    isNotice: ({ kind }) => kind === 'phase',
    errorOf: (message) => (message.kind === 'failed' ? new GpuError(message.error, message.message) : undefined),
  });
  const { report, flags } = await child.opened('opened', timeoutMs);
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const host = `Dawn (webgpu ${packageVersion()}), Node ${process.versions.node}`;
  // Dawn's binding stores the driver's description in the adapter's description.
  const adapter = { ...report, driver: report.description, host, flags: [...flags, ...settings] };
  return startSession(adapter, transportOver(child), { guard });
}

type DawnChild = ChildClient<ToChild, FromChild>;

const phasesTo =
  (onPhase: OnPhase) =>
  (message: FromChild): void => {
    if (message.kind === 'phase') onPhase(message.phase);
  };

function transportOver(child: DawnChild): Transport {
  return {
    async send(job, onPhase) {
      const { buffers, ms } = await child.ask({ kind: 'run', job }, 'done', phasesTo(onPhase));
      // The received arrays are views of one message. Copy them, because callers receive separate
      // arrays.
      return { buffers: new Map([...buffers].map(([binding, data]) => [binding, new Uint8Array(data)])), ms };
    },
    prepare: (shader) => child.post({ kind: 'prepare', shader }),
    time: async (sequence, onPhase) => (await child.ask({ kind: 'time', sequence }, 'timed', phasesTo(onPhase))).result,
    compile: async (shader) => (await child.ask({ kind: 'compile', shader }, 'compiled')).times,
    close: () => child.close({ kind: 'close' }),
    kill: () => child.kill(),
  };
}

function packageVersion(): string {
  const entry = requirePackage('webgpu', 'dawn');
  const { version }: { version: string } = JSON.parse(readFileSync(join(dirname(entry), 'package.json'), 'utf8'));
  return version;
}
