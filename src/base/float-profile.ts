import type { MatrixMode } from './matrix-mode.ts';

/**
 * The measured f32 behavior of an adapter. This behavior determines which operations need an
 * integer path.
 */
export interface FloatProfile {
  /**
   * The kind of arithmetic. With `exact`, every operation that PTX rounds exactly returns PTX's
   * bits. With `fast`, the adapter's own arithmetic is used, and results are reported as
   * approximate.
   */
  readonly mode: 'exact' | 'fast';
  /** The matrix mode: how floating-point matrix products are added. The default is `ieee`. */
  readonly matrix?: MatrixMode | undefined;
  /** Whether arithmetic preserves subnormal operands and results, or flushes them to zero. */
  readonly denormals: 'kept' | 'flushed';
  /** Whether `fma` rounds once (`fused`) or twice. */
  readonly fma: 'fused' | 'unfused';
  /** Whether the compiler may contract `x * y + z` into an `fma`. */
  readonly contracts: boolean;
  /** Whether division rounds correctly. */
  readonly div: 'exact' | 'approx';
  /** Whether `sqrt` rounds correctly. */
  readonly sqrt: 'exact' | 'approx';
  /**
   * `exact` if `min` and `max` prefer a number to a NaN and order -0 below +0, as in PTX;
   * subnormals are not tested. This property and the following ones are undefined if they were not
   * measured.
   */
  readonly extremes?: 'exact' | 'approx' | undefined;
  /** `close` if the error of `exp2` is within that of `ex2.approx` for normal results. */
  readonly exp2?: 'close' | 'approx' | undefined;
  /**
   * The NaN that arithmetic returns for a NaN operand: `canonical` if it is always NVIDIA's
   * (0x7fffffff), and otherwise `any`.
   */
  readonly nans?: 'canonical' | 'any' | undefined;
  /**
   * `exact` if `pack2x16float` rounds every f32 to the nearest f16, ties to even, and every NaN to
   * NVIDIA's (0x7fff).
   */
  readonly packHalf?: 'exact' | 'approx' | undefined;
}

/** The properties that WGSL guarantees, for an adapter that was not measured. */
export const promisedFloats: Readonly<Omit<FloatProfile, 'mode' | 'matrix'>> = {
  denormals: 'flushed',
  fma: 'unfused',
  contracts: true,
  div: 'approx',
  sqrt: 'approx',
};

/** Whether exact results need guards, because the adapter flushes subnormal numbers. */
export const flushesExactly = ({ mode, denormals }: Pick<FloatProfile, 'mode' | 'denormals'>): boolean =>
  mode === 'exact' && denormals === 'flushed';
