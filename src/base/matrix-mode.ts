/**
 * The matrix mode: how floating-point matrix products are added.
 * - `hopper`: the results are those of NVIDIA's sm_90, bit for bit.
 * - `ieee`: the exact sum, rounded once. Shaders add in f32, and their results are within an error
 * bound of that sum.
 *
 * The products of f64 and of integers are the same in both modes.
 */
export type MatrixMode = 'hopper' | 'ieee';

export const matrixModes: readonly MatrixMode[] = ['hopper', 'ieee'];
