import { input, type Lesson, line, output, randomInts, runningSums } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Scans',
  title: 'Running sums of a block',
  text: [
    'The same steps work for a whole block in shared memory. With 64 threads, the distances are 1, 2, 4, 8, 16 and 32. This algorithm is known by the names of Hillis and Steele.',
    'Every step reads elements that other threads change in the same step. So each thread must read its neighbor before any thread writes, and all threads must have written before the next step reads. That makes two barriers for each step.',
    'The kernel has only one of them, and the judge finds a race. Add the other one.',
  ],
  hint: 'Put a second `__syncthreads();` between the line that reads `sums[t - distance]` and the line that writes `sums[t]`.',
  kernel: 'scan_blocks',
  sizes: [1, 2],
  timed: 1 << 14,
  trial(blocks, random) {
    const x = randomInts(random, 64 * blocks, -100, 100);
    const y = new Int32Array(64 * blocks);
    for (let first = 0; first < y.length; first += 64) y.set(runningSums(x.subarray(first, first + 64)), first);
    return { ...line(blocks, 64), params: [input('x', x), output('y', y)] };
  },
};
