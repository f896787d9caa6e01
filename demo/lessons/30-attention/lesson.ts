import { at, input, int, type Lesson, line, output, wholeFloats } from '../lesson.ts';

/** The number of elements of a query, a key and a value: one for each lane. */
const width = 32;

/** Returns the softmax of the products with all keys, multiplied by the values, for one query. */
function attention(query: Float32Array, keys: Float32Array, values: Float32Array): Float32Array {
  const count = keys.length / width;
  const scores = Array.from({ length: count }, (_, key) =>
    query.reduce((sum, element, lane) => sum + (element * at(keys, key * width + lane)) / Math.sqrt(width), 0),
  );
  const most = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return query.map((_, lane) =>
    weights.reduce((sum, weight, key) => sum + (weight / total) * at(values, key * width + lane), 0),
  );
}

export const lesson: Lesson = {
  chapter: 'Matrices',
  title: 'Flash attention',
  text: [
    'Attention is the core of language models. A query has a score for each key. The result is the sum of all values, weighted by the softmax of the scores.',
    'Flash attention does not store the scores. It reads each key and value once, and keeps a running maximum, a running sum of weights, and a running result. If a larger maximum appears, the old sum and result must shrink: they are multiplied by `expf(old maximum - new maximum)`.',
    'A warp computes one query, with one of 32 elements in each lane. The kernel does not shrink the old sum and result. Correct this.',
  ],
  hint: 'Compute `float shrink = expf(most - next);` before `most` changes. Then `total = total * shrink + weight`, and `result` likewise.',
  kernel: 'attention',
  sizes: [6, 1],
  timed: 512,
  trial(count, random) {
    const queries = count > 100 ? 256 : 2;
    const q = wholeFloats(random, width * queries, -2, 2);
    const k = wholeFloats(random, width * count, -2, 2);
    const v = wholeFloats(random, width * count, -8, 8);
    const out = new Float32Array(width * queries);
    for (let first = 0; first < out.length; first += width) {
      out.set(attention(q.subarray(first, first + width), k, v), first);
    }
    const tolerance = { rel: 1e-4, abs: 1e-4 };
    const params = [int('keys', count), input('q', q), input('k', k), input('v', v), output('out', out, tolerance)];
    return { ...line(queries, width), params };
  },
};
