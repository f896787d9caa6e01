// The adapters for which a built module has separate shaders. An adapter that is not listed uses
// the first shader whose assumptions it fulfills. Every adapter fulfills those of the last target.

import { type FloatProfile, promisedFloats } from '../base/float-profile.ts';

export interface Target {
  readonly float: Readonly<Omit<FloatProfile, 'mode'>>;
  /** Whether the driver is known, and is not NVIDIA's. */
  readonly otherDriver: boolean;
  /**
   * The subgroup sizes of such adapters. A size is negative if shaders request it, and 0 if there
   * are no subgroups.
   */
  readonly sizes: readonly number[];
  /**
   * Whether WGSL's `subgroup_id` works: both values if it works only on some of these adapters. A
   * shader that does not use it runs on every adapter.
   */
  readonly subgroupId: readonly boolean[];
}

/** All subgroup sizes, in the order in which a module lists them. */
export const allSizes = [32, -32, 64, 128, 16, 8, 4, 0] as const;

/** The subgroup sizes of GPUs. */
const gpuSizes = [32, -32, 64, 128, 16, 8, 0] as const;

/** The f32 profile of most GPUs. */
const fused = { ...promisedFloats, fma: 'fused', contracts: false } as const;
const software = { ...promisedFloats, contracts: false, div: 'exact', sqrt: 'exact' } as const;

/**
 * The targets, ordered from the best. The pre-flights in docs/results contain the measured
 * profiles.
 */
export const targets: readonly Target[] = [
  // NVIDIA with Vulkan.
  {
    float: { ...fused, extremes: 'exact', exp2: 'close', nans: 'canonical', packHalf: 'exact' },
    otherDriver: false,
    sizes: [32],
    subgroupId: [true],
  },
  { float: fused, otherDriver: true, sizes: gpuSizes, subgroupId: [true] },
  // A browser may hide the vendor, or may not have `subgroup_id`.
  { float: fused, otherDriver: false, sizes: gpuSizes, subgroupId: [true, false] },
  // The target for lavapipe, followed by that for SwiftShader.
  { float: { ...software, denormals: 'kept' }, otherDriver: true, sizes: [4, 8, 16, 0], subgroupId: [true, false] },
  { float: software, otherDriver: true, sizes: [4, 0], subgroupId: [true, false] },
  { float: promisedFloats, otherDriver: false, sizes: allSizes, subgroupId: [false] },
];
