import { input, int, type Lesson, line, output, randomInts } from '../lesson.ts';

/** The grid is small for the judge, and fills a GPU for the measurement. */
const blocksOf = (size: number): number => (size > 10_000 ? 1024 : 4);

export const lesson: Lesson = {
  chapter: 'Threads',
  title: 'A loop over the grid',
  text: [
    'A kernel need not have a thread for each element. A fixed number of threads can share the work: thread `i` processes elements `i`, `i + stride`, `i + 2 * stride` and so on. If the stride is the number of all threads, the threads process every element exactly once. `gridDim.x` is the number of blocks.',
    'Such a loop works for any size, and neighboring threads still read neighboring elements, which is fast.',
    'Limit each element of `x` to the range from 0 to 255. The grid often has fewer threads than there are elements.',
  ],
  hint: 'Write `for (int i = first; i < n; i += stride)`, with `int stride = gridDim.x * blockDim.x`.',
  kernel: 'clamp_each',
  sizes: [256, 1, 600],
  timed: 1 << 22,
  trial(size, random) {
    const x = randomInts(random, size, -300, 600);
    const y = x.map((value) => Math.min(Math.max(value, 0), 255));
    return { ...line(blocksOf(size), 64), params: [int('n', size), input('x', x), output('y', y)] };
  },
};
