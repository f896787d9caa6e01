// The sums of matrix products on NVIDIA's sm_90 (Hopper), bit by bit, for factors of up to 32 bits.
// PTX does not specify them. `docs/design/matrices.md` describes the probes for this model.
//
// A tensor core adds all terms of a step, the products and the addend, at once:
// 1. The nominal exponent of a number is that of its bits: a subnormal number has the exponent of
//    the least normal number of its type. A product has the sum of the exponents of its factors,
//    and is not normalized. Zeros have no exponent.
// 2. All terms are aligned to the largest exponent, or to one that is 7 below the least normal
//    exponent of the sum's type if that is larger. The bits of a term below 2^-25 of that power of
//    two are dropped, so each term is rounded toward zero.
// 3. The sum of the aligned terms is exact. It is rounded once: toward zero to f32, or to nearest
//    even to f16. A sum beyond the greatest number is an infinity, and a zero is +0.
//
// The compiler implements some forms with several steps, or with other instructions:
// - 8-bit factors become f16. The first step adds the products at the indices 0 and 1 of each four
//   along K, and the second step those at 2 and 3. The addend is added last, rounded to nearest.
// - wmma with tf32 has two steps of four products.
// - wmma with addends and results of different types computes in f32: it converts the addend first,
//   or the sum last.
// - `wgmma` adds 8-bit factors in one step, and keeps only 13 bits of each term. A sum in f32 is
//   cut toward zero after 13 fraction bits.
// - `m8n8k4` with f16 factors has no tensor-core instruction: f32 multiply-adds compute it.
import { at } from '../../base/invariants.ts';
import type { ElementType, MatrixForm } from '../../isa/fragments.ts';
import { exponentOf, type Format, f16, f32, powerOfTwo, roundTo, valueIn } from '../lane/half-format.ts';
import { sumOfTerms } from './exact-sum.ts';
import type { Factors } from './multiply.ts';

/** The number of bits of an aligned term below the power of two of the largest exponent. */
const keptBits = 25;
/**
 * The number of bits that an aligned term keeps in a product of a warpgroup with 8-bit factors, and
 * the number of fraction bits of its sums in f32.
 */
const shortBits = 13;

/**
 * The difference between the exponent of the least normal sum and the lowest exponent to which
 * terms are aligned.
 */
const bitsBelowLeast = 7;

/** How sm_90 computes an element of D. */
export interface TensorCorePlan {
  /** The indices along K that each step adds. There are no steps for `m8n8k4` with f16 factors. */
  readonly steps: readonly (readonly number[])[];
  /** The type of the sum in the steps. */
  readonly sum: Format;
  /** Whether the addend is added after the steps. */
  readonly addsLast: boolean;
  /** The number of bits that an aligned term keeps. */
  readonly keptBits: number;
  /** The number of fraction bits of a sum; undefined for all of its type. */
  readonly fractionBits: number | undefined;
  readonly d: Format;
  /** The exponents of the least normal factors of A and of B. */
  readonly least: { readonly a: number; readonly b: number };
}

/**
 * The exponent of the least normal number of a type of factors. Tensor cores receive the 8-bit
 * factors of `mma` as f16.
 */
const leastExponents: Readonly<Partial<Record<ElementType, number>>> = {
  f16: f16.least,
  e4m3: f16.least,
  e5m2: f16.least,
  bf16: f32.least,
  tf32: f32.least,
};

const leastE4m3 = -6;

/**
 * Returns the plan of a form, or undefined for f64 and for integers, whose sums are the same in
 * every mode.
 */
export function tensorCorePlan({
  k,
  products,
  types,
  wmma,
  isWarpgroup,
}: Pick<MatrixForm, 'k' | 'products' | 'types' | 'wmma' | 'isWarpgroup'>): TensorCorePlan | undefined {
  const leastOf = (type: ElementType) => (isWarpgroup && type === 'e4m3' ? leastE4m3 : leastExponents[type]);
  const [a, b] = [leastOf(types.a), leastOf(types.b)];
  if (a === undefined || b === undefined) return undefined;
  const along = Array.from({ length: k }, (_, index) => index);
  const isByte = types.a === 'e4m3' || types.a === 'e5m2';
  const isConverted = isByte && !isWarpgroup;
  const isShort = isByte && isWarpgroup;
  const sum = types.c === 'f32' || types.d === 'f32' ? f32 : f16;
  const parts = (isFirst: (index: number) => boolean) => [along.filter(isFirst), along.filter((i) => !isFirst(i))];
  const steps = isConverted
    ? parts((index) => index % 4 < 2)
    : types.a === 'tf32' && wmma !== undefined
      ? parts((index) => index < k / 2)
      : [along];
  return {
    steps: products === 1 ? steps : [],
    sum,
    addsLast: isConverted,
    keptBits: isShort ? shortBits : keptBits,
    fractionBits: isShort && sum === f32 ? shortBits : undefined,
    d: types.d === 'f32' ? f32 : f16,
    least: { a, b },
  };
}

/**
 * Returns the nominal exponents of factors. The exponents of zeros, infinities and NaNs are not
 * used.
 */
const nominalExponents = (factors: Float64Array, least: number): Int16Array =>
  Int16Array.from(factors, (value) => Math.max(exponentOf(value), least));

/** The nominal exponents of all elements of A and of B. */
interface Exponents {
  readonly a: Int16Array;
  readonly b: Int16Array;
}

/**
 * Returns a function that computes the bits of an element of D from its factors in the matrices A
 * and B.
 */
export function tensorCoreSum(
  plan: TensorCorePlan,
  { a, b }: Readonly<Record<'a' | 'b', Float64Array>>,
): (factors: Factors<Float64Array>) => number {
  const { steps, addsLast, d, least } = plan;
  const exponents = { a: nominalExponents(a, least.a), b: nominalExponents(b, least.b) };
  return (factors) => {
    const c = at(factors.c, factors.place, 'the element of C');
    if (steps.length === 0) return roundTo(d, d === f32 ? chainOfFour(factors, c) : twoPairs(factors, c), 'rn');
    let sum = addsLast ? 0 : c;
    for (const step of steps) sum = stepSum(plan, factors, exponents, step, sum);
    return roundTo(d, addsLast ? c + sum : sum, 'rn');
  };
}

/** Adds the products at some indices along K to a sum. */
function stepSum(
  { sum: format, keptBits: kept, fractionBits }: TensorCorePlan,
  { a, row, b, column }: Factors<Float64Array>,
  exponents: Exponents,
  step: readonly number[],
  addend: number,
): number {
  let largest = addend === 0 ? format.least - bitsBelowLeast : Math.max(exponentOf(addend), format.least);
  // Add the infinities and NaNs by IEEE's rules.
  let special = Number.isFinite(addend) ? 0 : addend;
  for (const k of step) {
    const product = (a[row + k] ?? 0) * (b[column + k] ?? 0);
    if (product === 0) continue;
    if (!Number.isFinite(product)) special += product;
    const exponent = (exponents.a[row + k] ?? 0) + (exponents.b[column + k] ?? 0);
    if (exponent > largest) largest = exponent;
  }
  if (special !== 0) return special;
  const scale = powerOfTwo(kept - largest);
  let sum = Math.trunc(addend * scale);
  for (const k of step) sum += Math.trunc((a[row + k] ?? 0) * (b[column + k] ?? 0) * scale);
  return roundedStep(format, cutSum(sum * powerOfTwo(largest - kept), fractionBits));
}

/**
 * Cuts a sum toward zero after some fraction bits. A subnormal sum has the exponent of the least
 * normal number.
 */
function cutSum(sum: number, fractionBits: number | undefined): number {
  if (fractionBits === undefined || sum === 0) return sum;
  const unit = powerOfTwo(Math.max(exponentOf(sum), f32.least) - fractionBits);
  return Math.trunc(sum / unit) * unit;
}

/** Rounds the sum of a step. */
function roundedStep(format: Format, sum: number): number {
  if (sum === 0) return 0;
  const isTooLarge = Math.abs(sum) >= powerOfTwo(format.greatest + 1);
  const bits = roundTo(format, sum, format === f32 && !isTooLarge ? 'rz' : 'rn');
  const value = valueIn(format, bits);
  return value === 0 ? 0 : value;
}

/** Returns a sum of two terms in f32, rounded to nearest even. */
function addF32(x: number, y: number): number {
  const terms = Float64Array.of(x, y);
  return valueIn(f32, roundTo(f32, sumOfTerms(terms, 2), 'rn'));
}

/** The products of `m8n8k4`, which are exact in f32. */
const productsOf = ({ a, row, b, column, k }: Factors<Float64Array>): readonly number[] =>
  Array.from({ length: k }, (_, index) => (a[row + index] ?? 0) * (b[column + index] ?? 0));

/**
 * Returns the sum of `m8n8k4` with f32 results: a chain of multiply-adds that starts from zero,
 * plus the addend.
 */
const chainOfFour = (factors: Factors<Float64Array>, c: number): number =>
  addF32(c, productsOf(factors).reduce(addF32, 0));

/**
 * Returns the sum of `m8n8k4` with f16 results: the addend plus the sum of the first two products,
 * plus the sum of the other two.
 */
function twoPairs(factors: Factors<Float64Array>, c: number): number {
  const [first = 0, second = 0, third = 0, fourth = 0] = productsOf(factors);
  return addF32(addF32(c, addF32(first, second)), addF32(third, fourth));
}
