// Measures which products of subgroup matrices are correct. Elements are small integers, so every
// product is exact, and a wrong layout of rows, columns or types changes the product.

import { describeMatrix, type MatrixConfig, type MatrixElement } from '../../base/matrix-config.ts';
import type { JobRunner } from '../device/job.ts';
import { bytesOf, INVOCATIONS, multiply, type PlacedProduct } from './matrix-job.ts';
import { withSumsOfHopper } from './matrix-sums.ts';

export interface MatrixPreflight {
  /** The products that the device computes correctly. */
  readonly matrices: readonly MatrixConfig[];
  /** The faults found. */
  readonly problems: readonly string[];
}

/** Returns the f16 bits of an integer from -2048 to 2048. */
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

/** Returns a small integer for an element. It is not negative if the elements are unsigned. */
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

/** Returns the operands of a product, and its result. */
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

const wordsAt = (offsets: readonly number[]): PlacedProduct['words'] => {
  const [a = 0, b = 0, c = 0, d = 0] = offsets.map((offset) => offset / 4);
  return [`${a}u`, `${b}u`, `${c}u`, `${d}u`];
};

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
  const found = await multiply(
    session,
    placed.map(({ config, offsets }) => ({ config, words: wordsAt(offsets) })),
    data,
  );
  if (typeof found === 'string') return { matrices: [], problems: [`subgroup matrices: ${found}`] };
  const right = placed.map(({ tiles: [, , , result], offsets }) => {
    const expected = new Uint8Array(tileBytes(result));
    writeTile(expected, 0, result);
    const start = offsets[3] ?? 0;
    return expected.every((byte, index) => byte === found[start + index]);
  });
  const usable = configs.filter((_, index) => right[index]);
  const asHopper = await withSumsOfHopper(session, usable);
  return {
    matrices: usable.map((config) => (asHopper.includes(config) ? { ...config, sums: 'hopper' } : config)),
    problems: configs.flatMap((config, index) =>
      right[index] ? [] : [`wrong products of subgroup matrices: ${describeMatrix(config)}`],
    ),
  };
}
