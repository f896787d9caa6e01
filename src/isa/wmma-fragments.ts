// Which elements of wmma's matrices each lane holds. PTX leaves that open; this is how NVIDIA's GPUs have it since sm_80, where a product is made of those
// of `mma` with 16 rows and 8 columns (8 rows for the small shapes). Kernels that look into their fragments rely on it.
import { InternalError } from '../base/invariants.ts';
import { type ElementType, elementBits, elementType } from './element-types.ts';
import type { VectorType } from './row.ts';

export type WmmaMatrix = 'a' | 'b' | 'c' | 'd';

/** A place, or a distance, in a matrix. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/**
 * Lane 4g + t holds, at each position, the element `group` times g, `member` times t and the position's own place from the matrix's first.
 * The positions of a register follow each other from its low bits on. Some elements stand at several positions.
 */
export interface WmmaLayout {
  readonly group: Cell;
  readonly member: Cell;
  readonly positions: readonly Cell[];
  /** Elements in a register. */
  readonly packed: number;
  /** Bits of an element. */
  readonly bits: number;
}

interface Shape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly factors: readonly string[];
  readonly sums: readonly string[];
}

const large = { factors: ['f16', 'bf16', 's8', 'u8'], sums: ['f16', 'f32', 's32'] } as const;

const shapes: Readonly<Record<string, Shape>> = {
  m16n16k16: { m: 16, n: 16, k: 16, ...large },
  m32n8k16: { m: 32, n: 8, k: 16, ...large },
  m8n32k16: { m: 8, n: 32, k: 16, ...large },
  m16n16k8: { m: 16, n: 16, k: 8, factors: ['tf32'], sums: ['f32'] },
  m8n8k4: { m: 8, n: 8, k: 4, factors: ['f64'], sums: ['f64'] },
  m8n8k32: { m: 8, n: 8, k: 32, factors: ['s4', 'u4'], sums: ['s32'] },
  m8n8k128: { m: 8, n: 8, k: 128, factors: ['b1'], sums: ['s32'] },
};

const isFactor = (matrix: WmmaMatrix): boolean => matrix === 'a' || matrix === 'b';
const transposed = ({ row, column }: Cell): Cell => ({ row: column, column: row });
const registerElements = (bits: number): number => Math.max(32 / bits, 1);
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/**
 * Rows of a matrix in runs of `run` along K, which lie across: eight rows in the groups, the rows from 8 on in the next registers if there are `rows`
 * of them, then what lies further along K, then the next `rows`.
 */
function factorLayout(height: number, rows: number, k: number, bits: number): WmmaLayout {
  const packed = registerElements(bits);
  const positions = range(height / rows).flatMap((tile) => range(k / (4 * packed)).flatMap((along) => range(rows / 8).flatMap((half) => range(packed).map((within): Cell => ({ row: tile * rows + half * 8, column: along * 4 * packed + within })))));
  return { group: { row: 1, column: 0 }, member: { row: 0, column: packed }, positions, packed, bits };
}

/** Sums: two neighbouring columns of a row, then of the row 8 below, then those of the next tile. */
function sumLayout(tiles: readonly Cell[], rows: number, bits: number): WmmaLayout {
  const packed = registerElements(bits);
  const positions = tiles.flatMap(({ row, column }) => range(rows / 8).flatMap((half) => range(2).map((next): Cell => ({ row: row + half * 8, column: column + next }))));
  return { group: { row: 1, column: 0 }, member: { row: 0, column: 2 }, positions, packed, bits };
}

function turned(layout: WmmaLayout): WmmaLayout {
  return {
    ...layout,
    group: transposed(layout.group),
    member: transposed(layout.member),
    positions: layout.positions.map(transposed),
  };
}

/** f16 takes eight registers, whatever is in them: what is left holds the same again. */
function filled(layout: WmmaLayout, count: number): WmmaLayout {
  const { positions } = layout;
  return { ...layout, positions: range(count).flatMap((index) => positions[index % positions.length] ?? []) };
}

function makeLayout(matrix: WmmaMatrix, { m, n, k }: Shape, type: string): WmmaLayout {
  const bits = elementBits[elementType(type)];
  // Where there are only 8 rows, but more columns, the product is that of the transposed matrices.
  const isTurned = m < n;
  const [height, width] = isTurned ? [n, m] : [m, n];
  const rows = Math.min(height, 16);
  if (!isFactor(matrix)) {
    const tiles = range(height / rows).flatMap((i) => range(width / 8).map((j): Cell => ({ row: i * rows, column: j * 8 })));
    const layout = sumLayout(tiles, rows, bits);
    return isTurned ? turned(layout) : layout;
  }
  const isTall = (matrix === 'a') !== isTurned;
  const layout = isTall ? factorLayout(height, rows, k, bits) : factorLayout(width, 8, k, bits);
  const across = matrix === 'b' ? turned(layout) : layout;
  return type === 'f16' ? filled(across, 16) : across;
}

const layouts = new Map<string, WmmaLayout>();

/** How a matrix lies in its registers. Throws for shapes and types that do not go together. */
export function wmmaLayout(matrix: WmmaMatrix, shape: string | undefined, type: string | undefined): WmmaLayout {
  const key = `${matrix} ${shape} ${type}`;
  const known = layouts.get(key);
  if (known !== undefined) return known;
  const size = shapes[shape ?? ''];
  if (size === undefined || type === undefined) throw new InternalError(`no matrix ${key}`);
  const layout = makeLayout(matrix, size, type);
  layouts.set(key, layout);
  return layout;
}

/** How many rows and columns a matrix has. */
export function wmmaExtent(matrix: WmmaMatrix, shape: string | undefined): { readonly rows: number; readonly columns: number } {
  const size = shapes[shape ?? ''];
  if (size === undefined) throw new InternalError(`no shape ${shape}`);
  return { rows: matrix === 'b' ? size.k : size.m, columns: matrix === 'a' ? size.k : size.n };
}

/** Elements from the start of one row, or column, to that of the next, where an instruction does not say. */
export function wmmaStride(matrix: WmmaMatrix, shape: string | undefined, layout: string | undefined): number {
  const { rows, columns } = wmmaExtent(matrix, shape);
  return layout === 'row' ? columns : rows;
}

/** The registers of a matrix; undefined where shape, type and layout do not go together. What has less than a byte lies along K only. */
export function wmmaVector(matrix: WmmaMatrix, shape: string | undefined, type: string | undefined, layout: string | undefined): VectorType | undefined {
  const size = shapes[shape ?? ''];
  if (size === undefined || type === undefined) return undefined;
  if (!(isFactor(matrix) ? size.factors : size.sums).includes(type)) return undefined;
  const along = matrix === 'a' ? 'row' : 'col';
  if (isFactor(matrix) && elementBits[elementType(type)] < 8 && layout !== along) return undefined;
  const { positions, packed } = wmmaLayout(matrix, shape, type);
  return { type: type === 'f64' || type === 'f32' ? type : 'b32', count: positions.length / packed };
}

/** Where the element stands that a lane holds at a position. */
export function wmmaElement({ group, member, positions }: WmmaLayout, lane: number, position: number): Cell {
  const own = positions[position];
  if (own === undefined) throw new InternalError(`no position ${position}`);
  const [g, t] = [lane >> 2, lane & 3];
  return {
    row: g * group.row + t * member.row + own.row,
    column: g * group.column + t * member.column + own.column,
  };
}

/** The shapes that no product of `mma` has. */
const ownShapes: ReadonlySet<string> = new Set(['m16n16k16', 'm32n8k16', 'm8n32k16', 'm16n16k8']);

/** How the matrices of a product lie; undefined where they lie as those of `mma` do. */
export function wmmaLayouts(shape: string | undefined, types: Readonly<Record<WmmaMatrix, ElementType>>): Readonly<Record<WmmaMatrix, WmmaLayout>> | undefined {
  if (shape === undefined || !ownShapes.has(shape)) return undefined;
  const layout = (matrix: WmmaMatrix): WmmaLayout => wmmaLayout(matrix, shape, types[matrix]);
  return { a: layout('a'), b: layout('b'), c: layout('c'), d: layout('d') };
}

const matrices: readonly WmmaMatrix[] = ['a', 'b', 'c', 'd'];

/** The matrix that a modifier names; a store has D. */
export function wmmaMatrix(name = 'd'): WmmaMatrix {
  const found = matrices.find((matrix) => matrix === name);
  if (found === undefined) throw new InternalError(`no matrix ${name}`);
  return found;
}
