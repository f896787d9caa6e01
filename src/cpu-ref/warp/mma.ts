// mma.sync: https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-mma
// wmma.mma: https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-wmma-mma

import {
  type ElementPlace,
  elementBits,
  elementPlace,
  laneElements,
  type MatrixForm,
  type MatrixOperand,
  matrixForm,
  registerCount,
  registerElements,
} from '../../isa/fragments.ts';
import type { Mods } from '../../isa/index.ts';
import { warpSize } from '../../isa/index.ts';
import { errorBound } from '../matrix/error-bound.ts';
import { type MultiplyRules, multiplyElement } from '../matrix/multiply.ts';
import type { Bits, UndefinedFunction, WarpFunction, WarpState } from '../types.ts';
import { sourceOf } from './lanes.ts';

const directions = { rn: 'rn', rz: 'rz', rm: 'rm', rp: 'rp' } as const;
const isDirection = (text: string): text is keyof typeof directions => Object.hasOwn(directions, text);

/// How the elements of an instruction are multiplied and added.
export function multiplyRules(mods: Mods): MultiplyRules {
  const { op, rnd = 'rn', satfinite } = mods;
  return {
    types: matrixForm(mods).types,
    satfinite: satfinite !== undefined,
    op: op === 'xor' || op === 'and' ? op : undefined,
    rounding: isDirection(rnd) ? rnd : 'rn',
  };
}

/// An operand of an instruction in one lane: the name of its n-th register.
function registerName(operand: MatrixOperand, index: number): string {
  const known = registerNames.get(operand) ?? [];
  registerNames.set(operand, known);
  const name = known[index] ?? `${operand}.${index}`;
  known[index] = name;
  return name;
}

/// Each is made once: a matrix asks for one at every element.
const registerNames = new Map<MatrixOperand, string[]>();

/// Elements of one operand by product, row and column.
class Matrix<T> {
  private readonly elements = new Map<number, T>();

  private static keyOf({ product, row, column }: ElementPlace): number {
    return (product * 512 + row) * 512 + column;
  }

  get(place: ElementPlace): T {
    const element = this.elements.get(Matrix.keyOf(place));
    if (element === undefined) throw new RangeError(`no element in row ${place.row}, column ${place.column}`);
    return element;
  }

  set(place: ElementPlace, element: T): void {
    this.elements.set(Matrix.keyOf(place), element);
  }
}

/// Visits what each lane holds of an operand.
function forEachElement(
  form: MatrixForm,
  operand: MatrixOperand,
  visit: (place: ElementPlace, lane: number, register: number, shift: number) => void,
): void {
  const type = form.types[operand];
  const packed = registerElements(type);
  for (let lane = 0; lane < warpSize; lane++) {
    for (let position = 0; position < laneElements(form, operand); position++) {
      const shift = (position % packed) * elementBits[type];
      visit(elementPlace(form, operand, lane, position), lane, Math.floor(position / packed), shift);
    }
  }
}

function gather(form: MatrixForm, operand: MatrixOperand, warp: WarpState): Matrix<Bits> {
  const matrix = new Matrix<Bits>();
  const bits = elementBits[form.types[operand]];
  forEachElement(form, operand, (place, lane, register, shift) => {
    const whole = sourceOf(warp, registerName(operand, register), lane);
    matrix.set(place, typeof whole === 'bigint' || bits === 32 ? whole : Math.floor(whole / 2 ** shift) % 2 ** bits);
  });
  return matrix;
}

type Visit<T> = (a: readonly Bits[], b: readonly Bits[], c: Bits) => T;

/// What `compute` gives for each element of D.
function eachElement<T>(form: MatrixForm, warp: WarpState, compute: Visit<T>): Matrix<T> {
  const [a, b, c] = [gather(form, 'a', warp), gather(form, 'b', warp), gather(form, 'c', warp)];
  const d = new Matrix<T>();
  const along = Array.from({ length: form.k }, (_, k) => k);
  for (let product = 0; product < form.products; product++) {
    const columns = Array.from({ length: form.n }, (_, column) => along.map((row) => b.get({ product, row, column })));
    for (let row = 0; row < form.m; row++) {
      const own = along.map((column) => a.get({ product, row, column }));
      columns.forEach((other, column) => {
        const place = { product, row, column };
        d.set(place, compute(own, other, c.get(place)));
      });
    }
  }
  return d;
}

/// The registers of D, by name.
function scatter(form: MatrixForm, d: Matrix<Bits>): Record<string, Uint32Array | BigUint64Array> {
  const isWide = form.types.d === 'f64';
  const results: Record<string, Uint32Array | BigUint64Array> = {};
  for (let index = 0; index < registerCount(form, 'd'); index++) {
    results[registerName('d', index)] = isWide ? new BigUint64Array(warpSize) : new Uint32Array(warpSize);
  }
  forEachElement(form, 'd', (place, lane, register, shift) => {
    const words = results[registerName('d', register)];
    const bits = d.get(place);
    if (words instanceof BigUint64Array) words[lane] = BigInt(bits);
    else if (words !== undefined) words[lane] = ((words[lane] ?? 0) | (Number(bits) << shift)) >>> 0;
  });
  return results;
}

/// All lanes take part, or nothing is defined.
export const multiplyMatrices: WarpFunction = (mods, warp) => {
  const form = matrixForm(mods);
  const rules = multiplyRules(mods);
  const results = scatter(
    form,
    eachElement(form, warp, (a, b, c) => multiplyElement(rules, a, b, c)),
  );
  const defined = warp.active === 0xffff_ffff ? 0xffff_ffff : 0;
  return { results, defined: Object.fromEntries(Object.keys(results).map((name) => [name, defined])) };
};

/// How far each element that a lane gets may be from the reference: by lane, those of its registers in order.
export function laneBounds(mods: Mods, warp: WarpState): readonly (readonly number[])[] {
  const form = matrixForm(mods);
  const rules = multiplyRules(mods);
  const bounds = eachElement(form, warp, (a, b, c) => errorBound(rules, a, b, c));
  const byLane: number[][] = Array.from({ length: warpSize }, () => []);
  forEachElement(form, 'd', (place, lane) => byLane[lane]?.push(bounds.get(place)));
  return byLane;
}

/// An element of A counts in its row of D, one of B in its column, and one of C in its own place.
export const undefinedElements: UndefinedFunction = (mods, _, undefinedIn) => {
  const form = matrixForm(mods);
  const [rows, columns, places] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const keyOf = (product: number, at: number) => product * 64 + at;
  const note = (operand: MatrixOperand, set: Set<number>, key: (place: ElementPlace) => number) =>
    forEachElement(form, operand, (place, lane, register) => {
      if (((undefinedIn[registerName(operand, register)] ?? 0) >>> lane) & 1) set.add(key(place));
    });
  note('a', rows, ({ product, row }) => keyOf(product, row));
  note('b', columns, ({ product, column }) => keyOf(product, column));
  note('c', places, ({ product, row, column }) => keyOf(keyOf(product, row), column));
  const result: Record<string, number> = {};
  forEachElement(form, 'd', ({ product, row, column }, lane, register) => {
    const isUndefined =
      rows.has(keyOf(product, row)) ||
      columns.has(keyOf(product, column)) ||
      places.has(keyOf(keyOf(product, row), column));
    const name = registerName('d', register);
    if (isUndefined) result[name] = (result[name] ?? 0) | (1 << lane);
  });
  return result;
};
