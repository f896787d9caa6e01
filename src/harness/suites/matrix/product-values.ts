// The contents of matrices in product suites: values that identify elements, sums without rounding,
// random numbers, and edge values.

import { at } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import {
  type ElementPlace,
  type ElementType,
  elementBits,
  elementPlaces,
  fragmentWords,
  laneElements,
  type MatrixForm,
  type MatrixOperand,
  registerElements,
  rowsOfB,
} from '../../../isa/fragments.ts';
import { warpLanes } from '../lanes.ts';
import type { Random } from '../random.ts';

/**
 * - `rows`, `columns`: the elements of A, or of B, differ as far as the type permits, and D shows
 * them in order.
 * - `whole`: small integers.
 * - `near`: numbers of similar magnitude.
 * - `wide`: numbers of any magnitude.
 * - `edges`: zeros, the least and the greatest numbers, subnormals, infinities, NaNs.
 * - `tiny`: zeros of both signs, and numbers whose products and sums are subnormal or cancel to
 * subnormals. In even-numbered cases, all factors are zeros.
 */
export const contents = ['rows', 'columns', 'whole', 'near', 'wide', 'edges', 'tiny'] as const;
export type Contents = (typeof contents)[number];

interface FloatShape {
  readonly fraction: number;
  readonly bias: number;
  readonly exponent: number;
  /** The number of zero bits below the fraction. */
  readonly shift: number;
}

const floatShapes: Readonly<Partial<Record<ElementType, FloatShape>>> = {
  f16: { fraction: 10, bias: 15, exponent: 5, shift: 0 },
  bf16: { fraction: 7, bias: 127, exponent: 8, shift: 0 },
  tf32: { fraction: 10, bias: 127, exponent: 8, shift: 13 },
  f32: { fraction: 23, bias: 127, exponent: 8, shift: 0 },
  f64: { fraction: 52, bias: 1023, exponent: 11, shift: 0 },
  e4m3: { fraction: 3, bias: 7, exponent: 4, shift: 0 },
  e5m2: { fraction: 2, bias: 15, exponent: 5, shift: 0 },
};

/** The bits of an element: a bigint for f64, otherwise a number. */
type Element = number | bigint;

const wideField = ({ fraction, exponent: width }: FloatShape, sign: number, exponent: number, rest: bigint): bigint =>
  (BigInt(sign) << BigInt(width + fraction)) | (BigInt(exponent) << BigInt(fraction)) | rest;

const narrowField = (shape: FloatShape, sign: number, exponent: number, rest: number): number =>
  (((sign << (shape.exponent + shape.fraction)) | (exponent << shape.fraction) | rest) << shape.shift) >>> 0;

const field = (shape: FloatShape, sign: number, exponent: number, rest: Element): Element =>
  typeof rest === 'bigint' ? wideField(shape, sign, exponent, rest) : narrowField(shape, sign, exponent, rest);

/** Returns the low `count` bits of two random words. */
function randomBits(rng: Random, count: number): Element {
  const [high, low] = [rng.u32(), rng.u32()];
  if (count > 32) return BigInt.asUintN(count, (BigInt(high) << 32n) | BigInt(low));
  return count === 32 ? low : low & (2 ** count - 1);
}

const ones = ({ fraction }: FloatShape): Element => (fraction > 32 ? (1n << BigInt(fraction)) - 1n : 2 ** fraction - 1);

const zeros = ({ fraction }: FloatShape): Element => (fraction > 32 ? 0n : 0);

/** Returns the bits of a small integer. Every type except the one-bit types can represent it. */
function wholeNumber(type: ElementType, value: number): Element {
  const shape = floatShapes[type];
  if (shape === undefined) return elementBits[type] === 32 ? value >>> 0 : value & (2 ** elementBits[type] - 1);
  if (value === 0) return zeros(shape);
  const top = 31 - Math.clz32(Math.abs(value));
  const rest = (Math.abs(value) - 2 ** top) * 2 ** (shape.fraction - top);
  const [sign, exponent] = [value < 0 ? 1 : 0, shape.bias + top];
  return field(shape, sign, exponent, shape.fraction > 32 ? BigInt(rest) : Math.floor(rest));
}

/** Returns the zero of a floating-point type, negative if `sign` is 1. */
function zeroOf(shape: FloatShape, sign: number): Element {
  return field(shape, sign, 0, zeros(shape));
}

function edge(type: ElementType, shape: FloatShape, rng: Random): Element {
  const sign = rng.below(2);
  const most = 2 ** shape.exponent - 1;
  const rest = randomBits(rng, shape.fraction);
  const [none, full] = [zeros(shape), ones(shape)];
  switch (rng.below(9)) {
    case 0:
      return zeroOf(shape, sign);
    case 1:
      return field(shape, sign, 0, rest);
    case 2:
      return field(shape, sign, 0, full);
    case 3:
      return field(shape, sign, 1, none);
    case 4:
      return field(shape, sign, shape.bias, rest);
    case 5:
      return field(shape, sign, shape.bias, none);
    case 6:
      return field(shape, sign, shape.bias - 1, none);
    case 7:
      return field(shape, sign, most - 1, type === 'e4m3' ? rest : full);
    default:
      // Infinities and NaNs are rare, because one of them determines a whole row or column of D.
      return field(shape, sign, rng.chance(0.2) ? most : shape.bias, rng.chance(0.5) ? none : rest);
  }
}

/**
 * Draws zero, a subnormal, or a number slightly larger than the least normal number. Instead, a
 * factor may have half the exponent of such a number, so that products of two such factors are
 * about as small. A factor may also be so large that its product with a small factor is ordinary.
 */
function tiny(shape: FloatShape, isFactor: boolean, rng: Random): Element {
  const sign = rng.below(2);
  const rest = randomBits(rng, shape.fraction);
  switch (rng.below(isFactor ? 7 : 4)) {
    case 0:
      return zeroOf(shape, sign);
    case 1:
      return field(shape, sign, 0, rest);
    case 2:
      return field(shape, sign, rng.below(2), rng.chance(0.5) ? zeros(shape) : ones(shape));
    case 3:
      return field(shape, sign, 1 + rng.below(4), rest);
    case 4:
      return field(shape, sign, shape.bias, zeros(shape));
    case 5:
      return field(shape, sign, (shape.bias >> 1) + rng.below(4), rest);
    default:
      return field(shape, sign, rng.chance(0.1) ? 2 * shape.bias - rng.below(4) : 0, zeros(shape));
  }
}

function element(type: ElementType, isFactor: boolean, what: Contents, rng: Random): Element {
  const shape = floatShapes[type];
  if (what === 'whole') {
    const most = elementBits[type] <= 4 ? 2 ** (elementBits[type] - 1) : 8;
    return wholeNumber(type, type.startsWith('u') || type === 'b1' ? rng.below(2 * most) : rng.below(2 * most) - most);
  }
  if (shape === undefined) return randomBits(rng, elementBits[type]);
  if (what === 'edges') return edge(type, shape, rng);
  if (what === 'tiny') return tiny(shape, isFactor, rng);
  const span = what === 'near' ? 4 : Math.min(2 ** shape.exponent - 2, type === 'f16' ? 20 : 60);
  const exponent = Math.max(shape.bias - (span >> 1) + rng.below(span), 0);
  return field(shape, rng.below(2), exponent, randomBits(rng, shape.fraction));
}

const knownFirsts = new WeakMap<readonly ElementPlace[], Uint16Array>();

/** Returns, for each of `elementPlaces`, the index of the first place with the same element. */
function firstPlaces(form: MatrixForm, operand: MatrixOperand): Uint16Array {
  const places = elementPlaces(form, operand);
  const known = knownFirsts.get(places);
  if (known) return known;
  const firsts = new Map<number, number>();
  const made = Uint16Array.from(places, ({ product, row, column }, index) => {
    const key = (product * 512 + row) * 512 + column;
    return getOrInsert(firsts, key, () => index);
  });
  knownFirsts.set(places, made);
  return made;
}

/** The indexes of two different units of four, in order; for tf32, of the halves of an element. */
const indexPairs = { units: [4, 8, 12, 9, 13, 14], tf32: [4, 14] } as const;

/** Draws a word of metadata, which is valid for all rows. */
function metadataWord(type: ElementType, rng: Random): number {
  const pairs = type === 'tf32' ? indexPairs.tf32 : indexPairs.units;
  let word = 0;
  for (let shift = 0; shift < 32; shift += 4) word |= at(pairs, rng.below(pairs.length), 'two indexes') << shift;
  return word >>> 0;
}

/** Returns the words of A, then of B, then of C, for each lane. */
export function productWords(form: MatrixForm, what: Contents, case_: number, rng: Random): readonly Uint32Array[] {
  const words = warpLanes.map(
    () => new Uint32Array(fragmentWords(form, 'a') + fragmentWords(form, 'b') + fragmentWords(form, 'c')),
  );
  let first = 0;
  for (const operand of ['a', 'b', 'c'] as const) {
    const type = form.types[operand];
    const packed = registerElements(type);
    const bits = elementBits[type];
    const places = elementPlaces(form, operand);
    const each = laneElements(form, operand);
    const firstOf = firstPlaces(form, operand);
    // If several lanes or positions hold the same element, they all receive the same value.
    const values: Element[] = [];
    for (let lane = 0; lane < words.length; lane++) {
      const own = words[lane];
      if (own === undefined) continue;
      for (let position = 0; position < each; position++) {
        const index = lane * each + position;
        const place = places[index];
        if (place === undefined) continue;
        const value = values[firstOf[index] ?? index] ?? valueAt(form, operand, place, what, case_, rng);
        values.push(value);
        const word = first + (bits === 64 ? 2 * position : Math.floor(position / packed));
        if (typeof value === 'bigint') {
          own[word] = Number(value & 0xffff_ffffn);
          own[word + 1] = Number(value >> 32n);
        } else own[word] = (own[word] ?? 0) | (value << ((position % packed) * bits));
      }
    }
    first += fragmentWords(form, operand);
    if (operand === 'a' && form.selector !== undefined)
      for (const own of words) own[first - 1] = metadataWord(type, rng);
  }
  return words;
}

/**
 * Returns the value of an element. With `rows`, B selects eight columns of A for D, which differ
 * between cases. With `columns`, A selects rows of B.
 */
function valueAt(
  form: MatrixForm,
  operand: MatrixOperand,
  { product, row, column }: ElementPlace,
  what: Contents,
  case_: number,
  rng: Random,
): Element {
  const type = form.types[operand];
  const shape = floatShapes[type];
  if (what === 'tiny' && case_ % 2 === 0 && operand !== 'c' && shape !== undefined) return zeroOf(shape, rng.below(2));
  if (what !== 'rows' && what !== 'columns') return element(type, operand !== 'c', what, rng);
  if (operand === 'c') return wholeNumber(type, 0);
  const isShown = (operand === 'a') === (what === 'rows');
  if (isShown) {
    const number = product * 64 + row * (operand === 'a' ? form.k : form.n) + column;
    // Use only numbers that the type represents exactly: f16 represents every integer up to 2048,
    // bf16 up to 256, e4m3 up to 16, and e5m2 up to 8.
    const most = Math.min(2 ** Math.min(elementBits[type], 11), 2 ** ((floatShapes[type]?.fraction ?? 30) + 1));
    return wholeNumber(type, 1 + (number % (most - 1)));
  }
  const chosen =
    operand === 'b' ? row === (column + 8 * case_) % rowsOfB(form) : column === (row + form.m * case_) % form.k;
  return wholeNumber(type, chosen ? 1 : 0);
}
