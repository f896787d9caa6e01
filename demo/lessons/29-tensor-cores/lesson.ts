import { shortFloatBits } from '../../../src/base/short-floats.ts';
import { input, int, type Lesson, line, output, wholeFloats } from '../lesson.ts';
import { product } from '../matrix.ts';

const halves = (values: Float32Array): Uint16Array => Uint16Array.from(values, (value) => shortFloatBits('f16', value));

export const lesson: Lesson = {
  chapter: 'Matrices',
  title: 'Tensor cores',
  text: [
    'Tensor cores multiply small matrices as one operation of a warp. In CUDA, a `fragment` is a matrix whose elements are in the registers of all 32 lanes. `load_matrix_sync` reads one, `mma_sync(c, a, b, c)` adds the product of `a` and `b` to `c`, and `store_matrix_sync` writes the result.',
    'Here, the factors are 16 × 16 halves, and the sums are floats. All lanes call these functions together.',
    'Multiply `a`, with 16 rows and `k` columns, by `b`, with `k` rows and 16 columns. `k` is a multiple of 16. The kernel multiplies only the first 16 columns.',
  ],
  hint: 'Loop with `for (int first = 0; first < k; first += 16)`. Load `left` from `a + first` with the row length `k`, and `right` from `b + first * 16` with the row length 16.',
  kernel: 'multiply_halves',
  sizes: [16, 32],
  timed: 4096,
  trial(k, random) {
    const a = wholeFloats(random, 16 * k, -4, 4);
    const b = wholeFloats(random, 16 * k, -4, 4);
    const params = [int('k', k), input('a', halves(a)), input('b', halves(b)), output('c', product(a, b, k, 16))];
    return { ...line(1, 32), params };
  },
};
