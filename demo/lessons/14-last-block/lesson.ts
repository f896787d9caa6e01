import { input, type Lesson, line, output, sum, updated, wholeFloats } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Reductions',
  title: 'The last block',
  text: [
    'Atomic additions of floats happen in any order. Each order rounds differently, so the last digits vary from run to run. A fixed order avoids this: each block stores its sum in `partial`, and the block that finishes last adds them up.',
    'A counter determines which block is last. But a block must not count itself before the other blocks can see its sum. `__threadfence()` ensures this: other threads see the writes before the fence earlier than those after it. The last block needs a fence too, between the counter and its reads.',
    'The kernel lacks both fences. Add them.',
  ],
  hint: 'Put `__threadfence();` between the store to `partial` and the `atomicAdd`. Put another one before the loop that reads `partial`.',
  kernel: 'sum_in_order',
  sizes: [3, 1],
  timed: 1024,
  trial(blocks, random) {
    const x = wholeFloats(random, 32 * blocks, -100, 100);
    const partial = Float32Array.from({ length: blocks }, (_, block) => sum(x.subarray(32 * block, 32 * block + 32)));
    const params = [
      input('x', x),
      output('partial', partial),
      updated('counter', Int32Array.of(0), Int32Array.of(blocks)),
      output('total', Float32Array.of(sum(x))),
    ];
    return { ...line(blocks, 32), params };
  },
};
