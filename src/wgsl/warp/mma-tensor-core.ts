// Sums of matrix products with the bits of NVIDIA's sm_90, on any adapter.
//
// A step of a tensor core adds its products and the addend at once. It aligns them to the largest
// exponent. Of each, it keeps the 25 bits below that power of two. It adds these exactly and rounds
// the sum once. docs/design/matrices.md describes the model and the forms that consist of several
// steps.
//
// A factor is a significand, which is an f32 below 2, and an exponent. Products of significands are
// exact in f32, and so are their multiples by powers of two. The conversion to i32 drops the bits
// that a tensor core does not keep. A sum of at most 16 such products fits in an i32.
import { at, InternalError, missing } from '../../base/invariants.ts';
import type { ElementType, MatrixForm } from '../../isa/fragments.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name, type Stmt } from '../tree/nodes.ts';
import type { Arithmetic } from './mma-arithmetic.ts';
import { type FactorArrays, factorArrays } from './mma-factor-arrays.ts';
import type { Products } from './mma-fragments.ts';
import type { LaneFunction } from './words-function.ts';

/**
 * The exponent of the least normal number of each type. 8-bit factors are converted to f16 before
 * they are multiplied.
 */
const leastExponents: Readonly<Partial<Record<ElementType, number>>> = {
  f16: -14,
  e4m3: -14,
  e5m2: -14,
  bf16: -126,
  tf32: -126,
  f32: -126,
};
const leastOf = (type: ElementType): number => leastExponents[type] ?? missing('the least exponent of a type', type);

/** Whether the sums of a form depend on the hardware. */
export const hasTensorCoreSums = ({ types }: MatrixForm): boolean => leastExponents[types.a] !== undefined;

const isByte = (type: ElementType): boolean => type === 'e4m3' || type === 'e5m2';
const bits = (value: Expr): Expr => w.bitcast('u32', value);
const float = (word: Expr): Expr => w.bitcast('f32', word);

/**
 * Returns the statements that compute D, and the words of D. `addends` contains the addends of each
 * product.
 */
export function addAsTensorCore(
  form: MatrixForm,
  arithmetic: Arithmetic,
  given: Products,
  lane: LaneFunction,
  addends: readonly (readonly Expr[])[],
): { readonly stmts: readonly Stmt[]; readonly results: readonly Expr[] } {
  const arrays = factorArrays(form, arithmetic, given, lane, addends);
  const { stmts, results, element } = arrays;
  if (form.products === 4) {
    stmts.push(element.each([w.assign(element.result, chainSum(form, arrays))]));
  } else {
    const terms = new Terms(form, arrays);
    stmts.push(...terms.definitions(), element.each(terms.sum()));
  }
  const isHalf = form.types.d === 'f16';
  const words = isHalf ? results.map((value) => w.helper('f16_from_f32', 'u32', float(value))) : results;
  return {
    stmts,
    results: isHalf
      ? words.flatMap((low, index) =>
          index % 2 === 0 ? [w.or(low, w.shl(at(words, index + 1, 'the other half of a word'), w.u32(16)))] : [],
        )
      : words,
  };
}

/**
 * The bits of an element of `m8n8k4` with f16 factors. sm_90 computes this form with f32
 * multiply-adds, whose products are exact.
 */
function chainSum({ types }: MatrixForm, { element: { result, row, column } }: FactorArrays): Expr {
  const [x, y] = [row, column].map((list) => (k: number) => float(w.index(list, w.u32(k))));
  if (x === undefined || y === undefined) throw new InternalError('an element without factors');
  const multiplyAdd = (k: number, sum: Expr) => w.builtin('fma', 'f32', x(k), y(k), sum);
  if (types.d === 'f32') {
    const sum = [0, 1, 2, 3].reduce((before, k) => multiplyAdd(k, before), w.f32(0n));
    return w.helper('f32_add_to_chain', 'u32', result, sum);
  }
  const [first, second] = [multiplyAdd(1, w.mul(x(0), y(0))), multiplyAdd(3, w.mul(x(2), y(2)))];
  return bits(w.add(w.add(float(result), first), second));
}

/** Writes the sums of forms that consist of steps of a tensor core. */
class Terms {
  private readonly form: MatrixForm;
  private readonly arrays: FactorArrays;
  /** The significands and exponents of rows and columns. */
  private readonly parts: Readonly<
    Record<'rows' | 'columns', { readonly significands: Expr; readonly exponents: Expr }>
  >;

  constructor(form: MatrixForm, arrays: FactorArrays) {
    this.form = form;
    this.arrays = arrays;
    const part = (list: 'rows' | 'columns') => {
      const named = (hint: string, type: 'f32' | 'i32') =>
        w.ref(new Name(`${list}_${hint}`), w.array(w.array(type, form.k), arrays.counts[list]));
      return { significands: named('significands', 'f32'), exponents: named('exponents', 'i32') };
    };
    this.parts = { rows: part('rows'), columns: part('columns') };
  }

  /** The statements that split all factors. */
  definitions(): readonly Stmt[] {
    const { form, arrays } = this;
    return (['rows', 'columns'] as const).flatMap((list) => {
      const { significands, exponents } = this.parts[list];
      const least = leastOf(form.types[list === 'rows' ? 'a' : 'b']);
      const [i, k] = [new Name('i'), new Name('k')];
      const of = (base: Expr) => w.index(w.index(base, w.ref(i, 'u32')), w.ref(k, 'u32'));
      return [
        ...[significands, exponents].map((value) => w.variable(nameOf(value), value.type)),
        w.repeat(i, arrays.counts[list], [
          w.repeat(k, form.k, [
            w.assign(of(exponents), w.helper('tensor_exponent', 'i32', of(arrays[list]), w.i32(least))),
            w.assign(of(significands), w.helper('tensor_significand', 'f32', of(arrays[list]), of(exponents))),
          ]),
        ]),
      ];
    });
  }

  /**
   * Returns the statements that replace an element's addend by its sum. Both are bits of an f32.
   */
  sum(): readonly Stmt[] {
    const { types, k } = this.form;
    const { result } = this.arrays.element;
    if (!isByte(types.a)) return this.step(result, k, (index) => index);
    // The two elements in each half of a word are converted together, so each step multiplies the
    // elements of one half. The addend is added last.
    const [sum, half] = [new Name('sum'), new Name('half')];
    const total = w.ref(sum, 'u32');
    const indexIn = (index: Expr) =>
      w.add(
        w.add(w.shl(w.shr(index, w.u32(1)), w.u32(2)), w.and(index, w.u32(1))),
        w.shl(w.ref(half, 'u32'), w.u32(1)),
      );
    const whole =
      types.d === 'f16'
        ? bits(w.add(float(result), float(total)))
        : w.helper('soft_fma', 'u32', total, bits(w.f32(0x3f80_0000n)), result, w.u32(0));
    return [
      w.variable(sum, 'u32', w.u32(0)),
      w.repeat(half, 2, this.step(total, k / 2, indexIn)),
      w.assign(result, whole),
    ];
  }

  /**
   * Adds `count` products to `sum`, as one step of a tensor core. `indexIn` maps a product's number
   * in the step to its index along K.
   */
  private step(sum: Expr, count: number, indexIn: (index: Expr) => Expr): readonly Stmt[] {
    const { types } = this.form;
    const sumType = types.c === 'f32' || types.d === 'f32' ? 'f32' : 'f16';
    const [own, most, found, products] = ['exponent', 'largest', 'special', 'products'].map((hint) => new Name(hint));
    if (!own || !most || !found || !products) throw new InternalError('a step lacks its names');
    const [exponent, largest] = [w.ref(own, 'i32'), w.ref(most, 'i32')];
    const [special, total] = [w.ref(found, 'u32'), w.ref(products, 'i32')];
    const scale = (value: Expr) => w.helper('tensor_scale', 'f32', w.sub(value, largest));
    const addend = w.construct('i32', w.mul(w.helper('tensor_significand', 'f32', sum, exponent), scale(exponent)));
    return [
      w.define(own, w.helper('tensor_exponent', 'i32', sum, w.i32(leastOf(sumType)))),
      // `leastOf(sumType) - 7` is the smallest exponent to which terms are aligned.
      w.variable(most, 'i32', w.builtin('max', 'i32', exponent, w.i32(leastOf(sumType) - 7))),
      this.eachTerm(count, indexIn, ({ exponents }) => w.assign(largest, w.builtin('max', 'i32', largest, exponents))),
      w.when(
        w.gt(largest, w.i32(500)),
        [
          w.variable(found, 'u32', w.helper('tensor_special', 'u32', sum, bits(w.f32(0x3f80_0000n)))),
          this.eachTerm(count, indexIn, ({ x, y }) => w.update(special, '|', w.helper('tensor_special', 'u32', x, y))),
          w.assign(sum, w.helper('tensor_special_sum', 'u32', special)),
        ],
        [
          w.variable(products, 'i32', w.i32(0)),
          this.eachTerm(count, indexIn, ({ significands, exponents }) =>
            w.update(total, '+', w.construct('i32', w.mul(significands, scale(exponents)))),
          ),
          w.assign(sum, w.helper(sumType === 'f32' ? 'tensor_f32' : 'tensor_f16', 'u32', total, addend, largest)),
        ],
      ),
    ];
  }

  private eachTerm(count: number, indexIn: (index: Expr) => Expr, body: (term: Term) => Stmt): Stmt {
    const { rows, columns } = this.parts;
    const { row, column, rowNumber, columnNumber } = this.arrays.element;
    const name = new Name('k');
    const k = indexIn(w.ref(name, 'u32'));
    const of = (base: Expr, number: Expr) => w.index(w.index(base, number), k);
    return w.repeat(name, count, [
      body({
        x: w.index(row, k),
        y: w.index(column, k),
        significands: w.mul(of(rows.significands, rowNumber), of(columns.significands, columnNumber)),
        exponents: w.add(of(rows.exponents, rowNumber), of(columns.exponents, columnNumber)),
      }),
    ]);
  }
}

/** A product: the bits of its factors, the product of their significands, the sum of exponents. */
interface Term {
  readonly x: Expr;
  readonly y: Expr;
  readonly significands: Expr;
  readonly exponents: Expr;
}

function nameOf(value: Expr): Name {
  if (value.kind !== 'name') throw new InternalError('not a name');
  return value.name;
}
