import { input, int, type Lesson, line, output } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Scans',
  title: 'The step of a radix sort',
  text: [
    'A radix sort splits its keys by one bit at a time: first the keys whose bit is 0, then those whose bit is 1, each in their previous order. After a split for every bit, the keys are sorted.',
    'A key with bit 0 moves to the place that equals the number of such keys before it. A key with bit 1 comes after all keys with bit 0, and after the keys with bit 1 before it.',
    'Split each block of 64 keys. The kernel computes the number of zeros before each key and in the whole block. Complete the place of a key with bit 1.',
  ],
  hint: 'Before thread `t`, there are `t` keys. `before` of them have bit 0, so `t - before` have bit 1. Add the number of all zeros, `totals[0] + totals[1]`.',
  kernel: 'split',
  sizes: [1, 2],
  timed: 1 << 14,
  trial(blocks, random) {
    const bit = random.below(32);
    const keys = Uint32Array.from({ length: 64 * blocks }, () => random.u32());
    const sorted = new Uint32Array(64 * blocks);
    for (let first = 0; first < keys.length; first += 64) {
      const own = keys.subarray(first, first + 64);
      const withBit = (value: number): Uint32Array => own.filter((key) => ((key >>> bit) & 1) === value);
      sorted.set([...withBit(0), ...withBit(1)], first);
    }
    return { ...line(blocks, 64), params: [int('bit', bit), input('keys', keys), output('out', sorted)] };
  },
};
