// Translates a launch for an adapter, either on request or in advance, while the adapter opens.

import { type AdapterFacts, driverOf } from '../../base/adapter-facts.ts';
import { type Launch, pointersOf } from '../../base/launch.ts';
import { pointedParams } from '../../base/launch-pointers.ts';
import { type WorkaroundId, type Workarounds, workaroundsFor } from '../../base/workarounds.ts';
import type { Module } from '../../ptx/ast.ts';
import type { AdapterReport } from '../../runtime/device/job.ts';
import type { Preflight } from '../../runtime/preflight/preflight.ts';
import { floatProfile, planOn } from '../../runtime/preflight/profile.ts';
import type { TranslateOptions, TranslateResult } from '../../translate/index.ts';
import type { OpenOptions } from './executor.ts';
import { referencesOf } from './image-buffers.ts';
import { loadKernel } from './load-kernel.ts';

/** The properties of an adapter that affect programs. */
export type ProgramTarget = Pick<TranslateOptions, 'plan' | 'float' | 'matrices' | 'driver'> & {
  readonly workarounds: Workarounds;
} & ReturnType<typeof programLimits>;

/**
 * Returns the limits of the device. If the device does not report limits, returns WebGPU's default
 * limits.
 */
function programLimits(limits: AdapterReport['limits'] = {}) {
  return {
    maxWorkgroups: limits.maxComputeWorkgroupsPerDimension ?? 65_535,
    maxInvocations: limits.maxComputeInvocationsPerWorkgroup ?? 256,
    maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize ?? 16_384,
    maxStorageBuffers: limits.maxStorageBuffersPerShaderStage ?? 8,
  };
}

/**
 * Returns the target for an adapter. Throws `GpuError` 'unavailable' if the adapter does not
 * support the requested plan.
 */
export function programTarget(
  measured: Preflight,
  adapter: AdapterFacts & Pick<AdapterReport, 'limits'>,
  {
    plan,
    float,
    matrix,
    toggled,
  }: Pick<OpenOptions, 'plan' | 'float' | 'matrix'> & { readonly toggled?: WorkaroundId | undefined },
): ProgramTarget {
  return {
    plan: planOn(measured, plan),
    float: floatProfile(measured, float, matrix),
    matrices: measured.matrices ?? [],
    workarounds: workaroundsOn(adapter, toggled),
    driver: driverOf(adapter),
    ...programLimits(adapter.limits),
  };
}

/**
 * Returns the workarounds for an adapter. If `toggled` is one of them, it is removed; otherwise it
 * is added.
 */
export function workaroundsOn(adapter: AdapterFacts, toggled?: WorkaroundId): Workarounds {
  const active = new Set(workaroundsFor(adapter));
  if (toggled !== undefined && !active.delete(toggled)) active.add(toggled);
  return active;
}

/** The translator: `translate`, or `translateOnUse` in a page. */
export type Translate = (module: Module, options: TranslateOptions) => TranslateResult;

interface Made {
  /** All options of the translation, in one text. */
  readonly options: string;
  readonly result: TranslateResult;
}

/** The translations that were made in advance, by module. */
const ahead = new WeakMap<Module, Made>();

/** Translates a launch. Throws `KernelError` 'invalid' for PTX that does not parse. */
export function translateLaunch(launch: Launch, target: ProgramTarget, translate: Translate): TranslateResult {
  const module = loadKernel(launch);
  const options = optionsOf(launch, target);
  const made = ahead.get(module);
  ahead.delete(module);
  return made?.options === textOf(options) ? made.result : translate(module, options);
}

/**
 * Translates in advance for the likely adapter. If another adapter opens, the translation is
 * discarded. Errors are ignored here, because the later request for the translation reports them.
 */
export function translateAhead(launch: Launch, translate: Translate, ...of: Parameters<typeof programTarget>): void {
  try {
    const module = loadKernel(launch);
    const options = optionsOf(launch, programTarget(...of));
    ahead.set(module, { options: textOf(options), result: translate(module, options) });
  } catch {
    // `translateLaunch` will report the error.
  }
}

function optionsOf(launch: Launch, target: ProgramTarget): TranslateOptions {
  const { entry, block, grid, cluster, sharedBytes, cooperative = false } = launch;
  const shape = { entry, block, grid, cluster, sharedBytes, cooperative };
  const memory = { pointerParams: pointersOf(launch), heapParams: pointedParams(launch) };
  return { ...shape, ...memory, references: referencesOf(launch), ...target };
}

/** Returns a text that is equal for equal options. */
const textOf = (options: TranslateOptions): string =>
  JSON.stringify(options, (_, value: unknown) => (value instanceof Set ? [...value] : value));
