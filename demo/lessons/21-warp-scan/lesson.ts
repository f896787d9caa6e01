import { input, type Lesson, line, output, randomInts, runningSums } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Scans',
  title: 'Running sums of a warp',
  text: [
    'A scan computes running sums: element `i` of the result is the sum of elements 0 to `i`. Many parallel algorithms use scans to find places for their results, such as sorts and compaction.',
    'A warp needs five steps. In the first, each lane adds the value of the lane before it. Then each lane contains a sum of two, and adds the value from two lanes before. The distances 4, 8 and 16 follow. `__shfl_up_sync(mask, value, distance)` returns the value from `distance` lanes below.',
    'The first lanes have no lane at that distance. There, the shuffle returns the own value, which must not be added. Fix this error in the kernel.',
  ],
  hint: 'Add `other` only if `lane >= distance`. The shuffle itself must stay outside of the `if`, because all lanes must call it.',
  kernel: 'scan_warps',
  sizes: [1, 3],
  timed: 1 << 15,
  trial(warps, random) {
    const x = randomInts(random, 32 * warps, -100, 100);
    const y = new Int32Array(32 * warps);
    for (let first = 0; first < y.length; first += 32) y.set(runningSums(x.subarray(first, first + 32)), first);
    return { ...line(warps, 32), params: [input('x', x), output('y', y)] };
  },
};
