import { blocksFor, input, int, type Lesson, output, wholeFloats } from '../lesson.ts';
import { product } from '../matrix.ts';

export const lesson: Lesson = {
  chapter: 'Matrices',
  title: 'A product in tiles',
  text: [
    'The previous kernel reads each element of `a` and `b` from global memory `n` times. With tiles in shared memory, a block reads 8 × 8 elements of both matrices, and each of its threads uses them eight times. Elements outside of the matrices count as 0.',
    'The loop moves along the rows of `a` and the columns of `b`, tile by tile. In each round, the threads fill the tiles, wait, and add eight products.',
    'The kernel has a race: a fast warp may fill the tiles of the next round while a slow one still reads them. Fix it.',
  ],
  hint: 'A second `__syncthreads();` must follow the inner loop, at the end of each round.',
  kernel: 'multiply_tiles',
  sizes: [1, 9],
  timed: 256,
  trial(n, random) {
    const a = wholeFloats(random, n * n);
    const b = wholeFloats(random, n * n);
    const blocks = blocksFor(n, 8);
    const params = [int('n', n), input('a', a), input('b', b), output('c', product(a, b, n, n))];
    return { grid: [blocks, blocks, 1], block: [8, 8, 1], params };
  },
};
