import { blocksFor, input, int, type Lesson, line, output, randomInts } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Shared memory',
  title: 'Neighbors',
  text: [
    'In a stencil, each result depends on neighboring elements. Here, `y[i]` is `x[i - 1] + x[i] + x[i + 1]`. Elements outside of `x` count as 0.',
    'If each thread read its neighbors from global memory, the block would read every element three times. Instead, the block first copies its part of `x` to shared memory. The part needs one more element at each end, which is called the halo. That is why `tile` has 258 elements for 256 threads, and the element of thread 0 is at index 1.',
    'The kernel copies only the inner part. Copy the halo too, in the first and the last thread.',
  ],
  hint: 'Thread 0 sets `tile[0]` to `x[i - 1]`, or to 0 if `i` is 0. Thread 255 sets `tile[257]` to `x[i + 1]`, or to 0 if `i + 1 >= n`. Do this before the barrier.',
  kernel: 'add_neighbors',
  sizes: [256, 1, 300],
  timed: 1 << 20,
  trial(size, random) {
    const x = randomInts(random, size, -1000, 1000);
    // An element outside of the array counts as 0.
    const y = x.map((value, index) => (x[index - 1] ?? 0) + value + (x[index + 1] ?? 0));
    return { ...line(blocksFor(size, 256), 256), params: [int('n', size), input('x', x), output('y', y)] };
  },
};
