// The device of a runtime: the page's own, or one with all that the adapter has; and what was measured on it.

import type { LanePlan, PlanKind } from '../base/lane-plan.ts';
import { type DeviceReport, describeDevice, openDevice } from './device/device.ts';
import { Engine } from './device/engine.ts';
import { GpuError } from './device/gpu-error.ts';
import { GpuRunner } from './device/runner.ts';
import { type Preflight, preflight } from './preflight/preflight.ts';
import { planOn } from './preflight/profile.ts';

/// Where a runtime's device comes from.
export interface DeviceOptions {
  /// A device of the caller's. Its features and limits are what kernels get: `subgroups` for warps in hardware, `timestamp-query` for timing.
  readonly device?: GPUDevice;
  /// Where devices come from; `navigator.gpu`, or Dawn in Node, if not said.
  readonly gpu?: GPU;
  /// Overrules the lane plan that the adapter would get.
  readonly plan?: PlanKind;
}

export interface MeasuredDevice {
  readonly engine: Engine;
  readonly isOwn: boolean;
  readonly report: DeviceReport;
  readonly measured: Preflight;
  readonly plan: LanePlan;
}

type Provider = () => Promise<GPU | undefined>;

const inPage: Provider = async () => globalThis.navigator?.gpu;
let provider = inPage;

/// Where devices come from on a platform without `navigator.gpu`.
export function provideGpu(provide: Provider): void {
  provider = async () => (await inPage()) ?? (await provide());
}

/// Throws `GpuError` 'unavailable' where there is no WebGPU, no adapter, or not the lane plan asked for.
export async function openMeasured(options: DeviceOptions): Promise<MeasuredDevice> {
  const gpu = options.gpu ?? (await provider());
  const opened = options.device ? describeGiven(options.device, gpu) : await openDevice(gpu);
  const { device, report } = opened;
  const engine = new Engine(device);
  const runner = new GpuRunner(engine);
  try {
    const measured = await preflight({ adapter: report, run: (job) => runner.run(job) });
    runner.destroy();
    return { engine, isOwn: !options.device, report, measured, plan: planOn(measured, options.plan) };
  } catch (error) {
    if (!options.device) device.destroy();
    throw error;
  }
}

function describeGiven(device: GPUDevice, gpu: GPU | undefined): { device: GPUDevice; report: DeviceReport } {
  if (!('createBuffer' in device)) throw new GpuError('unavailable', '`device` is no GPUDevice');
  return { device, report: describeDevice(device, device.adapterInfo, gpu?.wgslLanguageFeatures ?? new Set()) };
}
