import { blocksFor, input, int, type Lesson, line, updated, wholeFloats } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Atomics',
  title: 'Compare and swap',
  text: [
    'CUDA has no atomic maximum of floats. You can build any atomic operation from `atomicCAS(address, expected, value)`. It stores `value` only if the memory still contains `expected`, and it returns what the memory contained.',
    'A thread proposes a new value. If another thread has changed the memory in the meantime, the call returns the changed value, and the thread tries again. `atomicCAS` works on integers, so the bits of a float become an integer by `__float_as_int`.',
    'Find the maximum of `x`. `*result` contains a very small number before the launch. The function below tries only once.',
  ],
  hint: 'Write `while (value > __int_as_float(old))`. In the loop, call `atomicCAS(bits, old, __float_as_int(value))`. Leave the loop if it returns `old`; otherwise, assign its result to `old`.',
  kernel: 'maximum',
  sizes: [64, 1, 150],
  timed: 1 << 16,
  trial(size, random) {
    const x = wholeFloats(random, size, -1000, 1000);
    const params = [
      int('n', size),
      input('x', x),
      updated('result', Float32Array.of(-1e30), Float32Array.of(x.reduce((most, value) => Math.max(most, value)))),
    ];
    return { ...line(blocksFor(size, 64), 64), params };
  },
};
