/// What the adapter's f32 arithmetic does, as measured; decides where an integer path replaces it.
export interface FloatProfile {
  /// `exact`: every PTX-exact operation gives PTX's bits. `fast`: the adapter's own arithmetic, flagged as approximate.
  readonly mode: 'exact' | 'fast';
  readonly denormals: 'kept' | 'flushed';
  readonly fma: 'fused' | 'unfused';
  readonly contracts: boolean;
  readonly div: 'exact' | 'approx';
  readonly sqrt: 'exact' | 'approx';
}

/// Without an adapter that was measured: what WGSL promises at least.
export const promisedFloats: Readonly<Omit<FloatProfile, 'mode'>> = {
  denormals: 'flushed',
  fma: 'unfused',
  contracts: true,
  div: 'approx',
  sqrt: 'approx',
};
