// The properties of an adapter that allow a shader to be faster than one that runs on any adapter.

import type { FloatProfile } from './float-profile.ts';

/** For each property of an f32 profile, the value with which shaders need less code. */
export const strongFloats = {
  denormals: 'kept',
  fma: 'fused',
  contracts: false,
  div: 'exact',
  sqrt: 'exact',
  extremes: 'exact',
  exp2: 'close',
  nans: 'canonical',
  packHalf: 'exact',
} as const satisfies Partial<FloatProfile>;

/** The names of the strengths, in the order of their bits. */
export const strengths = [
  'denormals',
  'fma',
  'contracts',
  'div',
  'sqrt',
  'extremes',
  'exp2',
  'nans',
  /** WGSL's `subgroup_id` works. */
  'subgroupId',
  /** The strength of a known driver that is not NVIDIA's. */
  'otherDriver',
  'packHalf',
] as const;
export type Strength = (typeof strengths)[number];

export const strengthBit = (name: Strength): number => 1 << strengths.indexOf(name);

/** Returns the strength bits of an f32 profile. */
export function floatStrengths(profile: Partial<Omit<FloatProfile, 'fma'>> & { readonly fma: string }): number {
  let bits = 0;
  for (const name of Object.keys(strongFloats) as (keyof typeof strongFloats)[])
    if (profile[name] === strongFloats[name]) bits |= strengthBit(name);
  return bits;
}
