// What a plan is for: the shape of a transformer, and the text that it learns.

export interface Shape {
  readonly layers: number;
  /** The number of channels. Each head has 32 channels. */
  readonly width: number;
  /** The maximum number of previous characters on which a prediction depends. */
  readonly context: number;
  /** The number of text pieces in a step. */
  readonly batch: number;
}

export interface Task extends Shape {
  readonly seed: number;
  /** The text, as indices of characters in the alphabet. */
  readonly text: Int32Array;
  readonly vocabulary: number;
  /** The type of the factors of matrix products; by default `f32`. */
  readonly matrices?: MatrixType;
}

/**
 * The type of factors. With `f16`, `mma.sync` multiplies factors that are rounded to f16, and adds
 * the products in f32.
 */
export type MatrixType = 'f32' | 'f16';
