// The f32 behavior of adapters, as profiles that tests share.
import type { FloatProfile } from '../../src/base/float-profile.ts';

/** An NVIDIA H200's, and the lockstep interpreter's: f32 as in IEEE 754. */
export const exactFloats: FloatProfile = {
  mode: 'exact',
  denormals: 'kept',
  fma: 'fused',
  contracts: false,
  div: 'exact',
  sqrt: 'exact',
};

/** An adapter's that flushes subnormals. The interpreter flushes with `flushes`. */
export const flushedFloats: FloatProfile = {
  ...exactFloats,
  denormals: 'flushed',
  div: 'approx',
  sqrt: 'approx',
  extremes: 'exact',
  exp2: 'close',
};
