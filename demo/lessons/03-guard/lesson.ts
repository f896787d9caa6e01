import { at, blocksFor, float, input, int, type Lesson, line, updated, wholeFloats } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Threads',
  title: 'The last block',
  text: [
    'The number of elements is rarely a multiple of the block size. The launch rounds the number of blocks up, so the last block has threads without an element. If such a thread accesses memory, the access is out of bounds. On a GPU, it may silently change other data.',
    'Complete this kernel, which adds `a * x[i]` to `y[i]` (saxpy). `n` is the number of elements. The judge also runs it with sizes such as 65, and checks every access.',
  ],
  hint: 'Threads with `i >= n` must not read or write: `if (i < n)` before the statement.',
  kernel: 'saxpy',
  sizes: [64, 1, 63, 65, 200],
  timed: 1_000_003,
  trial(size, random) {
    const a = 1 + random.below(9);
    const x = wholeFloats(random, size);
    const y = wholeFloats(random, size);
    const after = y.map((value, index) => a * at(x, index) + value);
    const block = size > 1000 ? 256 : 64;
    const params = [int('n', size), float('a', a), input('x', x), updated('y', y, after)];
    return { ...line(blocksFor(size, block), block), params };
  },
};
