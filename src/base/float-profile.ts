/** What the adapter's f32 arithmetic does, as measured; decides where an integer path replaces it. */
export interface FloatProfile {
  /** `exact`: every PTX-exact operation gives PTX's bits. `fast`: the adapter's own arithmetic, flagged as approximate. */
  readonly mode: 'exact' | 'fast';
  readonly denormals: 'kept' | 'flushed';
  readonly fma: 'fused' | 'unfused';
  readonly contracts: boolean;
  readonly div: 'exact' | 'approx';
  readonly sqrt: 'exact' | 'approx';
  /** `min` and `max` as PTX has them, subnormals aside: a number rather than a NaN, -0 below +0. What is not told was not measured, here and below. */
  readonly extremes?: 'exact' | 'approx' | undefined;
  /** exp2 within the error of `ex2.approx`, where its result is normal. */
  readonly exp2?: 'close' | 'approx' | undefined;
  /** The NaN that arithmetic gives, whatever NaNs go in: NVIDIA's (0x7fffffff), or others. */
  readonly nans?: 'canonical' | 'any' | undefined;
}

/** Without an adapter that was measured: what WGSL promises at least. */
export const promisedFloats: Readonly<Omit<FloatProfile, 'mode'>> = {
  denormals: 'flushed',
  fma: 'unfused',
  contracts: true,
  div: 'approx',
  sqrt: 'approx',
};
