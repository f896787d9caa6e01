// The adapters for which a built module has shaders of their own. An adapter that is not listed
// uses the first shader whose assumptions it fulfills; the last target fits every adapter.

import { type FloatProfile, promisedFloats } from '../base/float-profile.ts';

export interface Target {
  readonly float: Readonly<Omit<FloatProfile, 'mode'>>;
  /** Whether the driver is known, and is not NVIDIA's. */
  readonly otherDriver: boolean;
  /** The subgroup sizes of such adapters; negative if shaders request the size, 0 without subgroups. */
  readonly sizes: readonly number[];
  /**
   * Whether WGSL's `subgroup_id` works; both values if it works only on some of these adapters. A
   * shader without it runs on every adapter.
   */
  readonly subgroupId: readonly boolean[];
}

/** All subgroup sizes, in the order in which a module lists them. */
export const allSizes = [32, -32, 64, 128, 16, 8, 4, 0] as const;

/** The sizes of GPUs. */
const gpuSizes = [32, -32, 64, 128, 16, 8, 0] as const;

/** The f32 profile that most GPUs share. */
const fused = { ...promisedFloats, fma: 'fused', contracts: false } as const;
const software = { ...promisedFloats, contracts: false, div: 'exact', sqrt: 'exact' } as const;

/** The targets, the best ones first. The pre-flights in docs/results have the measured profiles. */
export const targets: readonly Target[] = [
  // NVIDIA with Vulkan.
  {
    float: { ...fused, extremes: 'exact', exp2: 'close', nans: 'canonical', packHalf: 'exact' },
    otherDriver: false,
    sizes: [32],
    subgroupId: [true],
  },
  { float: fused, otherDriver: true, sizes: gpuSizes, subgroupId: [true] },
  // A browser may hide the vendor, or lack `subgroup_id`.
  { float: fused, otherDriver: false, sizes: gpuSizes, subgroupId: [true, false] },
  // lavapipe, and then SwiftShader.
  { float: { ...software, denormals: 'kept' }, otherDriver: true, sizes: [4, 8, 16, 0], subgroupId: [true, false] },
  { float: software, otherDriver: true, sizes: [4, 0], subgroupId: [true, false] },
  { float: promisedFloats, otherDriver: false, sizes: allSizes, subgroupId: [false] },
];
