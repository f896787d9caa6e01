// The demo's transformer in f64, with only the forward pass, implemented from its description:
// embeddings, layers of attention and GELU with layer norms before them, and cross-entropy.
import type { Plan } from '../../demo/gpt/plan.ts';
import type { Shape } from '../../demo/gpt/task.ts';

type Matrix = readonly (readonly number[])[];

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? Number.NaN), 0);

const plus = (a: Matrix, b: Matrix): Matrix =>
  a.map((row, r) => row.map((value, c) => value + (b[r]?.[c] ?? Number.NaN)));

function softmax(row: readonly number[]): readonly number[] {
  const top = Math.max(...row);
  const weights = row.map((value) => Math.exp(value - top));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

const gelu = (x: number): number => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

/** Returns the mean loss of the batch. The layout of `params` is that of the plan. */
export function lossInDoubles(
  { places }: Plan,
  { layers, width, context, batch }: Shape,
  vocabulary: number,
  params: Float64Array,
  tokens: ArrayLike<number>,
  targets: ArrayLike<number>,
): number {
  const vector = (name: string): readonly number[] => {
    const place = places.get(name);
    if (!place) throw new RangeError(name);
    return [...params.subarray(place.at, place.at + place.count)];
  };
  /** Returns a matrix that is stored by columns. */
  const columns = (name: string, inner: number): Matrix => {
    const all = vector(name);
    const count = all.length / inner;
    return Array.from({ length: count }, (_, c) =>
      Array.from({ length: inner }, (_, r) => all[r * count + c] ?? Number.NaN),
    );
  };
  const linear = (rows: Matrix, name: string, bias?: readonly number[]): Matrix => {
    const weights = columns(name, rows[0]?.length ?? 0);
    return rows.map((row) => weights.map((column, c) => dot(row, column) + (bias?.[c] ?? 0)));
  };
  const norm = (rows: Matrix, name: string): Matrix => {
    const [gain, bias] = [vector(`${name}.gain`), vector(`${name}.bias`)];
    return rows.map((row) => {
      const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
      const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
      return row.map(
        (value, c) => ((value - mean) / Math.sqrt(variance + 1e-5)) * (gain[c] ?? Number.NaN) + (bias[c] ?? Number.NaN),
      );
    });
  };
  const attend = (qkv: Matrix): Matrix =>
    qkv.map((row, time) => {
      const out: number[] = [];
      for (let first = 0; first < width; first += 32) {
        const part = (at: Matrix[number] | undefined, which: number): readonly number[] =>
          at?.slice(which * width + first, which * width + first + 32) ?? [];
        const seen = qkv.slice(0, time + 1);
        const shares = softmax(seen.map((other) => dot(part(row, 0), part(other, 1)) / Math.sqrt(32)));
        for (let c = 0; c < 32; c++)
          out.push(
            dot(
              shares,
              seen.map((other) => part(other, 2)[c] ?? Number.NaN),
            ),
          );
      }
      return out;
    });
  const [byToken, byPlace] = [vector('tokens'), vector('places')];
  const stride = byToken.length / width;
  let sum = 0;
  for (let piece = 0; piece < batch; piece++) {
    let x: Matrix = Array.from({ length: context }, (_, time) => {
      const token = tokens[piece * context + time] ?? Number.NaN;
      return Array.from(
        { length: width },
        (_, c) => (byToken[token * width + c] ?? Number.NaN) + (byPlace[time * width + c] ?? Number.NaN),
      );
    });
    for (let layer = 0; layer < layers; layer++) {
      const named = (name: string): string => `${layer}.${name}`;
      const qkv = linear(norm(x, named('first')), named('qkv'), vector(named('qkv.bias')));
      x = plus(x, linear(attend(qkv), named('mix'), vector(named('mix.bias'))));
      const wide = linear(norm(x, named('second')), named('widen'), vector(named('widen.bias')));
      const bent = wide.map((row) => row.map(gelu));
      x = plus(x, linear(bent, named('narrow'), vector(named('narrow.bias'))));
    }
    const logits = linear(norm(x, 'last'), 'head');
    if (logits[0]?.length !== stride) throw new RangeError('head and tokens have different sizes');
    logits.forEach((row, time) => {
      const chance = softmax(row.slice(0, vocabulary))[targets[piece * context + time] ?? -1] ?? Number.NaN;
      sum -= Math.log(chance);
    });
  }
  return sum / (batch * context);
}
