// Subnormal numbers in products of matrices, on adapters whose f32 arithmetic flushes them. Tensor cores
// keep subnormal elements, addends and sums.
//
// A product of f16 or 8-bit elements is zero or at least 2^-48, so only a subnormal addend can be lost,
// and only if no product is left. Such an addend is scaled by 2^30 while the products are added: it is
// normal then, and below 2^-96, so that adding a product of any size still replaces it.
//
// Products of bf16 and tf32 elements may be subnormal, and so may their factors. If no factor is between
// 0 and 2^-50 and no addend is subnormal, products are zero or multiples of 2^-120 that are at least
// 2^-100; no sum of those is subnormal, with any normal addend. Otherwise the warp computes each element
// in a loop, by integers if a product or a factor of its is too small.
import { at, InternalError } from '../../base/invariants.ts';
import type { ElementType, MatrixForm } from '../../isa/fragments.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name, type Stmt } from '../tree/nodes.ts';
import type { Arithmetic } from './mma-arithmetic.ts';
import { FragmentReader, type Products } from './mma-fragments.ts';
import { productSteps } from './mma-steps.ts';
import type { LaneFunction } from './words-function.ts';

/** What may be lost on an adapter that flushes: addends alone, or also factors and products. */
export type LostSubnormals = 'addends' | 'terms';

const lostByFactor: Readonly<Partial<Record<ElementType, LostSubnormals>>> = {
  f16: 'addends',
  e4m3: 'addends',
  e5m2: 'addends',
  bf16: 'terms',
  tf32: 'terms',
};

/**
 * Undefined for forms that compute without f32 arithmetic, and for sums in f16: those are multiples of
 * 2^-48 throughout.
 */
export const lostSubnormals = ({ types }: MatrixForm): LostSubnormals | undefined =>
  types.c === 'f32' ? lostByFactor[types.a] : undefined;

const bits = (value: Expr): Expr => w.bitcast('u32', value);

/** Below 0x00ffffff exactly for the bits of subnormal numbers. */
const placeAmongSubnormals = (word: Expr): Expr => w.sub(w.add(word, word), w.u32(1));
const leastOf = (values: readonly Expr[]): Expr => values.reduce((a, b) => w.builtin('min', 'u32', a, b));

/** Whether any of the addends, as bits, is subnormal. */
export const anySubnormal = (words: readonly Expr[]): Expr =>
  w.lt(leastOf(words.map(placeAmongSubnormals)), w.u32(0x00ff_ffff));

/** Whether any element of the words of factors is between 0 and 2^-50. */
export function anyTinyFactor(type: ElementType, words: readonly Expr[]): Expr {
  if (type === 'tf32') {
    const sizes = words.map((word) => w.sub(w.and(word, w.u32(0x7fff_e000)), w.u32(1)));
    return w.lt(leastOf(sizes), w.u32(0x267f_ffff));
  }
  // In each half: bit 15 of the first sum is set if the size is not 0, of the second if it is at least
  // 0x2680, which is 2^-50.
  const flags = words.map((word) => {
    const sizes = w.and(word, w.u32(0x7fff_7fff));
    return w.and(w.add(sizes, w.u32(0x7fff_7fff)), w.complement(w.add(sizes, w.u32(0x5980_5980))));
  });
  return w.ne(w.and(flags.reduce(w.or), w.u32(0x8000_8000)), w.u32(0));
}

/**
 * The statements before and after the products of f16 and 8-bit elements are added to `sums`, which
 * hold the addends.
 */
export function scaleAddends(sums: readonly Expr[]): { readonly before: readonly Stmt[]; readonly after: Stmt } {
  const name = new Name('scaled');
  const scaled = w.ref(name, 'u32');
  const bitOf = (element: number) => w.u32(2 ** element);
  const before = sums.map((sum, element) =>
    w.when(w.helper('f32_is_subnormal', 'bool', bits(sum)), [
      w.update(scaled, '|', bitOf(element)),
      w.assign(sum, w.helper('f32_scale_subnormal', 'f32', bits(sum))),
    ]),
  );
  const after = sums.map((sum, element) =>
    w.when(w.ne(w.and(scaled, bitOf(element)), w.u32(0)), [
      w.assign(sum, w.helper('f32_restore_subnormal', 'f32', bits(sum))),
    ]),
  );
  return {
    before: [w.variable(name, 'u32', w.u32(0)), w.when(anySubnormal(sums.map(bits)), before)],
    after: w.when(w.ne(scaled, w.u32(0)), after),
  };
}

/** The f32 of each element of a register of factors, as bits. */
const bitsOfFactors: Readonly<Partial<Record<ElementType, (word: Expr) => readonly Expr[]>>> = {
  bf16: (word) => [w.shl(word, w.u32(16)), w.and(word, w.u32(0xffff_0000))],
  tf32: (word) => [w.and(word, w.u32(0xffff_e000))],
};

/**
 * The statements that add the products of bf16 and tf32 elements to the addends in `sums`, product
 * after product, whatever is subnormal.
 */
export function addExactly(
  form: MatrixForm,
  arithmetic: Arithmetic,
  given: Products,
  lane: LaneFunction,
  sums: readonly (readonly Expr[])[],
): readonly Stmt[] {
  const factors = (_: unknown, [word]: readonly Expr[]): readonly Expr[] => {
    const parts = bitsOfFactors[form.types.a];
    if (word === undefined || parts === undefined) throw new InternalError(`no words of ${form.types.a}`);
    return parts(word);
  };
  const reader = new FragmentReader(form, { ...arithmetic, factors }, given, lane);
  const { packed, steps } = productSteps(form);
  const rows = new FactorLists();
  const columns = new FactorLists();
  const places = given.products.flatMap(([a, b], product) =>
    at(sums, product, 'the sums of a product').map((_, element) => {
      const own = steps.map((step) => at(step, element, 'an element of D'));
      const list = (operand: 'a' | 'b', fragment: number) => () =>
        own.flatMap((step) => reader.piece(operand, fragment, step[operand], packed));
      const keyOf = (operand: 'a' | 'b', fragment: number) =>
        JSON.stringify([fragment, own.map((step) => step[operand])]);
      return { row: rows.numberOf(keyOf('a', a), list('a', a)), column: columns.numberOf(keyOf('b', b), list('b', b)) };
    }),
  );
  const all = sums.flat();
  const { stmts } = reader;
  const named = (hint: string, values: readonly Expr[]): Expr => {
    const [first] = values;
    if (first === undefined) throw new InternalError(`no ${hint} of a product`);
    const name = new Name(hint);
    const type = w.array(first.type, values.length);
    stmts.push(w.variable(name, type, w.construct(type, ...values)));
    return w.ref(name, type);
  };
  const [x, y] = [named('rows', rows.arrays), named('columns', columns.arrays)];
  const rowOf = named(
    'row_of',
    places.map(({ row }) => w.u32(row)),
  );
  const columnOf = named(
    'column_of',
    places.map(({ column }) => w.u32(column)),
  );
  const results = named('exact', all.map(bits));
  const element = new Name('e');
  const e = w.ref(element, 'u32');
  const terms = form.k;
  stmts.push(
    w.repeat(
      element,
      all.length,
      addElement(w.index(results, e), w.index(x, w.index(rowOf, e)), w.index(y, w.index(columnOf, e)), terms),
    ),
    ...all.map((sum, index) => w.assign(sum, w.bitcast('f32', w.index(results, w.u32(index))))),
  );
  return stmts;
}

/** Different rows or columns of factors, each an array. */
class FactorLists {
  readonly arrays: Expr[] = [];
  private readonly numbers = new Map<string, number>();

  numberOf(key: string, values: () => readonly Expr[]): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const made = values();
    this.numbers.set(key, this.arrays.length);
    return this.arrays.push(w.construct(w.array('u32', made.length), ...made)) - 1;
  }
}

/** Adds the products of two lists of factors to `sum`, all as bits. */
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
