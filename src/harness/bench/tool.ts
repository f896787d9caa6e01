// Measures the speed of the tool itself: translation, the reference, the time to a first result,
// and a whole validation. For Node only.

import type { Launch } from '../../base/launch.ts';
import { type ShflMode, shflInto, shflModes } from '../../cpu-ref/index.ts';
import { parsePtx } from '../../ptx/index.ts';
import { planFor, translate } from '../../translate/index.ts';
import {
  type ExecutorChoice,
  type ExecutorName,
  executorNameOf,
  isNative,
  type KernelExecutor,
  type OpenOptions,
} from '../executors/executor.ts';
import { openExecutor } from '../executors/open-executor.ts';
import { wordKernel } from '../launches/word-kernel.ts';
import { totals } from '../runs/results.ts';
import { validate } from '../runs/validate.ts';
import { type Spread, spreadOf } from './statistics.ts';
import { instructionsKernel, translationShapes } from './translation-shapes.ts';

export interface ToolMeasurement {
  readonly id: string;
  readonly machine: ExecutorName | 'node';
  readonly unit: 'ms' | 'lane results a second';
  readonly value: Spread;
  /** Further information, such as sizes and rates. */
  readonly note: string;
}

export interface ToolOptions {
  /** The executors whose time from start to first result is measured. */
  readonly on: readonly Exclude<ExecutorChoice, 'cpu'>[];
  readonly adapter: string | undefined;
  /** Whether to skip measurements that would take minutes on a software adapter. */
  readonly software: boolean;
  readonly onProgress: (label: string) => void;
}

const repetitions = 3;

/** Measures the tool. Throws `GpuError` if an executor cannot be opened. */
export async function measureTool(options: ToolOptions): Promise<ToolMeasurement[]> {
  const results: ToolMeasurement[] = [];
  options.onProgress('translation');
  results.push(...translations(options.onProgress));
  options.onProgress('reference');
  for (const mode of Object.values(shflModes)) results.push(reference(mode));
  for (const choice of options.on) {
    options.onProgress(`first result on ${executorNameOf(choice)}`);
    for (const facts of isNative(choice) ? ([undefined] as const) : (['measured', 'kept'] as const))
      results.push(...(await firstResult(choice, { adapter: options.adapter, facts })));
  }
  for (const choice of options.on.filter((choice) => !isNative(choice))) {
    options.onProgress(`validation on ${executorNameOf(choice)}`);
    results.push(await wholeValidation(choice, options));
  }
  return results;
}

/** Measures the time in milliseconds to parse and translate a text. */
function translation(id: string, unit: string, size: number, text: string, runs: number): ToolMeasurement {
  let bytes = 0;
  const once = (): number => {
    const start = performance.now();
    const { module } = parsePtx(text, { file: 'generated.ptx' });
    const program = module && translate(module, { block: [64, 1, 1], plan: planFor(32), float: exactAdapter }).program;
    if (!program) throw new Error('the translator rejected the generated kernel');
    bytes = program.code.length;
    return performance.now() - start;
  };
  if (runs > 1) once();
  const value = spreadOf(Array.from({ length: runs }, once));
  const rate = (size / value.median).toPrecision(3);
  const note = `${rate} ${unit} a millisecond, ${(bytes / 1024).toFixed(0)} KiB of WGSL`;
  return { id: `translate:${size}-${id}`, machine: 'node', unit: 'ms', value, note };
}

/** Measures each shape at half its size and at its full size. Linear growth doubles the time. */
function translations(onProgress: (label: string) => void): ToolMeasurement[] {
  const results = [100, 1_000, 10_000].map((size) =>
    translation('instructions', 'instructions', size, instructionsKernel(size), repetitions),
  );
  for (const { name, unit, size, text } of translationShapes) {
    onProgress(`translation of ${name}`);
    for (const count of [size / 2, size])
      results.push(translation(name.replaceAll(' ', '-'), unit, count, text(count), 1));
  }
  return results;
}

const exactAdapter = {
  mode: 'exact',
  denormals: 'kept',
  fma: 'fused',
  contracts: false,
  div: 'exact',
  sqrt: 'exact',
} as const;

/** Measures the reference's shuffle in lane results per second on one core. */
function reference(mode: ShflMode): ToolMeasurement {
  const [warps, lanes] = [100_000, 32];
  const [b, c, sources] = [new Uint32Array(lanes), new Uint32Array(lanes), new Uint8Array(lanes)];
  const once = (): number => {
    const start = performance.now();
    for (let i = 0; i < warps; i++) {
      b.fill(i & 31);
      c.fill(((i >>> 5) & 0x1f) | (((i >>> 10) & 0x1f) << 8));
      shflInto(mode, b, c, sources);
    }
    return (warps * lanes * 1000) / (performance.now() - start);
  };
  once();
  const value = spreadOf(Array.from({ length: repetitions }, once));
  return { id: `reference:shfl.sync:${mode}`, machine: 'node', unit: 'lane results a second', value, note: 'one core' };
}

const firstLaunch: Launch = {
  id: 'first-result',
  group: 'bench',
  ptx: wordKernel('  shfl.sync.bfly.b32 %r1, %r15, 1, 0x1f, 0xffffffff;', { name: 'first' }),
  ptxFile: 'first-result.ptx',
  entry: 'first',
  grid: [1, 1, 1],
  block: [32, 1, 1],
  sharedBytes: 0,
  params: [{ name: 'data', kind: 'buffer', type: 'u32', bytes: 128 }],
};

/**
 * Measures the milliseconds until the first kernel's results, including the start of the browser.
 * Returns nothing if a cache of adapter measurements is requested but not possible.
 */
async function firstResult(choice: Exclude<ExecutorChoice, 'cpu'>, options: OpenOptions): Promise<ToolMeasurement[]> {
  const isKept = options.facts === 'kept';
  const times: number[] = [];
  // The first run may find an empty cache.
  for (let turn = isKept ? 0 : 1; turn <= repetitions; turn++) {
    const start = performance.now();
    const executor = await openExecutor(choice, options);
    try {
      const { outputs } = await executor.run(firstLaunch);
      if (outputs.get(0)?.[0] !== 1) throw new Error('lane 0 did not receive the number of lane 1');
      if (turn > 0) times.push(performance.now() - start);
      if (isKept && turn > 0 && executor.describe().measuredAt === undefined) return [];
    } finally {
      await executor.close();
    }
  }
  const id = isKept ? 'first-result:kept' : 'first-result';
  const note = isKept
    ? 'opening, one kernel; the adapter measurements are cached'
    : 'opening, measuring the adapter, one kernel';
  return [{ id, machine: executorNameOf(choice), unit: 'ms', value: spreadOf(times), note }];
}

/**
 * Measures a validation of the whole operand space of the shuffle. On a software adapter, validates
 * only a sample of it.
 */
async function wholeValidation(choice: ExecutorChoice, { adapter, software }: ToolOptions): Promise<ToolMeasurement> {
  const start = performance.now();
  const executor: KernelExecutor = await openExecutor(choice, { adapter });
  try {
    const queries = ['shfl.sync:*:sweep'];
    const results = await validate({ queries, seed: 1, exhaustive: !software, executors: [executor] });
    const { compared, mismatches } = totals(results);
    if (mismatches > 0) throw new Error(`the validation on ${executorNameOf(choice)} found ${mismatches} mismatches`);
    const ms = performance.now() - start;
    const note = `${compared} lane results, ${Math.round((compared / ms) * 1000)} a second`;
    const id = software ? 'validate:shfl.sync:sample' : 'validate:shfl.sync:exhaustive';
    return { id, machine: executorNameOf(choice), unit: 'ms', value: spreadOf([ms]), note };
  } finally {
    await executor.close();
  }
}
