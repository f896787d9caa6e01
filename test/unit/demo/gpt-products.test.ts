// Matrix products of the demo's transformer: products of f16 matrices against sums in f64, and the
// page's comparison of products with the reference.
import { describe, expect, test } from 'vitest';
import { checkProducts } from '../../../demo/gpt/check-products.ts';
import type { PlannedLaunch } from '../../../demo/gpt/launches.ts';
import { planOf } from '../../../demo/gpt/plan.ts';
import { sizes } from '../../../demo/gpt/sizes.ts';
import type { MatrixType } from '../../../demo/gpt/task.ts';
import type { Launch, LaunchParam } from '../../../src/base/launch.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { kernelFiles, ReferenceHost } from '../../gpt/reference-host.ts';
import { h200Matrices, lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

/** Returns multiples of 1/8 from -1 to 1, whose products and sums are exact. */
function eighths(count: number, seed: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state % 17) / 8 - 1;
  });
}

describe('f16 products', () => {
  const [rows, inner, columns, at] = [64, 96, 32, 64];
  const x = eighths(rows * inner, 1);
  const params = eighths(at + inner * columns + columns, 2);
  // This gradient would be too small for f16 without the scale.
  const least = 2 ** -30;
  const gradients = eighths(rows * columns, 3).map((value) => value * least);
  const [scale, back] = [2 ** 27, 2 ** -27];
  const elementOf = (from: Float32Array, index: number): number => from[index] ?? Number.NaN;
  const weight = (k: number, c: number): number => elementOf(params, at + k * columns + c);
  const dot = (count: number, product: (term: number) => number): number =>
    Array.from({ length: count }, (_, term) => product(term)).reduce((sum, value) => sum + value, 0);
  const table = (height: number, width: number, element: (r: number, c: number) => number): number[] =>
    Array.from({ length: height * width }, (_, index) => element(Math.floor(index / width), index % width));
  const ptx = kernelFiles.find(({ name }) => name === 'matmul_f16.ptx')?.ptx ?? '';

  const param = (value: number | Float32Array, index: number, type: 's32' | 'f32'): LaunchParam => {
    const name = `p${index}`;
    if (typeof value === 'number') return { name, kind: 'scalar', type, value };
    return { name, kind: 'buffer', type: 'f32', bytes: value.byteLength, data: new Uint8Array(value.buffer) };
  };
  const launchOf = (
    entry: string,
    grid: readonly [number, number],
    args: readonly (number | Float32Array)[],
  ): Launch => ({
    ...{ id: entry, group: '', ptx, ptxFile: 'matmul_f16.ptx', entry, grid: [...grid, 1], block: [128, 1, 1] },
    sharedBytes: 0,
    params: args.map((value, index) => param(value, index, value === scale || value === back ? 'f32' : 's32')),
  });
  const zeros = (count: number): Float32Array => new Float32Array(count);

  test.each([
    {
      launch: launchOf(
        'matmul_f16',
        [columns / 32, rows / 32],
        [...[inner, columns, at, at + inner * columns], ...[x, params, zeros(rows * columns)]],
      ),
      expected: table(
        rows,
        columns,
        (r, c) =>
          dot(inner, (k) => elementOf(x, r * inner + k) * weight(k, c)) + elementOf(params, at + inner * columns + c),
      ),
    },
    {
      launch: launchOf(
        'matmul_back_input_f16',
        [inner / 32, rows / 32],
        [...[inner, columns, at, scale, back], ...[gradients, params, zeros(rows * inner)]],
      ),
      expected: table(rows, inner, (r, k) => dot(columns, (c) => elementOf(gradients, r * columns + c) * weight(k, c))),
    },
    {
      launch: launchOf(
        'matmul_back_weights_f16',
        [columns / 32, inner / 32],
        [...[rows, inner, columns, 0, scale, back], ...[x, gradients, zeros(inner * columns)]],
      ),
      expected: table(inner, columns, (k, c) =>
        dot(rows, (r) => elementOf(x, r * inner + k) * elementOf(gradients, r * columns + c)),
      ),
    },
  ])('$launch.entry', async ({ launch, expected }) => {
    const notes: (string | undefined)[] = [];
    const matrices = lockstepExecutor(32, {
      matrices: h200Matrices,
      onProgram: ({ matrixNote }) => notes.push(matrixNote),
    });
    for (const executor of [cpuExecutor(), matrices]) {
      const { outputs } = await executor.run(launch);
      const out = outputs.get(launch.params.length - 1)?.slice().buffer;
      expect([...new Float32Array(out ?? new ArrayBuffer(0))]).toEqual(expected);
    }
    expect(notes).toEqual([
      expect.stringMatching(/^Subgroup matrices for 4 products: factors are loaded as matrices;/),
    ]);
  });
});

describe('the comparison with the reference', () => {
  /**
   * Returns a device with random contents that computes with the reference. `change` alters the
   * sums of a kernel.
   */
  function deviceWith(matrices: MatrixType, change: (kernel: string, sums: Float32Array) => void) {
    const text = Int32Array.from({ length: 100 }, (_, index) => index % 37);
    const plan = planOf({ ...sizes.least, seed: 1, text, vocabulary: 37, matrices });
    const host = new ReferenceHost({ ...plan, setup: [] });
    for (const [index, name] of [...plan.buffers.keys()].entries())
      host.floats(name).set(eighths(host.floats(name).length, index).map((value) => value / 3));
    return {
      plan,
      launch(launch: PlannedLaunch) {
        host.run([launch]);
        change(launch.kernel, host.floats(`${launch.args.at(-1)}`));
      },
      words: async (name: string) => new Uint32Array(host.bytes(name).slice().buffer),
    };
  }
  const times = (kernel: string, factor: number) => (changed: string, sums: Float32Array) => {
    if (changed === kernel) sums[5] = (sums[5] ?? 0) * factor;
  };
  const right = { compared: 3 * 1024, difference: undefined };

  test.each([
    ['f16', 'exact', () => undefined],
    ['f32', 'exact', () => undefined],
    ['f16', 'fast', times('matmul_back_input_f16', 1 + 2 ** -20)],
  ] as const)('%s with %s floats accepts right sums', async (matrices, float, change) => {
    expect(await checkProducts(deviceWith(matrices, change), kernelFiles, float)).toEqual(right);
  });

  test.each([
    ['f16', 'exact', 'matmul_back_input_f16', 1 + 2 ** -22],
    ['f32', 'exact', 'matmul', 1 + 2 ** -22],
    ['f16', 'fast', 'matmul_f16', 1.01],
  ] as const)('%s with %s floats reports a wrong sum of %s', async (matrices, float, kernel, factor) => {
    const { difference } = await checkProducts(deviceWith(matrices, times(kernel, factor)), kernelFiles, float);
    expect(difference).toMatch(new RegExp(`^${kernel}: sum 5 is .*, expected `));
  });
});
