// Opens the device of a runtime, and returns its measurements. The device is the page's own, or a
// device with all features of the adapter that kernels use.

import { type Driver, driverOf } from '../base/adapter-facts.ts';
import type { LanePlan, PlanKind } from '../base/lane-plan.ts';
import { type Workarounds, workaroundsFor } from '../base/workarounds.ts';
import { indexedDbStore } from './cache/indexed-db.ts';
import type { TranslationStore } from './cache/store.ts';
import { type DeviceReport, describeDevice, openDevice } from './device/device.ts';
import { Engine, type EngineOptions } from './device/engine.ts';
import { GpuError } from './device/gpu-error.ts';
import { GpuRunner } from './device/runner.ts';
import { plainWaits } from './device/waits.ts';
import { type Preflight, preflight } from './preflight/preflight.ts';
import { planOn } from './preflight/profile.ts';

/** Options that select the device of a runtime. */
export interface DeviceOptions {
  /**
   * A device of the caller. Kernels use its features and limits: `subgroups` for warps in hardware,
   * `timestamp-query` for timing.
   */
  readonly device?: GPUDevice;
  /** The entry point of WebGPU. The default is `navigator.gpu` in browsers and Dawn in Node. */
  readonly gpu?: GPU;
  /**
   * The kind of lane plan to use, if the adapter supports it. The default depends on the subgroup
   * size.
   */
  readonly plan?: PlanKind;
}

export interface MeasuredDevice {
  readonly engine: Engine;
  readonly isOwn: boolean;
  readonly report: DeviceReport;
  readonly measured: Preflight;
  readonly plan: LanePlan;
  readonly workarounds: Workarounds;
  readonly driver: Driver | undefined;
  readonly translations: TranslationStore | undefined;
}

/** How a platform opens and ends devices. */
export interface Platform extends EngineOptions {
  gpu(): Promise<GPU | undefined>;
  /**
   * Returns the store of translations, which keeps its contents after the page or the process ends;
   * undefined if there is none.
   */
  translations(): TranslationStore | undefined;
  /** Called when an engine begins to use a device. */
  opened(engine: Engine): void;
  /**
   * Called when an engine ends. If the runtime owns the device (`isOwn`), the platform destroys it.
   * `isIdle`: whether the device is known to have finished all submitted work.
   */
  ended(engine: Engine, how: { readonly isOwn: boolean; readonly isIdle: boolean }): void;
}

/** The platform of a page. Its device is in another process, so it never blocks the page. */
export const page: Platform = {
  gpu: async () => globalThis.navigator?.gpu,
  translations: () => indexedDbStore(),
  opened: () => undefined,
  ended: ({ device }, { isOwn }) => {
    if (isOwn) device.destroy();
  },
};

let platform = page;

/**
 * Sets the platform, for an implementation of WebGPU in this process. Returns the previous
 * platform.
 */
export function usePlatform(own: Platform): Platform {
  const before = platform;
  platform = own;
  return before;
}

/** Ends a runtime's engine, and its device if the runtime owns it. */
export function endEngine({ engine, isOwn }: Pick<MeasuredDevice, 'engine' | 'isOwn'>, reason: string): void {
  const { isIdle } = engine.queue;
  engine.end(new GpuError('lost', reason));
  platform.ended(engine, { isOwn, isIdle });
}

/**
 * Opens and measures a device. Throws `GpuError` 'unavailable' if WebGPU, an adapter or the
 * requested lane plan is missing.
 */
export async function openMeasured(options: DeviceOptions): Promise<MeasuredDevice> {
  return await (platform.waits ?? plainWaits).during(open(options));
}

async function open(options: DeviceOptions): Promise<MeasuredDevice> {
  const gpu = options.gpu ?? (await platform.gpu());
  const opened = options.device ? describeGiven(options.device, gpu) : await openDevice(gpu);
  const { device, report } = opened;
  const engine = new Engine(device, platform);
  const isOwn = !options.device;
  platform.opened(engine);
  const runner = new GpuRunner(engine);
  try {
    const measured = await preflight({ adapter: report, run: (job) => runner.run(job) });
    runner.destroy();
    // Outside of pages, the shader compiler is not known.
    const facts = { ...report, host: globalThis.navigator?.userAgent ?? '' };
    return {
      engine,
      isOwn,
      report,
      measured,
      plan: planOn(measured, options.plan),
      workarounds: workaroundsFor(facts),
      driver: driverOf(facts),
      translations: platform.translations(),
    };
  } catch (error) {
    endEngine({ engine, isOwn }, 'the device could not be measured');
    throw error;
  }
}

function describeGiven(device: GPUDevice, gpu: GPU | undefined): { device: GPUDevice; report: DeviceReport } {
  if (!('createBuffer' in device)) throw new GpuError('unavailable', '`device` is no GPUDevice');
  return { device, report: describeDevice(device, device.adapterInfo, gpu?.wgslLanguageFeatures ?? new Set()) };
}
