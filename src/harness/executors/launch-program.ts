// A launch's program on an adapter: translated when it is asked for, or before that, while the adapter opens.

import type { FloatProfile } from '../../base/float-profile.ts';
import { type Launch, pointersOf } from '../../base/launch.ts';
import { pointedParams } from '../../base/launch-pointers.ts';
import { type AdapterFacts, type WorkaroundId, type Workarounds, workaroundsFor } from '../../base/workarounds.ts';
import type { Module } from '../../ptx/ast.ts';
import type { AdapterReport } from '../../runtime/device/job.ts';
import type { Preflight } from '../../runtime/preflight/preflight.ts';
import { floatProfile, planOn } from '../../runtime/preflight/profile.ts';
import { type TranslateOptions, type TranslateResult, translate } from '../../translate/index.ts';
import type { OpenOptions } from './executor.ts';
import { referencesOf } from './image-buffers.ts';
import { loadKernel } from './load-kernel.ts';

/** What of an adapter shapes programs. */
export type ProgramTarget = Pick<TranslateOptions, 'plan' | 'float'> & {
  readonly workarounds: Workarounds;
} & ReturnType<typeof programLimits>;

/** Limits of the device, where it says them; the translator's defaults are WebGPU's. */
function programLimits(limits: AdapterReport['limits'] = {}) {
  return {
    maxWorkgroups: limits.maxComputeWorkgroupsPerDimension ?? 65_535,
    maxInvocations: limits.maxComputeInvocationsPerWorkgroup ?? 256,
    maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize ?? 16_384,
    maxStorageBuffers: limits.maxStorageBuffersPerShaderStage ?? 8,
  };
}

/** Throws `GpuError` 'unavailable' where the adapter cannot run the plan that was asked for. */
export function programTarget(
  measured: Preflight,
  adapter: AdapterFacts & Pick<AdapterReport, 'limits'>,
  {
    plan,
    float,
    toggled,
  }: { plan?: OpenOptions['plan']; float?: FloatProfile['mode'] | undefined; toggled?: WorkaroundId | undefined },
): ProgramTarget {
  return {
    plan: planOn(measured, plan),
    float: floatProfile(measured, float),
    workarounds: workaroundsOn(adapter, toggled),
    ...programLimits(adapter.limits),
  };
}

/** The workarounds for an adapter, with one of them switched to the other position. */
export function workaroundsOn(adapter: AdapterFacts, toggled?: WorkaroundId): Workarounds {
  const active = new Set(workaroundsFor(adapter));
  if (toggled !== undefined && !active.delete(toggled)) active.add(toggled);
  return active;
}

interface Made {
  /** All that the translation was given, as text. */
  readonly options: string;
  readonly result: TranslateResult;
}

/** By module, what was translated before it was asked for. */
const ahead = new WeakMap<Module, Made>();

/** Throws `KernelError` 'invalid' for PTX that does not parse. */
export function translateLaunch(launch: Launch, target: ProgramTarget): TranslateResult {
  const module = loadKernel(launch);
  const options = optionsOf(launch, target);
  const made = ahead.get(module);
  ahead.delete(module);
  return made?.options === textOf(options) ? made.result : translate(module, options);
}

/**
 * Translates for an adapter that may turn out to be another: then nothing of it is used. What is wrong with the launch, or with the adapter, is told
 * when it is asked for.
 */
export function translateAhead(launch: Launch, ...of: Parameters<typeof programTarget>): void {
  try {
    const module = loadKernel(launch);
    const options = optionsOf(launch, programTarget(...of));
    ahead.set(module, { options: textOf(options), result: translate(module, options) });
  } catch {
    // It will be met again.
  }
}

function optionsOf(launch: Launch, target: ProgramTarget): TranslateOptions {
  const { entry, block, grid, sharedBytes, cooperative = false } = launch;
  const shape = { entry, block, grid, sharedBytes, cooperative };
  const memory = { pointerParams: pointersOf(launch), heapParams: pointedParams(launch) };
  return { ...shape, ...memory, references: referencesOf(launch), ...target };
}

/** Equal for options that are equal. */
const textOf = (options: TranslateOptions): string =>
  JSON.stringify(options, (_, value: unknown) => (value instanceof Set ? [...value] : value));
