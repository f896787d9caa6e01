import { at, input, type Lesson, line, output, wholeFloats } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Threads',
  title: 'Many blocks',
  text: [
    'A block has at most 1,024 threads. For more elements, a launch has a grid of many blocks. In each block, `threadIdx.x` starts at 0 again. `blockIdx.x` is the number of the block, and `blockDim.x` is the number of threads in a block.',
    'Together, these three numbers identify a thread in the whole grid. The first thread of block 1 comes after the last thread of block 0.',
    'Add the vectors `a` and `b` element by element. The grid has exactly one thread for each element, in blocks of 256 threads.',
  ],
  hint: 'All blocks before this one have `blockIdx.x * blockDim.x` threads. Add `threadIdx.x` to that.',
  kernel: 'add',
  sizes: [256, 512],
  timed: 1 << 20,
  trial(size, random) {
    const a = wholeFloats(random, size);
    const b = wholeFloats(random, size);
    const sums = a.map((value, index) => value + at(b, index));
    return { ...line(size / 256, 256), params: [input('a', a), input('b', b), output('c', sums)] };
  },
};
