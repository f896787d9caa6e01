// Fragments: the matrix elements in each register of each lane, according to the manual's tables.
import { InternalError } from '../base/invariants.ts';
import { type ElementType, elementBits, elementType } from './element-types.ts';
import type { Mods, PtxType, VectorType } from './row.ts';
import { type WmmaLayout, wmmaElement, wmmaLayouts } from './wmma-fragments.ts';

export { type ElementType, elementBits } from './element-types.ts';

export type MatrixOperand = 'a' | 'b' | 'c' | 'd';

/** The form of one instruction that computes D = A x B + C. */
export interface MatrixForm {
  readonly m: number;
  readonly n: number;
  /** The number of products of a sum. A sparse A has twice as many columns, half of which are zero. */
  readonly k: number;
  /** The number of independent products that the warp computes. */
  readonly products: number;
  readonly types: Readonly<Record<MatrixOperand, ElementType>>;
  /** For `m8n8k4` of f16 only: whether a lane contains rows or columns of A and B. */
  readonly layouts: { readonly a: 'row' | 'col'; readonly b: 'row' | 'col' };
  /** The layouts of the wmma matrices; undefined for shapes that `mma` has. */
  readonly wmma: Readonly<Record<MatrixOperand, WmmaLayout>> | undefined;
  /**
   * Whether it is part of a warpgroup's product, whose tensor cores add 8-bit factors in a
   * different way.
   */
  readonly isWarpgroup: boolean;
  /** For a sparse A: the sparsity selector, which names the lanes of each four with metadata. */
  readonly selector: number | undefined;
}

/** The position of an element: the number of the product, and the row and column in the matrix. */
export interface ElementPlace {
  readonly product: number;
  readonly row: number;
  readonly column: number;
}

/**
 * Returns the form that the modifiers of a row `mma.…` or `wmma.mma.…` specify. Throws an error for
 * modifiers without a shape.
 */
export function matrixForm(mods: Mods): MatrixForm {
  const [, m, n, k] = /^m(\d+)n(\d+)k(\d+)$/.exec(mods.shape ?? '') ?? [];
  if (m === undefined || n === undefined || k === undefined) throw new InternalError(`no shape ${mods.shape}`);
  const { alayout, blayout, atype = 'f16', btype = 'f16' } = mods;
  const types = { a: elementType(atype), b: elementType(btype), c: elementType(mods.ctype), d: elementType(mods.dtype) };
  return {
    m: Number(m),
    n: Number(n),
    k: mods.metadata === undefined ? Number(k) : Number(k) / 2,
    products: types.a === 'f16' && mods.shape === 'm8n8k4' ? 4 : 1,
    types,
    layouts: { a: alayout === 'col' ? 'col' : 'row', b: blayout === 'row' ? 'row' : 'col' },
    wmma: wmmaLayouts(mods.shape, types),
    isWarpgroup: mods.warpgroup !== undefined,
    // Absent: code that needs only the sizes of fragments has no selector.
    selector: mods.metadata === undefined ? undefined : Number(mods.selector ?? 0),
  };
}

/** Returns the number of rows of B. A sparse A stores half of its columns. */
export const rowsOfB = ({ k, selector }: MatrixForm): number => (selector === undefined ? k : 2 * k);

/** Returns the number of elements of an operand: for a sparse A, of those that it stores. */
export function operandElements(form: MatrixForm, operand: MatrixOperand): number {
  const { m, n, k, products } = form;
  return products * (operand === 'a' ? m * k : operand === 'b' ? rowsOfB(form) * n : m * n);
}

/** Returns the number of elements of an operand in each lane. */
export const laneElements = (form: MatrixForm, operand: MatrixOperand): number => form.wmma?.[operand].positions.length ?? operandElements(form, operand) / 32;

/**
 * Returns the number of elements in a register. A register of f64 has 64 bits; other registers have
 * 32 bits.
 */
export const registerElements = (type: ElementType): number => Math.max(32 / elementBits[type], 1);

/** Returns the number of registers of an operand in each lane. */
export function registerCount(form: MatrixForm, operand: MatrixOperand): number {
  return laneElements(form, operand) / registerElements(form.types[operand]);
}

/**
 * Returns the number of 32-bit words of an operand in each lane. A sparse A has a last word, with
 * the metadata.
 */
export function fragmentWords(form: MatrixForm, operand: MatrixOperand): number {
  const words = registerCount(form, operand) * (form.types[operand] === 'f64' ? 2 : 1);
  return operand === 'a' && form.selector !== undefined ? words + 1 : words;
}

/**
 * Returns the place of the element at `position` of a lane's fragment. Position 0 is in the low
 * bits of the lane's first register.
 */
export function elementPlace(form: MatrixForm, operand: MatrixOperand, lane: number, position: number): ElementPlace {
  if (form.wmma !== undefined) return { product: 0, ...wmmaElement(form.wmma[operand], lane, position) };
  return form.products === 4 ? quadPlace(form, operand, lane, position) : warpPlace(form, operand, lane, position);
}

const knownPlaces = new WeakMap<MatrixForm, Map<MatrixOperand, readonly ElementPlace[]>>();

/**
 * Returns `elementPlace` for every position of lane 0, then of lane 1, and so on. The result is
 * cached for each form.
 */
export function elementPlaces(form: MatrixForm, operand: MatrixOperand): readonly ElementPlace[] {
  const own = knownPlaces.get(form) ?? new Map<MatrixOperand, readonly ElementPlace[]>();
  knownPlaces.set(form, own);
  const count = laneElements(form, operand);
  const places = own.get(operand) ?? Array.from({ length: 32 * count }, (_, index) => elementPlace(form, operand, Math.floor(index / count), index % count));
  own.set(operand, places);
  return places;
}

/**
 * Returns the place of an element. Each group of four lanes contains a row of A, C and D, or a
 * column of B. Lane t of a group contains the t-th register of the row of A and of the column of B,
 * and two adjacent columns of C and D. Further registers contain the rows from 8 on, then higher
 * indices along K.
 */
function warpPlace(form: MatrixForm, operand: MatrixOperand, lane: number, position: number): ElementPlace {
  const [group, t] = [lane >> 2, lane & 3];
  if (operand === 'c' || operand === 'd') {
    return { product: 0, row: group + 8 * (position >> 1), column: 2 * t + (position & 1) };
  }
  const packed = registerElements(form.types[operand]);
  const [register, within] = [Math.floor(position / packed), position % packed];
  const halves = operand === 'a' ? form.m / 8 : 1;
  const along = Math.floor(register / halves) * 4 * packed + t * packed + within;
  return operand === 'a' ? { product: 0, row: group + 8 * (register % halves), column: along } : { product: 0, row: along, column: group };
}

/**
 * Returns the place of an element for `m8n8k4` of f16, where lanes 4q to 4q + 3 and 4q + 16 to 4q +
 * 19 compute product q.
 */
function quadPlace(form: MatrixForm, operand: MatrixOperand, lane: number, i: number): ElementPlace {
  const product = (lane >> 2) & 3;
  const upper = lane < 16 ? 0 : 4;
  const t = lane & 3;
  if (operand === 'a') {
    return form.layouts.a === 'row' ? { product, row: t + upper, column: i } : { product, row: i + upper, column: t };
  }
  if (operand === 'b') {
    return form.layouts.b === 'col' ? { product, row: i, column: t + upper } : { product, row: t, column: i + upper };
  }
  if (form.types[operand] === 'f16') return { product, row: t + upper, column: i };
  return { product, row: (t & 1) + (i & 2) + upper, column: (i & 4) + (t & 2) + (i & 1) };
}

/**
 * The register types of element types whose elements each have a register. Elements of all other
 * types are packed into untyped words.
 */
const registerTypes: Readonly<Partial<Record<ElementType, PtxType>>> = { f32: 'f32', f64: 'f64', s32: 's32' };

/** Returns the registers of each operand of a row `mma.…` or `wmma.mma.…`. */
export function fragmentVectors(mods: Mods): Readonly<Record<MatrixOperand, VectorType>> {
  const form = matrixForm(mods);
  const vector = (operand: MatrixOperand): VectorType => ({
    type: registerTypes[form.types[operand]] ?? 'b32',
    count: registerCount(form, operand),
  });
  return { a: vector('a'), b: vector('b'), c: vector('c'), d: vector('d') };
}
