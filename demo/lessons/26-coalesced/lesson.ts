import { blocksFor, input, int, type Lesson, line, randomInts, updated } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Cooperative groups',
  title: 'Threads in a branch',
  text: [
    'In a branch, only some lanes of a warp execute. `cg::coalesced_threads()` returns them as a group, whatever the condition of the branch is.',
    'This makes atomics cheaper. If each of 20 lanes adds 1 to a counter, the GPU performs 20 additions one after the other. If one lane adds 20 for the whole group, there is only one addition.',
    'Count the elements of `x` that are greater than `limit`, with one `atomicAdd` for each group. `*count` is 0 before the launch. The kernel adds a wrong number.',
  ],
  hint: 'The thread with rank 0 must add the number of threads in the group, `group.size()`.',
  kernel: 'count_greater',
  sizes: [64, 1, 100],
  timed: 1 << 20,
  trial(size, random) {
    const limit = random.below(20) - 10;
    const x = randomInts(random, size, -20, 20);
    const count = Int32Array.of(x.filter((value) => value > limit).length);
    const params = [int('n', size), int('limit', limit), input('x', x), updated('count', Int32Array.of(0), count)];
    return { ...line(blocksFor(size, 64), 64), params };
  },
};
