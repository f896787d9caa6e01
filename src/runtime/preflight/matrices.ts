// Measures which products of subgroup matrices are right. Elements are small integers, so every
// product is exact, and a wrong layout of rows, columns or types changes it.

import { describeMatrix, type MatrixConfig, type MatrixElement } from '../../base/matrix-config.ts';
import type { GpuJob, JobRunner } from '../device/job.ts';
import { GpuError } from '../device/job.ts';

export interface MatrixPreflight {
  /** The products that the device computes correctly. */
  readonly matrices: readonly MatrixConfig[];
  /** The faults found. */
  readonly problems: readonly string[];
}

/** The invocations of the probe's workgroup: one subgroup. */
const INVOCATIONS = 32;

const bytesOf: Readonly<Record<MatrixElement, number>> = { f32: 4, f16: 2, u32: 4, i32: 4, u8: 1, i8: 1 };

/** The f16 of an integer from -2048 to 2048. */
function halfOf(value: number): number {
  if (value === 0) return 0;
  const size = Math.abs(value);
  const exponent = Math.floor(Math.log2(size));
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | Math.round((size / 2 ** exponent - 1) * 1024);
}

function write(view: DataView, element: MatrixElement, index: number, value: number): void {
  const at = index * bytesOf[element];
  if (element === 'f32') view.setFloat32(at, value, true);
  else if (element === 'f16') view.setUint16(at, halfOf(value), true);
  else if (bytesOf[element] === 4) view.setInt32(at, value, true);
  else view.setInt8(at, value);
}

/** Small integers, none of which is negative for unsigned elements. */
const elementAt = (element: MatrixElement, seed: number, row: number, column: number): number => {
  const value = (row * 7 + column * 5 + row * column * 3 + seed) % 7;
  return element.startsWith('u') ? value : value - 3;
};

interface Tile {
  readonly element: MatrixElement;
  readonly rows: number;
  readonly columns: number;
  readonly at: (row: number, column: number) => number;
}

const tileBytes = ({ element, rows, columns }: Tile): number => rows * columns * bytesOf[element];

function writeTile(bytes: Uint8Array, offset: number, { element, rows, columns, at }: Tile): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) write(view, element, row * columns + column, at(row, column));
}

/** The operands of a product, and its result. */
function tilesOf({ component, result, m, n, k }: MatrixConfig): readonly [Tile, Tile, Tile, Tile] {
  const a = (row: number, column: number) => elementAt(component, 1, row, column);
  const b = (row: number, column: number) => elementAt(component, 4, row, column);
  const c = (row: number, column: number) => elementAt(result, 2, row, column);
  const d = (row: number, column: number) => {
    let sum = c(row, column);
    for (let index = 0; index < k; index++) sum += a(row, index) * b(index, column);
    return sum;
  };
  return [
    { element: component, rows: m, columns: k, at: a },
    { element: component, rows: k, columns: n, at: b },
    { element: result, rows: m, columns: n, at: c },
    { element: result, rows: m, columns: n, at: d },
  ];
}

/** Returns the WGSL of one product, whose tiles are at these words. */
function productOf({ component, result, m, n, k }: MatrixConfig, words: readonly number[], index: number): string {
  const [a = 0, b = 0, c = 0, d = 0] = words;
  const step = (element: MatrixElement, columns: number) => (columns * bytesOf[element]) / 4;
  const left = `subgroup_matrix_left<${component}, ${k}, ${m}>`;
  const right = `subgroup_matrix_right<${component}, ${n}, ${k}>`;
  const sums = `subgroup_matrix_result<${result}, ${n}, ${m}>`;
  return `
  let a${index} = subgroupMatrixLoad<${left}, row_major>(&data, ${a}u, ${step(component, k)}u);
  let b${index} = subgroupMatrixLoad<${right}, row_major>(&data, ${b}u, ${step(component, n)}u);
  let c${index} = subgroupMatrixLoad<${sums}, row_major>(&data, ${c}u, ${step(result, n)}u);
  let d${index} = subgroupMatrixMultiplyAccumulate(a${index}, b${index}, c${index});
  subgroupMatrixStore<row_major>(&data, ${d}u, d${index}, ${step(result, n)}u);`;
}

/**
 * Runs one dispatch with every product that the adapter reports. Returns no products if the adapter
 * rejects the shader, or if its subgroups may have more than 32 invocations.
 */
export async function probeMatrices(session: JobRunner, subgroupSize: number): Promise<MatrixPreflight> {
  const { adapter } = session;
  const configs = adapter.matrices ?? [];
  if (configs.length === 0 || subgroupSize !== INVOCATIONS || adapter.subgroupMaxSize !== INVOCATIONS)
    return { matrices: [], problems: [] };
  let bytes = 0;
  const placed = configs.map((config) => {
    const tiles = tilesOf(config);
    const offsets = tiles.map((tile) => {
      const offset = bytes;
      bytes += tileBytes(tile);
      return offset;
    });
    return { config, tiles, offsets };
  });
  const data = new Uint8Array(bytes);
  for (const { tiles, offsets } of placed)
    tiles.slice(0, 3).forEach((tile, index) => {
      writeTile(data, offsets[index] ?? 0, tile);
    });
  const products = placed.map(({ config, offsets }, index) =>
    productOf(
      config,
      offsets.map((offset) => offset / 4),
      index,
    ),
  );
  const needsHalf = configs.some(({ component, result }) => component === 'f16' || result === 'f16');
  const job: GpuJob = {
    label: 'preflight matrices',
    code: `enable chromium_experimental_subgroup_matrix;
${needsHalf ? 'enable f16;' : ''}
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(${INVOCATIONS})
fn main() {${products.join('')}
}
`,
    entryPoint: 'main',
    buffers: [{ binding: 0, kind: 'storage', bytes, data, read: true }],
    workgroups: [1, 1, 1],
  };
  const found = await run(session, job);
  if (typeof found === 'string') return { matrices: [], problems: [`subgroup matrices: ${found}`] };
  const right = placed.map(({ tiles: [, , , result], offsets }) => {
    const expected = new Uint8Array(tileBytes(result));
    writeTile(expected, 0, result);
    const start = offsets[3] ?? 0;
    return expected.every((byte, index) => byte === found[start + index]);
  });
  return {
    matrices: configs.filter((_, index) => right[index]),
    problems: configs.flatMap((config, index) =>
      right[index] ? [] : [`wrong products of subgroup matrices: ${describeMatrix(config)}`],
    ),
  };
}

/** Returns the contents of the buffer, or why the adapter rejects the shader. */
async function run(session: JobRunner, job: GpuJob): Promise<Uint8Array | string> {
  try {
    const { buffers } = await session.run(job);
    return buffers.get(0) ?? 'no results';
  } catch (error) {
    // A rejected shader is a result; a lost device is an error.
    if (error instanceof GpuError && (error.kind === 'shader' || error.kind === 'validation')) return error.message;
    throw error;
  }
}
