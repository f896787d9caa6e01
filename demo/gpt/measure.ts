// Trains for a number of steps. Reports the bits of every loss, and the speed.
import type { Runtime } from '../../src/runtime/index.ts';
import { checkProducts, type ProductCheck } from './check-products.ts';
import type { Plan } from './plan.ts';
import type { MatrixType } from './task.ts';
import { type KernelFile, Trainer } from './trainer.ts';

export interface Measured {
  readonly adapter: string;
  readonly float: 'exact' | 'fast';
  readonly matrices: MatrixType;
  readonly parameters: number;
  /** The number of launches in a step. */
  readonly launches: number;
  readonly tokens: number;
  /** The bits of the losses as hexadecimal words. */
  readonly losses: readonly string[];
  readonly compileSeconds: number;
  /**
   * The speed of the steps after those whose losses are recorded, measured for at most the
   * requested time.
   */
  readonly stepsPerSecond: number;
  /** Whether the products are subgroup matrices. */
  readonly subgroupMatrices: boolean;
  /** The comparison of the products with the CPU reference. */
  readonly products: ProductCheck;
}

/** The maximum number of steps that are submitted but not finished. */
const ahead = 20;

export async function measure(
  runtime: Runtime,
  float: 'exact' | 'fast',
  plan: Plan,
  files: readonly KernelFile[],
  steps: number,
  seconds: number,
): Promise<Measured> {
  const begin = performance.now();
  const trainer = await Trainer.open(runtime, plan, files);
  const compileSeconds = (performance.now() - begin) / 1000;
  for (let step = 0; step < steps; step += ahead) {
    trainer.train(Math.min(ahead, steps - step));
    await runtime.synchronize();
  }
  const losses = bitsOf(await trainer.losses());
  const start = performance.now();
  const elapsed = (): number => (performance.now() - start) / 1000;
  let waiting: Promise<void> = Promise.resolve();
  // Submit the next steps before the device has finished the previous steps.
  while (elapsed() < seconds) {
    trainer.train(ahead);
    const done = runtime.synchronize();
    await waiting;
    waiting = done;
  }
  await waiting;
  const stepsPerSecond = (trainer.steps - steps) / elapsed();
  const products = await checkProducts(trainer, files, float);
  const { subgroupMatrices } = trainer;
  trainer.free();
  const { vendor, architecture, device, description } = runtime.adapter;
  const names = [vendor, architecture, device, description].filter((part) => part !== '');
  const adapter = names.join(', ') || 'unnamed';
  const { parameters, tokens, matrices } = plan;
  return {
    ...{
      adapter,
      float,
      matrices,
      parameters,
      launches: plan.step.length,
      tokens,
      losses,
      compileSeconds,
      stepsPerSecond,
    },
    ...{ subgroupMatrices, products },
  };
}

/** Returns the bits of each loss as eight hexadecimal digits. */
export const bitsOf = (losses: Float32Array): string[] =>
  [...new Uint32Array(losses.buffer, losses.byteOffset, losses.length)].map((bits) =>
    bits.toString(16).padStart(8, '0'),
  );
