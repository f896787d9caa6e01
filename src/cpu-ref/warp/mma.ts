// The instructions `mma.sync` and `wmma.mma`.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-mma
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-wmma-mma

import { at } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { MatrixMode } from '../../base/matrix-mode.ts';
import {
  type ElementPlace,
  elementBits,
  elementPlaces,
  laneElements,
  type MatrixForm,
  type MatrixOperand,
  matrixForm,
  operandElements,
  registerCount,
  registerElements,
  rowsOfB,
} from '../../isa/fragments.ts';
import type { Mods } from '../../isa/index.ts';
import { warpSize } from '../../isa/index.ts';
import { type Slack, slackOfSum } from '../matrix/error-bound.ts';
import {
  doubleSum,
  type Elements,
  elementReader,
  type Factors,
  integerSum,
  type MultiplyRules,
  roundedSum,
  sumOf,
} from '../matrix/multiply.ts';
import { chosenFactors, isValidRow, metadataLanes } from '../matrix/sparse-factors.ts';
import { type TensorCorePlan, tensorCorePlan, tensorCoreSum } from '../matrix/tensor-core.ts';
import type { Bits, UndefinedFunction, WarpFunction, WarpResult, WarpState } from '../types.ts';
import { sourceOf } from './lanes.ts';

const directions = { rn: 'rn', rz: 'rz', rm: 'rm', rp: 'rp' } as const;
const isDirection = (text: string): text is keyof typeof directions => Object.hasOwn(directions, text);

/** Returns how an instruction multiplies and adds elements. */
export function multiplyRules(mods: Mods): MultiplyRules {
  const { op, rnd = 'rn', satfinite } = mods;
  const { types, products } = matrixForm(mods);
  return {
    types,
    satfinite: satfinite !== undefined,
    op: op === 'xor' || op === 'and' ? op : undefined,
    rounding: isDirection(rnd) ? rnd : 'rn',
    keepsSignOfZero: types.d === 'f64' || (products === 4 && types.c === 'f16' && types.d === 'f16'),
  };
}

/** Returns the name of the n-th register of an operand, such as `a.0`. */
function registerName(operand: MatrixOperand, index: number): string {
  const known = getOrInsert(registerNames, operand, () => []);
  const name = known[index] ?? `${operand}.${index}`;
  known[index] = name;
  return name;
}

/** A cache of the names, because every element requires one. */
const registerNames = new Map<MatrixOperand, string[]>();

/**
 * The plan for an instruction's modifiers, computed once. The elements of an operand are stored
 * product by product. The elements of a row of A, C or D are contiguous, and so are the elements of
 * a column of B.
 */
interface Plan {
  readonly form: MatrixForm;
  readonly rules: MultiplyRules;
  /** How tensor cores compute the sums; undefined if the sums are the same in every mode. */
  readonly core: TensorCorePlan | undefined;
  /**
   * For each operand, the index of the element at each position in lane 0, followed by those in
   * lane 1, and so on.
   */
  readonly places: Readonly<Record<MatrixOperand, Uint16Array>>;
}

/** The plans of modifiers, by the selector of a sparse product. */
const plans = new WeakMap<Mods, Map<string | undefined, Plan>>();

/** Returns the plan of an instruction. The selector of a sparse product is an operand. */
function planOf(mods: Mods, warp: WarpState): Plan {
  const selector = mods.metadata === undefined ? undefined : `${sourceOf(warp, 'f', 0)}`;
  const own = getOrInsert(plans, mods, () => new Map<string | undefined, Plan>());
  return getOrInsert(own, selector, () => makePlan(selector === undefined ? mods : { ...mods, selector }));
}

function makePlan(mods: Mods): Plan {
  const form = matrixForm(mods);
  const { m, n, k } = form;
  const strides = { a: [m, k], b: [n, rowsOfB(form)], c: [m, n], d: [m, n] } as const;
  const placesOf = (operand: MatrixOperand): Uint16Array => {
    const [outer, inner] = strides[operand];
    return Uint16Array.from(elementPlaces(form, operand), ({ product, row, column }) => {
      const [first, second] = operand === 'b' ? [column, row] : [row, column];
      return (product * outer + first) * inner + second;
    });
  };
  const places = { a: placesOf('a'), b: placesOf('b'), c: placesOf('c'), d: placesOf('d') };
  return { form, rules: multiplyRules(mods), core: tensorCorePlan(form), places };
}

/** Collects the elements of an operand from the registers of all lanes. */
function gather({ form, places }: Plan, operand: MatrixOperand, warp: WarpState): Elements {
  const type = form.types[operand];
  const bits = elementBits[type];
  const packed = registerElements(type);
  const each = laneElements(form, operand);
  const count = operandElements(form, operand);
  const own = places[operand];
  if (type === 'f64') {
    const elements = new BigUint64Array(count);
    for (let lane = 0; lane < warpSize; lane++) {
      for (let at = 0; at < each; at++)
        elements[own[lane * each + at] ?? 0] = BigInt(sourceOf(warp, registerName(operand, at), lane));
    }
    return elements;
  }
  const elements = new Float64Array(count);
  const value = elementReader(type);
  const mask = bits === 32 ? -1 : 2 ** bits - 1;
  for (let lane = 0; lane < warpSize; lane++) {
    for (let first = 0; first < each; first += packed) {
      const whole = Number(sourceOf(warp, registerName(operand, first / packed), lane));
      for (let index = 0; index < packed; index++)
        elements[own[lane * each + first + index] ?? 0] = value(((whole >>> (bits * index)) & mask) >>> 0);
    }
  }
  return elements;
}

type Operands<List extends Elements = Elements> = Readonly<Record<'a' | 'b' | 'c', List>>;

function operandsOf(plan: Plan, warp: WarpState): Operands {
  const b = gather(plan, 'b', warp);
  const isSparse = plan.form.selector !== undefined && b instanceof Float64Array;
  return {
    a: gather(plan, 'a', warp),
    b: isSparse ? chosenFactors(plan.form, b, (lane) => Number(sourceOf(warp, 'e', lane))) : b,
    c: gather(plan, 'c', warp),
  };
}

/** Returns the operands as arrays of numbers. Throws `RangeError` if an operand is f64. */
function narrowOperands({ a, b, c }: Operands): Operands<Float64Array> {
  if (a instanceof Float64Array && b instanceof Float64Array && c instanceof Float64Array) return { a, b, c };
  throw new RangeError('f64 cannot be combined with other types');
}

function multiplied(plan: Plan, operands: Operands, mode: MatrixMode): Elements {
  const { form, rules, core } = plan;
  const { a, b, c } = operands;
  if (a instanceof BigUint64Array && b instanceof BigUint64Array && c instanceof BigUint64Array) {
    const d = new BigUint64Array(operandElements(form, 'd'));
    eachElement(form, { a, b, c }, (factors) => {
      d[factors.place] = doubleSum(rules, factors);
    });
    return d;
  }
  const narrow = narrowOperands(operands);
  const d = new Float64Array(operandElements(form, 'd'));
  if (core === undefined) {
    eachElement(form, narrow, (factors) => {
      d[factors.place] = integerSum(rules, factors);
    });
  } else if (mode === 'hopper') {
    const sum = tensorCoreSum(core, narrow);
    eachElement(form, narrow, (factors) => {
      d[factors.place] = sum(factors);
    });
  } else {
    const terms = new Float64Array(form.k + 1);
    eachElement(form, narrow, (factors) => {
      d[factors.place] = roundedSum(rules, sumOf(factors, terms));
    });
  }
  return d;
}

/**
 * Calls a function for each element of D, with the element's factors. All calls receive the same
 * object.
 */
function eachElement<List extends Elements>(
  { m, n, k, products, selector }: MatrixForm,
  lists: { readonly a: List; readonly b: List; readonly c: List },
  visit: (factors: Factors<List>) => void,
): void {
  const factors = { ...lists, row: 0, column: 0, place: 0, k };
  for (let product = 0; product < products; product++) {
    for (let row = 0; row < m; row++) {
      for (let column = 0; column < n; column++) {
        factors.row = (product * m + row) * k;
        // With a sparse A, each row has columns of its own (`chosenFactors`).
        factors.column = (selector === undefined ? product * n + column : row * n + column) * k;
        factors.place = (product * m + row) * n + column;
        visit(factors);
      }
    }
  }
}

/** Distributes the elements of D to registers. Returns the registers by name. */
function scatter({ form, places }: Plan, d: Elements): Record<string, Uint32Array | BigUint64Array> {
  const type = form.types.d;
  const packed = registerElements(type);
  const each = laneElements(form, 'd');
  const results: Record<string, Uint32Array | BigUint64Array> = {};
  for (let index = 0; index < registerCount(form, 'd'); index++) {
    const words = d instanceof BigUint64Array ? new BigUint64Array(warpSize) : new Uint32Array(warpSize);
    results[registerName('d', index)] = words;
    for (let lane = 0; lane < warpSize; lane++) {
      for (let within = 0; within < packed; within++) {
        const element = d[places.d[lane * each + index * packed + within] ?? 0] ?? 0;
        if (words instanceof BigUint64Array) words[lane] = BigInt(element);
        else words[lane] = (words[lane] ?? 0) | (Number(element) << (within * elementBits[type]));
      }
    }
  }
  return results;
}

/** The matrix product in each mode. If a lane does not participate, all results are undefined. */
export const multiplyMatrices: Readonly<Record<MatrixMode, WarpFunction>> = {
  hopper: (mods, warp) => multiply(mods, warp, 'hopper'),
  ieee: (mods, warp) => multiply(mods, warp, 'ieee'),
};

function multiply(mods: Mods, warp: WarpState, mode: MatrixMode): WarpResult {
  const plan = planOf(mods, warp);
  const result = resultOf(plan, warp, multiplied(plan, operandsOf(plan, warp), mode));
  return plan.form.selector === undefined ? result : withoutInvalidRows(plan, mods, warp, result);
}

/** Returns the result of a sparse product without the rows whose metadata PTX does not define. */
function withoutInvalidRows({ form }: Plan, mods: Mods, warp: WarpState, result: WarpResult): WarpResult {
  const codesOf = (lane: number) => Number(sourceOf(warp, 'e', lane));
  const isOrdered = mods.metadata === 'sp::ordered_metadata';
  const isValid = Array.from({ length: form.m }, (_, row) => isValidRow(form, row, isOrdered, codesOf));
  if (isValid.every(Boolean)) return result;
  const defined = { ...result.defined };
  forEachElement(form, 'd', ({ row }, lane, register) => {
    const name = registerName('d', register);
    if (!isValid[row]) defined[name] = ((defined[name] ?? 0) & ~(1 << lane)) >>> 0;
  });
  return { ...result, defined };
}

function resultOf(plan: Plan, warp: WarpState, d: Elements): WarpResult {
  const results = scatter(plan, d);
  const defined = warp.active === 0xffff_ffff ? 0xffff_ffff : 0;
  return { results, defined: Object.fromEntries(Object.keys(results).map((name) => [name, defined])) };
}

/** The sum of an element in `ieee` mode, and the other allowed results. */
export interface BoundedElement {
  readonly reference: Bits;
  readonly slack: Slack;
}

/**
 * Returns the bound of each element that a lane receives: the elements of lane 0 in the order of
 * its registers, then those of lane 1, and so on. Returns undefined if PTX defines all results
 * exactly.
 */
export function elementBounds(mods: Mods, warp: WarpState): readonly BoundedElement[] | undefined {
  const plan = planOf(mods, warp);
  const { form, rules, core, places } = plan;
  if (core === undefined) return undefined;
  const operands = narrowOperands(operandsOf(plan, warp));
  const terms = new Float64Array(form.k + 1);
  const bounds: BoundedElement[] = [];
  eachElement(form, operands, (factors) => {
    const sum = sumOf(factors, terms);
    bounds[factors.place] = {
      reference: roundedSum(rules, sum),
      slack: slackOfSum(rules, factors, terms, sum),
    };
  });
  return Array.from(places.d, (place) => at(bounds, place, 'an element of D'));
}

/** Calls a function for each element of an operand that is in a register of a lane. */
function forEachElement(
  form: MatrixForm,
  operand: MatrixOperand,
  visit: (place: ElementPlace, lane: number, register: number) => void,
): void {
  const packed = registerElements(form.types[operand]);
  const each = laneElements(form, operand);
  elementPlaces(form, operand).forEach((place, index) => {
    visit(place, Math.floor(index / each), Math.floor((index % each) / packed));
  });
}

/**
 * Determines the undefined results. An undefined element of A affects its row of D, an element of B
 * its column, and an element of C only the element at its own position.
 */
export const undefinedElements: UndefinedFunction = (mods, warp, undefinedIn) => {
  const { form } = planOf(mods, warp);
  const [rows, columns, places] = [new Set<number>(), new Set<number>(), new Set<number>()];
  const keyOf = (product: number, at: number) => product * 64 + at;
  const note = (operand: MatrixOperand, set: Set<number>, key: (place: ElementPlace) => number) =>
    forEachElement(form, operand, (place, lane, register) => {
      if (((undefinedIn[registerName(operand, register)] ?? 0) >>> lane) & 1) set.add(key(place));
    });
  note('a', rows, ({ product, row }) => keyOf(product, row));
  for (let row = 0; form.selector !== undefined && row < form.m; row++) {
    const isUnknown = metadataLanes(form, row).some((lane) => ((undefinedIn.e ?? 0) >>> lane) & 1);
    if (isUnknown) rows.add(keyOf(0, row));
  }
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
