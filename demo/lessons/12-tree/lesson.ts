import { input, type Lesson, line, output, randomInts, sum } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Reductions',
  title: 'A tree of sums',
  text: [
    'A reduction combines many values into one, such as a sum. A single thread would need 127 steps to add 128 numbers. A block needs seven: in the first step, 64 threads each add two numbers; in the next, 32 threads add two of these sums; and so on. The steps form a tree.',
    'Each step reads sums that other threads have written in the previous step.',
    'Store the sum of each block of 128 elements in `sums`. The kernel has the tree, but threads do not wait for each other, so the judge finds a race.',
  ],
  hint: 'Put `__syncthreads();` at the start of the loop, before the `if`. All threads of the block must reach it, so it must not be inside of the `if`.',
  kernel: 'sum_blocks',
  sizes: [1, 2],
  timed: 8192,
  trial(blocks, random) {
    const x = randomInts(random, 128 * blocks, -1000, 1000);
    const sums = Int32Array.from({ length: blocks }, (_, block) => sum(x.subarray(128 * block, 128 * block + 128)));
    return { ...line(blocks, 128), params: [input('x', x), output('sums', sums)] };
  },
};
