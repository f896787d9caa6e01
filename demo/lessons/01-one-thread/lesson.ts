import { input, type Lesson, line, output, randomInts } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Threads',
  title: 'One thread, one element',
  text: [
    'A kernel is a function that many threads execute at the same time. All threads have the same code and the same parameters. They differ in their number: `threadIdx.x` is 0 in the first thread of a block, 1 in the second, and so on.',
    'This kernel starts with one block that has a thread for each element of `x`. Each thread must read one element, double it, and store it at the same index of `y`.',
    'The kernel below uses index 0 in all threads. Run it to see what the judge reports. Then change the index.',
  ],
  hint: 'Replace the 0 by `threadIdx.x`. Thread 5 then reads `x[5]` and writes `y[5]`.',
  kernel: 'double_each',
  sizes: [1, 32, 100, 256],
  timed: 1024,
  trial(size, random) {
    const x = randomInts(random, size, -1000, 1000);
    return {
      ...line(1, size),
      params: [
        input('x', x),
        output(
          'y',
          x.map((value) => 2 * value),
        ),
      ],
    };
  },
};
