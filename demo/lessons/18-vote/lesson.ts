import { input, type Lesson, line, output, randomInts } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Warps',
  title: 'A vote',
  text: [
    'The lanes of a warp can vote. `__ballot_sync(mask, condition)` returns a number with 32 bits, the same in all lanes. Bit 5 is set if the condition is true in lane 5. `__any_sync` and `__all_sync` only tell whether the condition is true in any lane, or in all lanes.',
    '`__popc(bits)` returns the number of bits that are set. Together, a ballot and `__popc` count lanes in two instructions, which is much faster than a sum by shuffles.',
    'For each warp, store the number of even elements in `counts`. Each block is one warp.',
  ],
  hint: 'The condition is `x[i] % 2 == 0`. The count is `__popc(__ballot_sync(0xffffffff, condition))`. Only one lane needs to store it.',
  kernel: 'count_even',
  sizes: [1, 3],
  timed: 1 << 15,
  trial(warps, random) {
    const x = randomInts(random, 32 * warps, -1000, 1000);
    const counts = Int32Array.from(
      { length: warps },
      (_, warp) => x.subarray(32 * warp, 32 * warp + 32).filter((value) => value % 2 === 0).length,
    );
    return { ...line(warps, 32), params: [input('x', x), output('counts', counts)] };
  },
};
