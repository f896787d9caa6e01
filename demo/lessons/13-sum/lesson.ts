import { input, int, type Lesson, line, randomInts, sum, updated } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Reductions',
  title: 'The sum of everything',
  text: [
    'A reduction of a large array has three levels. Each thread adds many elements in a loop over the grid, without any exchange. Then each block adds the sums of its threads with a tree. Finally, the sums of the blocks become one number.',
    'Most of the work is in the first level, which runs at the speed of the memory. The last level has only one value for each block, so an atomic addition is fast enough.',
    'Add all elements of `x`. `*total` is 0 before the launch. The kernel has the first two levels, but the blocks overwrite the results of other blocks.',
  ],
  hint: 'Thread 0 of each block must add its sum to `*total` instead of storing it: `atomicAdd(total, part[0])`.',
  kernel: 'sum_all',
  sizes: [200, 1],
  timed: 1 << 22,
  trial(size, random) {
    const x = randomInts(random, size, -100, 100);
    const params = [int('n', size), input('x', x), updated('total', Int32Array.of(0), Int32Array.of(sum(x)))];
    // Two blocks for the judge; enough blocks to fill a GPU for the measurement.
    return { ...line(size > 10_000 ? 1024 : 2, 64), params };
  },
};
