// Lane forms: the part of a value that depends on the lane. A form is a sum of uniform values times
// numbers, plus a number, modulo 2^32; the numbers may differ by lane. So the distance between the
// addresses of two lanes is known, even if the addresses are not.

import { at } from '../../base/invariants.ts';
import type { Definition } from '../ir/nodes.ts';

/** The uniform part of a value that differs by lane. */
export interface Rest {
  readonly kind: 'rest';
  readonly of: Definition;
}

/** A value that all lanes share, or the shared part of a value. */
export type Leaf = Definition | Rest;

export interface LaneForm {
  /** The factor of each uniform value, by lane. */
  readonly terms: ReadonlyMap<Leaf, Int32Array>;
  /** The number to add, by lane. */
  readonly constants: Int32Array;
  /**
   * The bits that the sum of the terms may have. The constants lack all of these bits, so the sum
   * and the constants occupy different bits of a word. Undefined if the two may overlap.
   */
  readonly bits: number | undefined;
}

export const lanes = 32;
export const allBits = 0xffff_ffff;

export const fill = (make: (lane: number) => number): Int32Array =>
  Int32Array.from({ length: lanes }, (_, lane) => make(lane));
export const everywhere = (number: number): Int32Array => new Int32Array(lanes).fill(number);
const none: ReadonlyMap<Leaf, Int32Array> = new Map();

export const isSame = (numbers: Int32Array): boolean => numbers.every((number) => number === numbers[0]);
const areEqual = (a: Int32Array, b: Int32Array): boolean => a.every((number, lane) => number === b[lane]);
export const isZero = (numbers: Int32Array): boolean => numbers.every((number) => number === 0);
/** Returns a mask of the lowest set bit of `bits` and all bits above it. */
const fromLowest = (bits: number): number => (bits === 0 ? 0 : -(bits & -bits) >>> 0);

export const constantForm = (constants: Int32Array): LaneForm => ({ terms: none, constants, bits: 0 });

/** Returns the constant of each lane if the form has no uniform values. */
export const numbersOf = (form: LaneForm | undefined): Int32Array | undefined =>
  form !== undefined && form.terms.size === 0 ? form.constants : undefined;

/** Returns a form with these parts. Its `bits` are undefined if a constant overlaps with them. */
export function checked(terms: LaneForm['terms'], constants: Int32Array, bits: number | undefined): LaneForm {
  const isApart = bits !== undefined && constants.every((number) => (number & bits) === 0);
  return { terms, constants, bits: isApart ? bits >>> 0 : undefined };
}

export function sumOf(a: LaneForm, b: LaneForm, sign: 1 | -1): LaneForm {
  const terms = new Map(a.terms);
  for (const [leaf, factors] of b.terms) {
    const before = terms.get(leaf);
    // Absent: a leaf without a term has the factor zero.
    const after = fill((lane) => (before?.[lane] ?? 0) + sign * at(factors, lane, 'a factor'));
    if (isZero(after)) terms.delete(leaf);
    else terms.set(leaf, after);
  }
  const constants = fill((lane) => at(a.constants, lane, 'a lane') + sign * at(b.constants, lane, 'a lane'));
  if (a.bits === undefined || b.bits === undefined) return { terms, constants, bits: undefined };
  // Constants that carry out of a word would change the other bits.
  const carries = a.constants.some((number, lane) => {
    const sum = (number >>> 0) + sign * (at(b.constants, lane, 'a lane') >>> 0);
    return sum < 0 || sum > allBits;
  });
  if (sign === -1 && b.bits !== 0) return { terms, constants, bits: undefined };
  const common = a.bits & b.bits;
  const bits = common === 0 ? a.bits | b.bits : (a.bits | b.bits | fromLowest(common)) >>> 0;
  return carries ? { terms, constants, bits: undefined } : checked(terms, constants, bits);
}

export function timesConstant(form: LaneForm, factor: number): LaneForm {
  if (factor === 0) return constantForm(everywhere(0));
  const scaled = (numbers: Int32Array): Int32Array => numbers.map((number) => Math.imul(number, factor));
  const terms = new Map([...form.terms].map(([leaf, factors]) => [leaf, scaled(factors)]));
  const isPower = factor > 0 && (factor & (factor - 1)) === 0;
  const bitsOf = (bits: number): number =>
    isPower ? Math.imul(bits, factor) : fromLowest(Math.imul(bits & -bits, factor));
  const bits = form.bits === undefined ? undefined : bitsOf(form.bits);
  const overflows = form.constants.some((number) => (number >>> 0) * factor > allBits);
  return checked(terms, scaled(form.constants), overflows ? undefined : bits);
}

/**
 * Returns the distances of all lanes from lane 0. Terms with the same factor in all lanes cancel.
 */
export function deltasOf({ terms, constants }: LaneForm): LaneForm {
  const first = at(constants, 0, 'the first lane');
  const varying = [...terms].flatMap(([leaf, factors]): [Leaf, Int32Array][] => {
    const own = factors.map((factor) => factor - at(factors, 0, 'the first lane'));
    return isZero(own) ? [] : [[leaf, own]];
  });
  return { terms: new Map(varying), constants: constants.map((number) => number - first), bits: undefined };
}

export function haveSameTerms(a: LaneForm, b: LaneForm): boolean {
  return (
    a.terms.size === b.terms.size &&
    areEqual(a.constants, b.constants) &&
    [...a.terms].every(([leaf, factors]) => {
      const other = b.terms.get(leaf);
      return other !== undefined && areEqual(factors, other);
    })
  );
}
