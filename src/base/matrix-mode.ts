/**
 * How floating-point matrix products are added:
 * - `hopper`: the results of NVIDIA's sm_90, bit for bit.
 * - `ieee`: the exact sum, rounded once; shaders add in f32, and their results are within an error
 *   bound of that sum.
 *
 * Products of f64 and of integers are the same in both.
 */
export type MatrixMode = 'hopper' | 'ieee';

export const matrixModes: readonly MatrixMode[] = ['hopper', 'ieee'];
