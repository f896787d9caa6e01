import { input, type Lesson, line, output, randomInts, sum } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Cooperative groups',
  title: 'Tiles of a warp',
  text: [
    'Cooperative groups are objects that represent threads which work together. Their functions need no masks, because the group knows its threads. `cg::this_thread_block()` is the whole block, and `block.sync()` is its barrier.',
    '`cg::tiled_partition<8>(block)` divides the block into tiles of 8 threads. A tile has `size()`, `thread_rank()` (the number of the thread in its tile), `sync()` and shuffles such as `tile.shfl_down(value, distance)`. The same code works for tiles of 4, 16 or 32.',
    'Store the sum of each 8 consecutive elements in `sums`.',
  ],
  hint: 'Write `for (int distance = tile.size() / 2; distance > 0; distance /= 2) value += tile.shfl_down(value, distance);`',
  kernel: 'sum_tiles',
  sizes: [1, 2],
  timed: 1 << 14,
  trial(blocks, random) {
    const x = randomInts(random, 64 * blocks, -1000, 1000);
    const sums = Int32Array.from({ length: 8 * blocks }, (_, tile) => sum(x.subarray(8 * tile, 8 * tile + 8)));
    return { ...line(blocks, 64), params: [input('x', x), output('sums', sums)] };
  },
};
