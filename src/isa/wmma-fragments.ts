// The matrix elements in the registers of each lane, for wmma. PTX does not specify them. The
// layouts in this file are those of NVIDIA's GPUs since sm_80, which compute a product from `mma`
// products with 16 rows and 8 columns (8 rows for small shapes). Kernels that inspect their
// fragments rely on these layouts.
import { InternalError } from '../base/invariants.ts';
import { type ElementType, elementBits, elementType } from './element-types.ts';
import type { VectorType } from './row.ts';

export type WmmaMatrix = 'a' | 'b' | 'c' | 'd';

/** A position or a distance in a matrix. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/**
 * The elements in each lane. At each position, lane 4g + t contains the element whose row and
 * column are g times `group`, plus t times `member`, plus the offset of the position. The first
 * positions of a register are in its low bits. Some elements occur at several positions.
 */
export interface WmmaLayout {
  readonly group: Cell;
  readonly member: Cell;
  readonly positions: readonly Cell[];
  /** The number of elements in a register. */
  readonly packed: number;
  /** The number of bits of an element. */
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
 * Returns the layout of A or B, whose rows are split into parts along K. The groups of lanes
 * contain eight rows. The next registers contain the rows from 8 on, if `rows` is 16, then higher
 * indices along K, then the next `rows` rows.
 */
function factorLayout(height: number, rows: number, k: number, bits: number): WmmaLayout {
  const packed = registerElements(bits);
  const positions = range(height / rows).flatMap((tile) => range(k / (4 * packed)).flatMap((along) => range(rows / 8).flatMap((half) => range(packed).map((within): Cell => ({ row: tile * rows + half * 8, column: along * 4 * packed + within })))));
  return { group: { row: 1, column: 0 }, member: { row: 0, column: packed }, positions, packed, bits };
}

/**
 * Returns the layout of C or D: two adjacent columns of a row, then those of the row 8 below, then
 * those of the next tile.
 */
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

/**
 * Returns a layout with `count` positions. An f16 fragment always has eight registers; the unused
 * registers repeat the others.
 */
function filled(layout: WmmaLayout, count: number): WmmaLayout {
  const { positions } = layout;
  return { ...layout, positions: range(count).flatMap((index) => positions[index % positions.length] ?? []) };
}

function makeLayout(matrix: WmmaMatrix, { m, n, k }: Shape, type: string): WmmaLayout {
  const bits = elementBits[elementType(type)];
  // If the product has fewer rows than columns, the hardware computes the transposed product.
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

/**
 * Returns the layout of a matrix in registers. Throws an error for an invalid combination of shape
 * and type.
 */
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

/** Returns the number of rows and columns of a matrix. */
export function wmmaExtent(matrix: WmmaMatrix, shape: string | undefined): { readonly rows: number; readonly columns: number } {
  const size = shapes[shape ?? ''];
  if (size === undefined) throw new InternalError(`no shape ${shape}`);
  return { rows: matrix === 'b' ? size.k : size.m, columns: matrix === 'a' ? size.k : size.n };
}

/**
 * Returns the default stride: the number of elements from the start of one row, or column, to the
 * start of the next.
 */
export function wmmaStride(matrix: WmmaMatrix, shape: string | undefined, layout: string | undefined): number {
  const { rows, columns } = wmmaExtent(matrix, shape);
  return layout === 'row' ? columns : rows;
}

/**
 * Returns the registers of a matrix, or undefined for an invalid combination of shape, type and
 * layout. Elements of less than a byte must be contiguous along K.
 */
export function wmmaVector(matrix: WmmaMatrix, shape: string | undefined, type: string | undefined, layout: string | undefined): VectorType | undefined {
  const size = shapes[shape ?? ''];
  if (size === undefined || type === undefined) return undefined;
  if (!(isFactor(matrix) ? size.factors : size.sums).includes(type)) return undefined;
  const along = matrix === 'a' ? 'row' : 'col';
  if (isFactor(matrix) && elementBits[elementType(type)] < 8 && layout !== along) return undefined;
  const { positions, packed } = wmmaLayout(matrix, shape, type);
  return { type: type === 'f64' || type === 'f32' ? type : 'b32', count: positions.length / packed };
}

/** Returns the place of the element at `position` of a lane's fragment. */
export function wmmaElement({ group, member, positions }: WmmaLayout, lane: number, position: number): Cell {
  const own = positions[position];
  if (own === undefined) throw new InternalError(`no position ${position}`);
  const [g, t] = [lane >> 2, lane & 3];
  return {
    row: g * group.row + t * member.row + own.row,
    column: g * group.column + t * member.column + own.column,
  };
}

/** The shapes that `mma` does not have. */
const ownShapes: ReadonlySet<string> = new Set(['m16n16k16', 'm32n8k16', 'm8n32k16', 'm16n16k8']);

/** Returns the layouts of a product's matrices, or undefined if the layouts are those of `mma`. */
export function wmmaLayouts(shape: string | undefined, types: Readonly<Record<WmmaMatrix, ElementType>>): Readonly<Record<WmmaMatrix, WmmaLayout>> | undefined {
  if (shape === undefined || !ownShapes.has(shape)) return undefined;
  const layout = (matrix: WmmaMatrix): WmmaLayout => wmmaLayout(matrix, shape, types[matrix]);
  return { a: layout('a'), b: layout('b'), c: layout('c'), d: layout('d') };
}

const matrices: readonly WmmaMatrix[] = ['a', 'b', 'c', 'd'];

/**
 * Returns the matrix that a modifier specifies. Without the modifier, as for a store, the matrix is
 * D.
 */
export function wmmaMatrix(name = 'd'): WmmaMatrix {
  const found = matrices.find((matrix) => matrix === name);
  if (found === undefined) throw new InternalError(`no matrix ${name}`);
  return found;
}
