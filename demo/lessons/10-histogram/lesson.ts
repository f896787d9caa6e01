import { at, blocksFor, input, int, type Lesson, line, randomInts, updated } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Atomics',
  title: 'A histogram',
  text: [
    'A histogram counts how often each value occurs. Here, the values are from 0 to 15. If all threads of the grid add to the same 16 counters in global memory, they wait for each other.',
    'Atomics in shared memory are faster, and only the threads of one block compete for them. So each block counts in its own 16 counters first. Then 16 threads add the counters of the block to the result.',
    'The kernel lacks this last step. The counters in `counts` are 0 before the launch. Remember that all threads of the block must have counted before the step starts.',
  ],
  hint: 'After another `__syncthreads()`, each thread with `threadIdx.x < 16` calls `atomicAdd(&counts[threadIdx.x], own[threadIdx.x])`.',
  kernel: 'histogram',
  sizes: [64, 1, 150],
  timed: 1 << 20,
  trial(size, random) {
    const x = randomInts(random, size, 0, 15);
    const counts = new Int32Array(16);
    for (const value of x) counts[value] = at(counts, value) + 1;
    const params = [int('n', size), input('x', x), updated('counts', new Int32Array(16), counts)];
    return { ...line(blocksFor(size, 64), 64), params };
  },
};
