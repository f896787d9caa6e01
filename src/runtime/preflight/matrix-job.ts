// Jobs that multiply subgroup matrices.

import type { MatrixConfig, MatrixElement } from '../../base/matrix-config.ts';
import { GpuError, type GpuJob, type JobRunner } from '../device/job.ts';

/** The number of invocations in a workgroup: one subgroup. */
export const INVOCATIONS = 32;

export const bytesOf: Readonly<Record<MatrixElement, number>> = { f32: 4, f16: 2, u32: 4, i32: 4, u8: 1, i8: 1 };

/** A product, and the WGSL expressions of the word indexes at which A, B, C and D begin. */
export interface PlacedProduct {
  readonly config: MatrixConfig;
  readonly words: readonly [a: string, b: string, c: string, d: string];
}

function productOf(
  { config: { component, result, m, n, k }, words: [a, b, c, d] }: PlacedProduct,
  index: number,
): string {
  const step = (element: MatrixElement, columns: number) => (columns * bytesOf[element]) / 4;
  const left = `subgroup_matrix_left<${component}, ${k}, ${m}>`;
  const right = `subgroup_matrix_right<${component}, ${n}, ${k}>`;
  const sums = `subgroup_matrix_result<${result}, ${n}, ${m}>`;
  return `
  let a${index} = subgroupMatrixLoad<${left}, row_major>(&data, ${a}, ${step(component, k)}u);
  let b${index} = subgroupMatrixLoad<${right}, row_major>(&data, ${b}, ${step(component, n)}u);
  let c${index} = subgroupMatrixLoad<${sums}, row_major>(&data, ${c}, ${step(result, n)}u);
  let d${index} = subgroupMatrixMultiplyAccumulate(a${index}, b${index}, c${index});
  subgroupMatrixStore<row_major>(&data, ${d}, d${index}, ${step(result, n)}u);`;
}

/**
 * Multiplies matrices in `data`. In the word indexes of a product, `tile` is the number of the
 * workgroup. Returns the contents of the buffer. If the adapter rejects the shader, returns the
 * reason.
 */
export async function multiply(
  session: JobRunner,
  products: readonly PlacedProduct[],
  data: Uint8Array,
  workgroups = 1,
): Promise<Uint8Array | string> {
  const needsHalf = products.some(({ config }) => config.component === 'f16' || config.result === 'f16');
  const job: GpuJob = {
    label: 'preflight matrices',
    code: `enable chromium_experimental_subgroup_matrix;
${needsHalf ? 'enable f16;' : ''}
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(${INVOCATIONS})
fn main(@builtin(workgroup_id) workgroup: vec3<u32>) {
  let tile = workgroup.x;${products.map(productOf).join('')}
}
`,
    entryPoint: 'main',
    buffers: [{ binding: 0, kind: 'storage', bytes: data.length, data, read: true }],
    workgroups: [workgroups, 1, 1],
  };
  try {
    const { buffers } = await session.run(job);
    return buffers.get(0) ?? 'no results';
  } catch (error) {
    // A rejected shader is a measurement, but a lost device is an error.
    if (error instanceof GpuError && (error.kind === 'shader' || error.kind === 'validation')) return error.message;
    throw error;
  }
}
