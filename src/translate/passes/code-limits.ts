// The sizes from which a kernel is so large that its calls share code (`share-code.ts`). All sizes
// are characters of WGSL after inlining all functions, as drivers do.

/** The approximate size of an instruction that does not call a function. */
export const instCode = 30;

export interface CodeLimits {
  /**
   * The maximum size of a kernel. On an H200, NVIDIA's driver compiles kernels below it within 15 s,
   * and needs 10 s to more than 40 s for those above it.
   */
  readonly kernel: number;
  /** The size that a kernel should have after its calls share code. */
  readonly enough: number;
  /** The minimum size of a function whose calls share code. A smaller one costs less than the jumps. */
  readonly call: number;
  /** The minimum size of a sequence of operations that becomes a function. */
  readonly sequence: number;
}

export const codeLimits: CodeLimits = { kernel: 1_300_000, enough: 300_000, call: 1_000, sequence: 6_000 };
