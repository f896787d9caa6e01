// The entry points of `scripts/gpt.mjs`, in Node and in pages: measurements of the training, and
// the plan for other hosts.

import type { PlanKind } from '../../src/base/lane-plan.ts';
import { Runtime } from '../../src/runtime/index.ts';
import { type Measured, measure } from './measure.ts';
import { type Plan, planOf } from './plan.ts';
import { planJson } from './plan-json.ts';
import { matrixMode } from './settings.ts';
import { isSize, sizes } from './sizes.ts';
import { alphabet, kernelFiles } from './sources.ts';
import type { MatrixType } from './task.ts';

interface RunOptions {
  readonly size: string;
  readonly seed: number;
  readonly steps: number;
  /** The time in seconds for measuring the speed of the steps after the first `steps`. */
  readonly seconds: number;
  readonly float: 'exact' | 'fast';
  readonly matrices?: MatrixType;
  readonly lanes?: PlanKind;
}

type Planned = Pick<RunOptions, 'size' | 'seed' | 'matrices'>;

function planFor({ size, seed, matrices = 'f32' }: Planned): Plan {
  if (!isSize(size)) throw new RangeError(`unknown size '${size}': expected one of ${Object.keys(sizes).join(', ')}`);
  return planOf({ ...sizes[size], seed, matrices, text: alphabet.numbers, vocabulary: alphabet.characters.length });
}

/**
 * Trains and returns the measurements. `gpu` is the entry point of WebGPU, by default that of the
 * page.
 */
async function run(options: RunOptions, gpu?: GPU): Promise<Measured> {
  const { float, lanes, steps, seconds } = options;
  const runtime = await Runtime.open({
    float,
    matrix: matrixMode(float),
    ...(gpu ? { gpu } : {}),
    ...(lanes ? { plan: lanes } : {}),
  });
  try {
    return await measure(runtime, float, planFor(options), kernelFiles, steps, seconds);
  } finally {
    runtime.close();
  }
}

const gpt = { run, plan: (options: Planned): string => planJson(planFor(options)) };
Object.assign(globalThis, { gpt });
