import { at, input, int, type Lesson, line, sum, updated, wholeFloats } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Warps',
  title: 'A dot product',
  text: [
    'A fast reduction of a block combines shuffles and shared memory. Each warp adds its values by shuffles, and lane 0 stores the sum. After a barrier, the first warp reads the sums of all warps and adds them in the same way. This needs one barrier instead of one for each step of a tree.',
    'Compute the dot product of `x` and `y`: the sum of all `x[i] * y[i]`. `*result` is 0 before the launch. The loop over the grid is there. Add the sums of all threads. Blocks have 64 threads.',
  ],
  hint: 'Write a function `sum_warp` with the loop of the previous lesson. Store its result in `sums[warp]` if the lane is 0. After `__syncthreads()`, thread 0 adds `sums[0] + sums[1]` to `*result` with `atomicAdd`.',
  kernel: 'dot',
  sizes: [200, 1],
  timed: 1 << 20,
  trial(size, random) {
    const x = wholeFloats(random, size, -2, 2);
    const y = wholeFloats(random, size, -2, 2);
    const product = sum(x.map((value, index) => value * at(y, index)));
    const result = updated('result', Float32Array.of(0), Float32Array.of(product));
    // Two blocks for the judge; enough blocks to fill a GPU for the measurement.
    return { ...line(size > 10_000 ? 1024 : 2, 64), params: [int('n', size), input('x', x), input('y', y), result] };
  },
};
