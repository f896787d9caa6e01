import { input, type Lesson, line, output, randomInts, updated } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Warps',
  title: 'Compaction',
  text: [
    'Compaction keeps some elements of an array and moves them together, in the same order. Each lane must know how many lanes before it keep their elements. A ballot contains the answer: in lane 5, count the bits of lanes 0 to 4.',
    'The mask of all lanes before this one is `(1u << lane) - 1`. For lane 0, it is 0.',
    'Each block is one warp with 32 elements. Store its positive elements at the start of its 32 places in `kept`, and their number in `counts`. The other places contain 0 before the launch; leave them.',
  ],
  hint: 'The place of an element is `__popc(votes & ((1u << lane) - 1))`.',
  kernel: 'keep_positive',
  sizes: [1, 3],
  timed: 1 << 15,
  trial(warps, random) {
    const x = randomInts(random, 32 * warps, -100, 100);
    const kept = new Int32Array(32 * warps);
    const counts = new Int32Array(warps);
    for (let warp = 0; warp < warps; warp++) {
      const positive = x.subarray(32 * warp, 32 * warp + 32).filter((value) => value > 0);
      kept.set(positive, 32 * warp);
      counts[warp] = positive.length;
    }
    const params = [input('x', x), updated('kept', new Int32Array(32 * warps), kept), output('counts', counts)];
    return { ...line(warps, 32), params };
  },
};
