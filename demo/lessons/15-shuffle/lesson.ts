import { at, input, type Lesson, line, output, randomInts } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Warps',
  title: 'Reading another lane',
  text: [
    'The GPU executes threads in groups of 32, which are called warps. The threads of a warp are its lanes, with numbers from 0 to 31. Lanes can read registers of other lanes directly, without shared memory and barriers.',
    '`__shfl_sync(mask, value, source)` returns the `value` of lane `source`. `mask` has a bit for each lane that takes part: `0xffffffff` for all 32. All these lanes must call the function together.',
    'Swap the elements in pairs: `y[0]` is `x[1]`, `y[1]` is `x[0]`, `y[2]` is `x[3]`, and so on. Read each element of `x` only once.',
  ],
  hint: 'The neighbor of lane 0 is lane 1, and that of lane 1 is lane 0. In general, it is `lane ^ 1`. `__shfl_xor_sync(mask, value, 1)` does the same.',
  kernel: 'swap_pairs',
  sizes: [1, 3],
  timed: 1 << 15,
  trial(warps, random) {
    const x = randomInts(random, 32 * warps, -1000, 1000);
    return {
      ...line(warps, 32),
      params: [
        input('x', x),
        output(
          'y',
          x.map((_, index) => at(x, index ^ 1)),
        ),
      ],
    };
  },
};
