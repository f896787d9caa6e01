// Guards f32 sums of matrix products on adapters whose f32 arithmetic flushes subnormal numbers.
// Tensor cores keep subnormal elements, addends and sums, and a sum that is zero is +0.
//
// A product of f16 or 8-bit elements is zero or at least 2^-48. So a sum is lost only if an addend
// is subnormal, and it is -0 only if the addend is.
//
// Products of bf16 and tf32 elements may be subnormal, and so may their factors. If no factor is
// between 0 and 2^-50 and no addend is subnormal, products are zero or multiples of 2^-120 that are
// at least 2^-100. No sum of those is subnormal, with any normal addend.
//
// The warp votes on its factors and addends. If no lane has one of these special values, the sums
// are the adapter's own. Otherwise:
// - With f16 and 8-bit elements, each lane scales its subnormal addends by 2^30 while the products
//   are added. They are normal then, and below 2^-96, so a product of any size still replaces them.
// - With bf16 and tf32 elements, each lane computes its elements one by one, in integers if a
//   product, a factor or the addend is too small.
import { at } from '../../base/invariants.ts';
import type { ElementType, MatrixForm } from '../../isa/fragments.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name, type Stmt } from '../tree/nodes.ts';
import type { Arithmetic } from './mma-arithmetic.ts';
import { factorArrays } from './mma-factor-arrays.ts';
import type { Products } from './mma-fragments.ts';
import type { LaneFunction } from './words-function.ts';

/**
 * The values that an adapter that flushes subnormal numbers may lose: addends, or also factors and
 * products.
 */
export type LostSubnormals = 'addends' | 'terms';

const lostByFactor: Readonly<Partial<Record<ElementType, LostSubnormals>>> = {
  f16: 'addends',
  e4m3: 'addends',
  e5m2: 'addends',
  bf16: 'terms',
  tf32: 'terms',
};

/**
 * Returns the kind of subnormal numbers that a form may lose. Returns undefined for forms without
 * f32 arithmetic, and for sums in f16, which are always multiples of 2^-48.
 */
export const lostSubnormals = ({ types }: MatrixForm): LostSubnormals | undefined =>
  types.c === 'f32' ? lostByFactor[types.a] : undefined;

const bits = (value: Expr): Expr => w.bitcast('u32', value);

const leastOf = (values: readonly Expr[]): Expr => values.reduce((a, b) => w.builtin('min', 'u32', a, b));

/** Whether any of the addends, given as bits, is subnormal or zero. */
export const anySmall = (words: readonly Expr[]): Expr => {
  const sizes = words.map((word) => w.builtin('abs', 'f32', w.bitcast('f32', word)));
  const least = sizes.reduce((a, b) => w.builtin('min', 'f32', a, b));
  return w.lt(least, w.bitcast('f32', w.u32(0x0080_0000)));
};

/**
 * Whether any of the addends, given as bits, is subnormal or -0. With the sign in bit 0, these are
 * the words from 1 to 0x00ffffff.
 */
export const anySpecial = (words: readonly Expr[]): Expr => {
  const rotated = words.map((word) => w.or(w.shl(word, w.u32(1)), w.shr(word, w.u32(31))));
  return w.lt(leastOf(rotated.map((word) => w.sub(word, w.u32(1)))), w.u32(0x00ff_ffff));
};

/** Whether any element in the words of factors is between 0 and 2^-50. */
export function anyTinyFactor(type: ElementType, words: readonly Expr[]): Expr {
  if (type === 'tf32') {
    const sizes = words.map((word) => w.sub(w.and(word, w.u32(0x7fff_e000)), w.u32(1)));
    return w.lt(leastOf(sizes), w.u32(0x267f_ffff));
  }
  // In each half, bit 15 of the first sum is set if the magnitude is nonzero, and bit 15 of the
  // second sum is set if the magnitude is at least 0x2680, which is 2^-50.
  const flags = words.map((word) => {
    const sizes = w.and(word, w.u32(0x7fff_7fff));
    return w.and(w.add(sizes, w.u32(0x7fff_7fff)), w.complement(w.add(sizes, w.u32(0x5980_5980))));
  });
  return w.ne(w.and(flags.reduce(w.or), w.u32(0x8000_8000)), w.u32(0));
}

/**
 * Returns the statements before and after the addition of the products to `sums`, which contain the
 * addends. The statements have an effect only if `flag` is true.
 */
export function scaleAddends(
  flag: Expr,
  sums: readonly Expr[],
): { readonly before: readonly Stmt[]; readonly after: Stmt } {
  const masks = Array.from({ length: Math.ceil(sums.length / 32) }, () => new Name('scaled'));
  const maskOf = (index: number): Expr => w.ref(at(masks, Math.floor(index / 32), 'a mask of sums'), 'u32');
  const bitOf = (index: number) => w.u32(2 ** (index % 32));
  const before = sums.flatMap((sum, index) => [
    w.assign(sum, w.bitcast('f32', w.helper('f32_sum_bits', 'u32', sum))),
    w.when(w.helper('f32_is_subnormal', 'bool', bits(sum)), [
      w.update(maskOf(index), '|', bitOf(index)),
      w.assign(sum, w.helper('f32_scale_subnormal', 'f32', bits(sum))),
    ]),
  ]);
  const after = sums.map((sum, index) =>
    w.when(w.ne(w.and(maskOf(index), bitOf(index)), w.u32(0)), [
      w.assign(sum, w.helper('f32_restore_subnormal', 'f32', bits(sum))),
    ]),
  );
  return {
    before: [...masks.map((name) => w.variable(name, 'u32', w.u32(0))), w.when(flag, before)],
    after: w.when(flag, after),
  };
}

/**
 * Returns the statements that add products one by one to the addends in `sums`, without losing
 * subnormal numbers.
 */
export function addExactly(
  form: MatrixForm,
  arithmetic: Arithmetic,
  given: Products,
  lane: LaneFunction,
  sums: readonly (readonly Expr[])[],
): readonly Stmt[] {
  const all = sums.flat();
  const { stmts, results, element } = factorArrays(form, arithmetic, given, lane, sums);
  stmts.push(
    element.each(addElement(element.result, element.row, element.column, form.k)),
    ...all.map((sum, index) => {
      const result = w.bitcast('f32', at(results, index, 'an element of D'));
      return w.assign(sum, w.bitcast('f32', w.helper('f32_sum_bits', 'u32', result)));
    }),
  );
  return stmts;
}

/**
 * Returns the statements that add the products of two lists of factors to `sum`. All values are
 * given as bits.
 */
function addElement(sum: Expr, x: Expr, y: Expr, terms: number): readonly Stmt[] {
  const [hard, lost, exact] = [new Name('sum'), new Name('is_lost'), new Name('exact_sum')];
  const [hardSum, isLost, exactSum] = [w.ref(hard, 'f32'), w.ref(lost, 'bool'), w.ref(exact, 'u32')];
  const each = (body: (a: Expr, b: Expr) => readonly Stmt[]): Stmt => {
    const k = new Name('k');
    return w.repeat(k, terms, body(w.index(x, w.ref(k, 'u32')), w.index(y, w.ref(k, 'u32'))));
  };
  return [
    w.variable(hard, 'f32', w.bitcast('f32', sum)),
    w.variable(lost, 'bool', w.helper('f32_is_subnormal', 'bool', sum)),
    each((a, b) => [
      w.assign(isLost, w.either(isLost, w.helper('f32_product_is_tiny', 'bool', a, b))),
      w.assign(hardSum, w.builtin('fma', 'f32', w.bitcast('f32', a), w.bitcast('f32', b), hardSum)),
    ]),
    w.variable(exact, 'u32', bits(hardSum)),
    w.when(isLost, [
      w.assign(exactSum, sum),
      each((a, b) => [w.assign(exactSum, w.helper('soft_fma', 'u32', a, b, exactSum, w.u32(0)))]),
    ]),
    w.assign(sum, exactSum),
  ];
}
