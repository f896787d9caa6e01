import { blocksFor, input, int, type Lesson, line, randomInts, updated } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Atomics',
  title: 'Counting together',
  text: [
    'The statement `*count += 1` consists of three steps: it reads the counter, adds 1, and writes the sum. If two threads read the counter before one of them writes, both write the same sum, and one count is lost.',
    '`atomicAdd(address, value)` performs the three steps as one, so no other thread can come between them. Atomics work for all threads of a launch, in any block. They cost more than plain stores if many threads use the same address.',
    'Count the negative elements of `x`. `*count` is 0 before the launch. The kernel below has a race.',
  ],
  hint: 'Replace the statement by `atomicAdd(count, 1)`.',
  kernel: 'count_negative',
  sizes: [64, 1, 200],
  timed: 1 << 20,
  trial(size, random) {
    const x = randomInts(random, size, -10, 10);
    const count = Int32Array.of(x.filter((value) => value < 0).length);
    const params = [int('n', size), input('x', x), updated('count', Int32Array.of(0), count)];
    return { ...line(blocksFor(size, 64), 64), params };
  },
};
