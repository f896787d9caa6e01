// The demo's transformer: the PTX of its kernels, a step on the reference, and its gradients
// against finite differences of an f64 model.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bitsOf } from '../../../demo/gpt/measure.ts';
import { planOf } from '../../../demo/gpt/plan.ts';
import { type SizeName, sizes } from '../../../demo/gpt/sizes.ts';
import { readText } from '../../../demo/gpt/text.ts';
import { effort } from '../../effort.ts';
import { lossInDoubles } from '../../gpt/model-in-doubles.ts';
import { kernelFiles, ReferenceHost } from '../../gpt/reference-host.ts';

interface Results {
  readonly models: readonly {
    readonly parameters: number;
    readonly charactersAStep: number;
    readonly losses: { readonly bits: string };
  }[];
}

const folder = new URL('../../../demo/gpt/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

describe('the PTX', () => {
  test('is compiled from the current sources', () => {
    const sources = readdirSync(new URL('kernels/', folder)).filter((name) => name.endsWith('.cu'));
    expect(kernelFiles.map(({ name }) => name)).toEqual(sources.map((name) => name.replace('.cu', '.ptx')));
    for (const source of sources) {
      const hash = createHash('sha256')
        .update(read('kernels/arithmetic.cuh'))
        .update(read(`kernels/${source}`));
      const ptx = read(`kernels/${source.replace('.cu', '.ptx')}`);
      expect(ptx.split('\n', 1)[0]).toBe(`// sha256 ${hash.digest('hex')} of arithmetic.cuh and ${source}`);
    }
  });

  test.each(kernelFiles)('of $name leaves no bit undefined', ({ ptx }) => {
    const computed = ptx.match(/\b(add|sub|mul|mad|fma|div|rcp|sqrt|rsqrt|ex2|lg2|sin|cos|tanh)\.[\w.]*f32\b/g) ?? [];
    expect(computed.length).toBeGreaterThan(0);
    expect(computed.filter((opcode) => !/^(add|sub|mul|fma|div|rcp|sqrt)\.rn\.f32$/.test(opcode))).toEqual([]);
    // Exclude `mma.sync`: its products have the bits of sm_90.
    expect(ptx.replaceAll(/\bmma\.sync\S*/g, '')).not.toMatch(/\.(approx|ftz|full|f64|f16)\b|\b(atom|red)\./);
  });
});

describe('a step on the reference', () => {
  const { numbers, characters } = readText(read('text.txt'));
  const vocabulary = characters.length;
  const plan = planOf({ ...sizes.least, seed: 1, text: numbers, vocabulary });
  const host = new ReferenceHost(plan);
  const params = Float64Array.from(host.floats('params'));
  host.run(plan.step);
  const ints = (name: string): Int32Array => new Int32Array(host.bytes(name).buffer);
  const [tokens, targets] = [ints('tokens'), ints('targets')];
  const loss = (of: Float64Array): number => lossInDoubles(plan, sizes.least, vocabulary, of, tokens, targets);

  test('reads a piece of the text', () => {
    const start = numbers.findIndex((_, at) => tokens.every((token, place) => numbers[at + place] === token));
    expect(start).toBeGreaterThan(0);
    expect([...targets]).toEqual([...numbers.subarray(start + 1, start + 33)]);
  });

  test('has the loss of the f64 model', () => {
    expect(host.floats('history')[1]).toBeCloseTo(loss(params), 5);
  });

  test.each([...plan.places.keys()])('has the slope of %s', (name) => {
    const place = plan.places.get(name);
    if (!place) throw new RangeError(name);
    const grads = host.floats('grads');
    const own = [...grads.subarray(place.at, place.at + place.count)];
    const length = Math.hypot(...own);
    // The direction is the gradient plus unrelated signs of the same length. The signs show whether
    // a part of the gradient is missing.
    const even = length / Math.sqrt(place.count);
    const direction = own.map((value, index) => value + ((index * 7919) % 13 < 6 ? even : -even));
    const size = 1e-4 / length;
    const moved = (sign: number): Float64Array => {
      const copy = params.slice();
      for (const [index, value] of direction.entries())
        copy[place.at + index] = (params[place.at + index] ?? 0) + sign * size * value;
      return copy;
    };
    const slope = (loss(moved(1)) - loss(moved(-1))) / (2 * size);
    const expected = direction.reduce((sum, value, index) => sum + value * (own[index] ?? 0), 0);
    expect(Math.abs(slope - expected)).toBeLessThan(1e-4 * length * Math.max(length, 0.01));
  });

  test('moves every parameter by AdamW', () => {
    const [after, grads, rates] = [host.floats('params'), host.floats('grads'), host.floats('rates')];
    const norm = Math.hypot(...grads);
    expect(rates[7]).toBeCloseTo(norm, 4);
    const clipped = Math.min(1, 1 / norm);
    const rate = 0.002 / 40;
    const matrices = (plan.places.get('head')?.at ?? 0) + (plan.places.get('head')?.count ?? 0);
    const wrong = [...params.entries()].filter(([index, before]) => {
      const grad = (grads[index] ?? 0) * clipped;
      // In the first step of AdamW, the two means are the gradient and its square.
      const step = grad / (Math.abs(grad) + 1e-8);
      const expected = before - rate * (step + (index < matrices ? 0.05 * before : 0));
      return !(Math.abs((after[index] ?? Number.NaN) - expected) < 2e-6);
    });
    expect(wrong).toEqual([]);
  });

  test('with f16 matrices has nearly the same loss and gradients', () => {
    const plan = planOf({ ...sizes.least, seed: 1, text: numbers, vocabulary, matrices: 'f16' });
    const half = new ReferenceHost(plan);
    half.run(plan.step);
    expect(half.floats('history')[1]).toBeCloseTo(loss(params), 3);
    const [own, exact] = [half.floats('grads'), host.floats('grads')];
    const distance = Math.hypot(...own.map((value, index) => value - (exact[index] ?? Number.NaN)));
    expect(distance).toBeGreaterThan(0);
    expect(distance).toBeLessThan(2 ** -8 * Math.hypot(...exact));
  });

  // A long run checks the second loss, which depends on every parameter of the first step.
  const count = effort(1, 2);
  test(`has the losses of an H200: ${count}`, () => {
    if (count > 1) host.run(plan.step.slice(0, plan.step.findIndex(({ kernel }) => kernel === 'mean_loss') + 1));
    expect(bitsOf(host.floats('history').subarray(1, 1 + count))).toEqual(recorded('least').slice(0, count));
  });
});

/** Returns the bits of the losses that an H200 computed natively for a size. */
function recorded(size: SizeName): readonly string[] {
  const { models }: Results = JSON.parse(read('../../docs/results/h200-transformer.json'));
  const { context, batch } = sizes[size];
  const found = models.find(
    ({ parameters, charactersAStep }) => parameters === 17888 && charactersAStep === context * batch,
  );
  return found?.losses.bits.split(' ') ?? [];
}
