import { input, int, type Lesson, line, output, randomInts, runningSums } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Scans',
  title: 'A scan of any length',
  text: [
    'One block can scan an array of any length. It processes 64 elements at a time, and carries the sum of all previous elements to the next round. Within a round, each warp scans its elements by shuffles. Each warp then adds the totals of the warps before it.',
    'The kernel does all this except for the carry, so only the first 64 results are correct. Note the barrier at the end of the loop: without it, a fast warp could overwrite `totals` while a slow warp still reads them.',
  ],
  hint: 'Declare `int carry = 0;` before the loop. Add `carry` to the result, and then add `totals[0] + totals[1]` to `carry`, before the barrier at the end.',
  kernel: 'scan_all',
  sizes: [100, 1],
  timed: 1 << 15,
  trial(size, random) {
    const x = randomInts(random, size, -100, 100);
    return { ...line(1, 64), params: [int('n', size), input('x', x), output('y', runningSums(x))] };
  },
};
