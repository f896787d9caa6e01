import { input, int, type Lesson, line, output, wholeFloats } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Warps',
  title: 'Softmax',
  text: [
    'Softmax turns the numbers of a row into positive numbers whose sum is 1: each number becomes `exp(x) / sum`, where `sum` is the sum of `exp(x)` over the row. Neural networks use it everywhere.',
    '`expf(89)` is already too large for a float. So the kernel must subtract the maximum of the row first, which does not change the quotients. Then no exponent is greater than 0.',
    'Each block is one warp, which computes one row. `__shfl_xor_sync` gives the result of a reduction to all lanes. The kernel below overflows. Subtract the maximum.',
  ],
  hint: 'Find the largest element of each lane in a loop, starting from `-1e30f`. Combine the lanes as in `sum_warp`, with `fmaxf` instead of `+`. Then use `expf(x[i] - most)` twice.',
  kernel: 'softmax',
  sizes: [40, 1],
  timed: 1024,
  trial(columns, random) {
    const rows = columns > 100 ? 512 : 2;
    const x = wholeFloats(random, rows * columns, -200, 200);
    const y = new Float32Array(rows * columns);
    for (let row = 0; row < rows; row++) {
      const own = x.subarray(row * columns, (row + 1) * columns);
      const most = own.reduce((found, value) => Math.max(found, value));
      const total = own.reduce((found, value) => found + Math.exp(value - most), 0);
      y.set(
        own.map((value) => Math.exp(value - most) / total),
        row * columns,
      );
    }
    const tolerance = { rel: 1e-4, abs: 1e-6 };
    return { ...line(rows, 32), params: [int('columns', columns), input('x', x), output('y', y, tolerance)] };
  },
};
