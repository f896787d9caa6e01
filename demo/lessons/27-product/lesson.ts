import { blocksFor, input, int, type Lesson, output, wholeFloats } from '../lesson.ts';
import { product } from '../matrix.ts';

export const lesson: Lesson = {
  chapter: 'Matrices',
  title: 'A product of matrices',
  text: [
    'In the product of two matrices, the element in row `y` and column `x` is the dot product of row `y` of `a` and column `x` of `b`. All elements are independent, so each thread can compute one of them.',
    'The matrices have `n` rows and `n` columns. Row `y` of `a` starts at `a[y * n]`. Neighboring threads have neighboring columns, so they read neighboring elements of `b`, and the same element of `a`.',
    'Write the loop. Blocks have 8 × 8 threads, and `n` need not be a multiple of 8.',
  ],
  hint: 'Write `for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];`',
  kernel: 'multiply',
  sizes: [8, 1, 9],
  timed: 256,
  trial(n, random) {
    const a = wholeFloats(random, n * n);
    const b = wholeFloats(random, n * n);
    const blocks = blocksFor(n, 8);
    const params = [int('n', n), input('a', a), input('b', b), output('c', product(a, b, n, n))];
    return { grid: [blocks, blocks, 1], block: [8, 8, 1], params };
  },
};
