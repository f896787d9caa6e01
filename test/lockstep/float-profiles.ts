// The f32 behavior of adapters, as profiles that tests share.
import type { FloatProfile } from '../../src/base/float-profile.ts';

/** The profile of an NVIDIA H200 and of the lockstep interpreter: f32 as in IEEE 754. */
export const exactFloats: FloatProfile = {
  mode: 'exact',
  denormals: 'kept',
  fma: 'fused',
  contracts: false,
  div: 'exact',
  sqrt: 'exact',
};

/**
 * The profile of an adapter that flushes subnormals. The interpreter has it with the option
 * `flushes`.
 */
export const flushedFloats: FloatProfile = {
  ...exactFloats,
  denormals: 'flushed',
  div: 'approx',
  sqrt: 'approx',
  extremes: 'exact',
  exp2: 'close',
  packHalf: 'exact',
};
