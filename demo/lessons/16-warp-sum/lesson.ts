import { input, type Lesson, line, output, randomInts, sum } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Warps',
  title: 'The sum of a warp',
  text: [
    'A tree of sums within a warp needs no shared memory and no barriers. `__shfl_down_sync(mask, value, distance)` returns the value of the lane that is `distance` lanes higher.',
    'In the first step, each lane adds the value from 16 lanes above it. Now the lower 16 lanes contain sums of two. With the distances 8, 4, 2 and 1, lane 0 gets the sum of all 32 values. Higher lanes compute numbers that no lane uses.',
    'Store the sum of each warp in `sums`. Blocks have two warps. All lanes must call the shuffle, so it must not be in a branch.',
  ],
  hint: 'Write `for (int distance = 16; distance > 0; distance /= 2)`, and add `__shfl_down_sync(0xffffffff, value, distance)` to `value`.',
  kernel: 'sum_warps',
  sizes: [1, 3],
  timed: 1 << 14,
  trial(blocks, random) {
    const x = randomInts(random, 64 * blocks, -1000, 1000);
    const sums = Int32Array.from({ length: 2 * blocks }, (_, warp) => sum(x.subarray(32 * warp, 32 * warp + 32)));
    return { ...line(blocks, 64), params: [input('x', x), output('sums', sums)] };
  },
};
