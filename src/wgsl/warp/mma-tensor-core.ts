// Sums of matrix products with the same bits as NVIDIA's sm_90, on any adapter.
//
// A step of a tensor core adds its products and the addend at once. It aligns them to the largest
// exponent, and uses only the 25 bits of each that are below the power of two of this exponent. The
// sum of these bits is exact, and is rounded once. docs/design/matrices.md describes the model and
// the forms that consist of several steps.
//
// An element is computed in two passes over the products. The first pass finds the largest power of
// two, from which the second derives a scale: the whole part of a scaled product consists of the
// bits that a tensor core uses. The conversion to i32 removes the other bits. A sum of at most 16
// such products fits in an i32.
//
// If an operand is special or extreme (`mma-tensor-core-range.ts`), the warp splits each factor
// into an f32 significand below 2 and an exponent, so that f32 can represent every product.
import { at, missing } from '../../base/invariants.ts';
import type { MatrixForm } from '../../isa/fragments.ts';
import * as w from '../tree/build.ts';
import type { Expr, Stmt } from '../tree/nodes.ts';
import { type Arithmetic, nominalPowers } from './mma-arithmetic.ts';
import { FragmentReader, type Products } from './mma-fragments.ts';
import { columnPieces, productSteps } from './mma-steps.ts';
import {
  convertsBytes,
  isByte,
  keepsFewBits,
  leastExponentOf,
  leastFactorOf,
  sumTypeOf,
} from './mma-tensor-core-forms.ts';
import type { LaneFunction } from './words-function.ts';

const floats = w.vector('f32', 4);
const integers = w.vector('i32', 4);
const words = w.vec4u;

/**
 * The number of bits that a warpgroup keeps of terms with 8-bit factors, and the ratio of the scale
 * for these bits to the scale for 25 bits.
 */
const shortBits = 13;
const bitsLess = w.f32(0x3980_0000n);

const bits = (value: Expr): Expr => w.bitcast('u32', value);

/**
 * Whether lanes exchange the powers of two of factors. Otherwise each lane computes the powers of
 * all its factors.
 */
export const exchangesPowers = ({ types, products }: MatrixForm): boolean => types.a === 'f16' && products === 1;

/** The values that lanes exchange, by function. */
export interface TensorCoreLanes {
  readonly factors: LaneFunction;
  /**
   * Returns the powers of two of factors instead of the factors, if lanes exchange these powers.
   */
  readonly powers: LaneFunction;
}

/**
 * Returns the statements that replace the addends of each product by its sums. `sums` are
 * variables, each of which is a vector of the bits of f32 values. `isExtreme`: whether any lane of
 * the warp has an operand that is special or extreme.
 */
export function addAsTensorCore(
  form: MatrixForm,
  arithmetic: Arithmetic,
  given: Products,
  lanes: TensorCoreLanes,
  sums: readonly Expr[],
  isExtreme: Expr,
): readonly Stmt[] {
  const add = (isGeneral: boolean) =>
    groupsOf(given, sums).flatMap((group) =>
      new TensorCoreSums(form, arithmetic, group.given, lanes, isGeneral).add(group.sums),
    );
  return [w.when(isExtreme, add(true), add(false))];
}

/**
 * Returns groups of products that are computed together: the products of two matrices A with two
 * matrices B. Larger groups would share more factors, but would need more registers for their sums.
 */
function groupsOf(given: Products, sums: readonly Expr[]) {
  const groups = new Map<string, number[]>();
  given.products.forEach(([a, b], product) => {
    const key = `${a >> 1} ${b >> 1}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [product]);
    else known.push(product);
  });
  return [...groups.values()].map((group) => ({
    given: { ...given, products: group.map((product) => at(given.products, product, 'a product')) },
    sums: group.map((product) => at(sums, product, 'the sums of a product')),
  }));
}

/** Emits the sums of some products. */
class TensorCoreSums {
  private readonly form: MatrixForm;
  private readonly arithmetic: Arithmetic;
  private readonly given: Products;
  private readonly lanes: TensorCoreLanes;
  /** Whether operands may be special or extreme. */
  private readonly isGeneral: boolean;

  constructor(form: MatrixForm, arithmetic: Arithmetic, given: Products, lanes: TensorCoreLanes, isGeneral: boolean) {
    this.form = form;
    this.arithmetic = arithmetic;
    this.given = given;
    this.lanes = lanes;
    this.isGeneral = isGeneral;
  }

  add(sums: readonly Expr[]): readonly Stmt[] {
    const { types } = this.form;
    const step = (own: readonly Expr[], parts: readonly number[] | undefined) =>
      this.isGeneral ? this.generalStep(own, parts) : this.step(own, parts);
    if (!convertsBytes(this.form)) return step(sums, undefined);
    // The two elements in each half of a word are converted together, so each step multiplies the
    // elements of one half. The addend is added last.
    const [totals, definitions] = variables('total', words, sums);
    return [
      ...definitions,
      ...step(totals, [0, 1]),
      ...step(totals, [2, 3]),
      ...sums.map((sum, product) => {
        const total = at(totals, product, 'the sum of a product');
        const parts = [...'xyzw'].map((letter) => {
          const [addend, own] = [w.swizzle(sum, letter), w.bitcast('f32', w.swizzle(total, letter))];
          return types.d === 'f16'
            ? bits(w.add(w.bitcast('f32', addend), own))
            : w.helper('f32_add_to_chain', 'u32', addend, own);
        });
        return w.assign(sum, w.construct(words, ...parts));
      }),
    ];
  }

  /**
   * Returns the statements that add products to `sums`: all products, or those of certain elements
   * of each register.
   */
  private step(sums: readonly Expr[], parts: readonly number[] | undefined): readonly Stmt[] {
    const { form, arithmetic, lanes } = this;
    const isHalf = sumTypeOf(form) === 'f16';
    const isShort = keepsFewBits(form);
    const powers: Arithmetic = {
      ...arithmetic,
      factors: (operand, [word = missing('a word of a register')], define) =>
        exchangesPowers(form)
          ? arithmetic.factors(operand, [word], define)
          : nominalPowers(form.types[operand], leastFactorOf(form, operand), word, define),
    };
    const [tops, topDefinitions] = variables('top', floats, sums);
    const [products, productDefinitions] = variables('products', integers, sums);
    const scaled = sums.map((sum, index) => {
      const top = at(tops, index, 'a power of two');
      const scale = w.helper(isHalf ? 'tensor_scales_f16' : 'tensor_scales', floats, top, sum);
      return w.local('scale', isShort ? w.mul(scale, w.construct(floats, bitsLess)) : scale);
    });
    const scales = scaled.map(([scale]) => scale);
    return [
      ...topDefinitions,
      ...this.pass(powers, lanes.powers, parts, (product, [x], [y]) => {
        const top = at(tops, product, 'a power of two');
        return w.assign(top, w.builtin('max', floats, top, w.mul(x, y)));
      }),
      ...scaled.map(([, definition]) => definition),
      ...productDefinitions,
      ...this.pass(arithmetic, lanes.factors, parts, (product, [x], [y]) =>
        w.update(
          at(products, product, 'a sum of products'),
          '+',
          w.construct(integers, w.mul(w.mul(x, y), at(scales, product, 'a scale'))),
        ),
      ),
      ...sums.map((sum, index) =>
        w.assign(
          sum,
          w.helper(
            isHalf ? 'tensor_sums_f16' : isShort ? 'tensor_sums_short' : 'tensor_sums',
            words,
            at(products, index, 'a sum of products'),
            sum,
            at(scales, index, 'a scale'),
          ),
        ),
      ),
    ];
  }

  /** Returns the same statements as `step`, but for operands that may be special or extreme. */
  private generalStep(sums: readonly Expr[], parts: readonly number[] | undefined): readonly Stmt[] {
    const { form, arithmetic, lanes } = this;
    const sumType = sumTypeOf(form);
    const isShort = keepsFewBits(form);
    const exponentOf = (operand: 'a' | 'b', value: Expr) =>
      w.helper('tensor_exponent', 'i32', bits(value), w.i32(leastFactorOf(form, operand)));
    const inParts = (partsOf: (operand: 'a' | 'b', value: Expr) => readonly Expr[]): Arithmetic => ({
      ...arithmetic,
      factors: (operand, own, define) => {
        const all = arithmetic.factors(operand, own, define).map((value) => partsOf(operand, define(value)));
        return [0, 1].flatMap((part) => all.flatMap((each) => each.slice(part, part + 1)));
      },
    });
    const exponents = inParts((operand, value) => [exponentOf(operand, value)]);
    const significands = inParts((operand, value) => {
      const exponent = exponentOf(operand, value);
      return [w.helper('tensor_significand', 'f32', bits(value), exponent), exponent];
    });
    const values = inParts((_, value) => [bits(value)]);
    const [tops, topDefinitions] = variables('largest', integers, sums, (sum) =>
      w.helper('tensor_largest', integers, sum, w.i32(leastExponentOf(sumType))),
    );
    const [products, productDefinitions] = variables('products', integers, sums);
    const [specials, specialDefinitions] = variables('special', words, sums, (sum) =>
      w.helper('tensor_specials', words, sum, w.construct(words, bits(w.f32(0x3f80_0000n)))),
    );
    return [
      ...topDefinitions,
      ...this.pass(exponents, lanes.factors, parts, (product, [x], [y]) => {
        const top = at(tops, product, 'an exponent');
        return w.assign(top, w.builtin('max', integers, top, w.add(x, y)));
      }),
      ...(isShort ? tops.map((top) => w.assign(top, w.add(top, w.construct(integers, w.i32(25 - shortBits))))) : []),
      ...productDefinitions,
      ...this.pass(significands, lanes.factors, parts, (product, [x, ex], [y, ey]) => {
        const distance = w.sub(w.add(ex, ey), at(tops, product, 'an exponent'));
        const value = w.mul(w.mul(x, y), w.helper('tensor_distance_scales', floats, distance));
        return w.update(at(products, product, 'a sum of products'), '+', w.construct(integers, value));
      }),
      ...specialDefinitions,
      ...this.pass(values, lanes.factors, parts, (product, [x], [y]) =>
        w.update(at(specials, product, 'a set of special values'), '|', w.helper('tensor_specials', words, x, y)),
      ),
      ...sums.map((sum, index) =>
        w.assign(
          sum,
          w.helper(
            sumType === 'f16'
              ? 'tensor_general_sums_f16'
              : isShort
                ? 'tensor_general_sums_short'
                : 'tensor_general_sums',
            words,
            at(products, index, 'a sum of products'),
            sum,
            at(tops, index, 'an exponent'),
            at(specials, index, 'a set of special values'),
          ),
        ),
      ),
    ];
  }

  /**
   * Emits a statement for each product of two elements. Its operands are the parts of the factors.
   * The parts of a register are ordered by part: first one part of all its elements, then the next
   * part.
   */
  private pass(
    arithmetic: Arithmetic,
    lane: LaneFunction,
    elements: readonly number[] | undefined,
    body: (product: number, x: readonly [Expr, Expr], y: readonly [Expr, Expr]) => Stmt,
  ): readonly Stmt[] {
    const reader = new FragmentReader(this.form, arithmetic, this.given, lane);
    const { steps, run } = productSteps(this.form);
    const size = this.elementsOfRegister();
    const chosen = elements ?? Array.from({ length: size }, (_, index) => index);
    const add = (index: number) => {
      this.given.products.forEach(([i, j], product) => {
        const step = at(steps, index, 'a step');
        const elementOf = (element: number) => at(step, element, 'an element of D');
        const x = reader.vectors('a', i, [elementOf(0).a, elementOf(2).a], [0, 0, 1, 1]);
        const { pieces, order } = columnPieces(step);
        const y = reader.vectors('b', j, pieces, order, i);
        const partsAt = (list: readonly Expr[], element: number): readonly [Expr, Expr] => {
          const first = at(list, element, 'a part of a factor');
          return [first, list[element + size] ?? first]; // The entry does not exist if factors have one part.
        };
        for (const element of chosen) reader.stmts.push(body(product, partsAt(x, element), partsAt(y, element)));
      });
    };
    // A loop is much shorter, and also faster: for unrolled code, NVIDIA's compiler would store too
    // many factors in registers.
    const addAll = () => {
      for (let index = 0; index < steps.length; index += run) add(index);
    };
    if (run === 1) addAll();
    else reader.loop(run, addAll);
    return reader.stmts;
  }

  private elementsOfRegister(): number {
    const { types } = this.form;
    return isByte(types.a) ? 4 : types.a === 'tf32' ? 1 : 2;
  }
}

/**
 * Returns a variable for each product, and its definition with an initial value, by default 0. The
 * value is always explicit, because in Dawn on lavapipe, a variable without a value retained that
 * of the previous iteration of a loop.
 */
function variables(
  hint: string,
  type: typeof floats,
  sums: readonly Expr[],
  value: (sum: Expr) => Expr = () => w.construct(type, w.literal(type.of, 0n)),
): readonly [variables: readonly Expr[], definitions: readonly Stmt[]] {
  const made = sums.map((sum) => w.localVariable(hint, type, value(sum)));
  return [made.map(([variable]) => variable), made.map(([, definition]) => definition)];
}
