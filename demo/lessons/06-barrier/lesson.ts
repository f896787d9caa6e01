import { at, input, type Lesson, line, output, randomInts } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Shared memory',
  title: 'A barrier',
  text: [
    'The threads of a block share fast memory on the chip: variables that are declared with `__shared__`. Each block has its own copy. Threads exchange values through it.',
    'Threads do not run in step. A thread may read an element before another thread has written it. This is a race, and the result depends on chance. `__syncthreads()` is a barrier: each thread waits there until all threads of the block have arrived.',
    'This kernel reverses each block of 128 elements. It has a race, which the judge finds even if the results happen to be correct. Fix it.',
  ],
  hint: 'All threads must have written `tile` before any thread reads it. Put `__syncthreads();` between the two lines.',
  kernel: 'reverse_blocks',
  sizes: [1, 3],
  timed: 8192,
  trial(blocks, random) {
    const x = randomInts(random, 128 * blocks, -1000, 1000);
    const y = x.map((_, index) => at(x, index - (index % 128) + 127 - (index % 128)));
    return { ...line(blocks, 128), params: [input('x', x), output('y', y)] };
  },
};
