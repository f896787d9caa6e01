// The demo's transformer on Dawn over SwiftShader, compared with the CPU reference. A short run
// executes the beginning of a step. A long run executes two steps, compares their losses, and draws
// a sample.
import { describe, expect, test } from 'vitest';
import { type Plan, planOf } from '../../demo/gpt/plan.ts';
import { sizes } from '../../demo/gpt/sizes.ts';
import { Trainer } from '../../demo/gpt/trainer.ts';
import { isLong } from '../effort.ts';
import { kernelFiles, ReferenceHost } from '../gpt/reference-host.ts';
import { hasSwiftShader, openRuntime } from './runtime-support.ts';

const text = Int32Array.from({ length: 200 }, (_, at) => (at * at) % 37);
const whole = planOf({ ...sizes.least, seed: 5, text, vocabulary: 37 });
/**
 * The first three launches of a step, and the first `residual`. SwiftShader needs minutes to
 * compile the kernels of a whole step.
 */
const beginning: Plan = {
  ...whole,
  step: [...whole.step.slice(0, 3), ...whole.step.filter(({ kernel }) => kernel === 'residual').slice(0, 1)],
  draw: () => [],
};
const plan = isLong ? whole : beginning;
const steps = 2;
/** The first product of f16 matrices, and the launches before it. */
const half = planOf({ ...sizes.least, seed: 5, text, vocabulary: 37, matrices: 'f16' });
const product: Plan = {
  ...half,
  step: half.step.slice(0, half.step.findIndex(({ kernel }) => kernel === 'matmul_f16') + 1),
  draw: () => [],
};

describe.skipIf(!hasSwiftShader)('the transformer', () => {
  test('has the same bits as on the reference', async () => {
    const host = new ReferenceHost(plan);
    for (let step = 0; step < steps; step++) host.run(plan.step);
    const runtime = await openRuntime();
    const trainer = await Trainer.open(runtime, plan, kernelFiles);
    trainer.train(steps);
    for (const name of [
      'tokens',
      'targets',
      'rates',
      'params',
      '0.x',
      '0.middle',
      ...(isLong ? ['grads', 'logits'] : []),
    ])
      expect([...(await trainer.words(name))], name).toEqual([...new Uint32Array(host.bytes(name).buffer)]);
    const losses = host.floats('history').subarray(1, steps + 1);
    expect([...(await trainer.losses())]).toEqual([...losses]);
    if (isLong) {
      expect(losses[1]).toBeGreaterThan(1);
      host.bytes('sample.tokens').fill(0);
      trainer.beginSample(0);
      trainer.draw(2);
      for (let drawn = 0; drawn < 2; drawn++) host.run(plan.draw(drawn, drawn));
      const drawn = [...new Int32Array(host.bytes('drawn').buffer).subarray(0, 2)];
      expect([...(await trainer.sample())]).toEqual(drawn);
    }
    trainer.free();
    expect(runtime.close()).toEqual([]);
  });

  // Only in a long run: SwiftShader needs half a minute to compile the product.
  test.runIf(isLong)('has the bits of sm_90 in a product of f16 matrices', async () => {
    const host = new ReferenceHost(product);
    host.run(product.step);
    const runtime = await openRuntime({ matrix: 'hopper' });
    const trainer = await Trainer.open(runtime, product, kernelFiles);
    trainer.train(1);
    const sums = [...new Uint32Array(host.bytes('0.qkv').buffer)];
    expect([...(await trainer.words('0.qkv'))]).toEqual(sums);
    expect(new Set(sums).size).toBeGreaterThan(1000);
    trainer.free();
    expect(runtime.close()).toEqual([]);
  });
});
