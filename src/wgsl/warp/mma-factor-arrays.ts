// Arrays of the factors of each element of D in a lane, for sums that are computed one after
// another.
import { at, InternalError } from '../../base/invariants.ts';
import type { MatrixForm } from '../../isa/fragments.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name, type Stmt } from '../tree/nodes.ts';
import type { Arithmetic } from './mma-arithmetic.ts';
import { FragmentReader, type Products } from './mma-fragments.ts';
import { productSteps } from './mma-steps.ts';
import type { LaneFunction } from './words-function.ts';

export interface FactorArrays {
  /** The statements that fetch the factors and define the arrays. */
  readonly stmts: Stmt[];
  /**
   * The different rows of A and columns of B. Each is an array of factors, which are the bits of
   * f32 values in the order of K.
   */
  readonly rows: Expr;
  readonly columns: Expr;
  /** The number of rows and the number of columns. */
  readonly counts: { readonly rows: number; readonly columns: number };
  /** For each element of D, a variable that contains the bits of its addend. */
  readonly results: readonly Expr[];
  /** The current element of D in the loop that `each` creates. */
  readonly element: {
    readonly each: (body: readonly Stmt[]) => Stmt;
    readonly result: Expr;
    /**
     * The arrays of the element's factors, and the indexes of these arrays in `rows` and `columns`.
     */
    readonly row: Expr;
    readonly column: Expr;
    readonly rowNumber: Expr;
    readonly columnNumber: Expr;
  };
}

/** Collects the factors of the elements of D. `sums` contains the addends of each product. */
export function factorArrays(
  form: MatrixForm,
  arithmetic: Arithmetic,
  given: Products,
  lane: LaneFunction,
  sums: readonly (readonly Expr[])[],
): FactorArrays {
  const factors: Arithmetic['factors'] = (...args) => arithmetic.factors(...args).map(bits);
  const reader = new FragmentReader(form, { ...arithmetic, factors }, given, lane);
  const { packed, steps } = productSteps(form);
  const [rowLists, columnLists] = [new FactorLists(), new FactorLists()];
  const places = given.products.flatMap(([a, b], product) =>
    at(sums, product, 'the sums of a product').map((_, element) => {
      const own = steps.map((step) => at(step, element, 'an element of D'));
      const list = (operand: 'a' | 'b', fragment: number) => () =>
        own.flatMap((step) => reader.piece(operand, fragment, step[operand], packed, a));
      const keyOf = (operand: 'a' | 'b', fragment: number) =>
        JSON.stringify([fragment, own.map((step) => step[operand]), form.selector === undefined ? 0 : a]);
      return {
        row: rowLists.numberOf(keyOf('a', a), list('a', a)),
        column: columnLists.numberOf(keyOf('b', b), list('b', b)),
      };
    }),
  );
  const { stmts } = reader;
  const named = (hint: string, values: readonly Expr[]): Expr => {
    const [first] = values;
    if (first === undefined) throw new InternalError(`no ${hint} of a product`);
    const name = new Name(hint);
    const type = w.array(first.type, values.length);
    stmts.push(w.variable(name, type, w.construct(type, ...values)));
    return w.ref(name, type);
  };
  const all = sums.flat();
  const [rows, columns] = [named('rows', rowLists.arrays), named('columns', columnLists.arrays)];
  const numbersOf = (hint: string, values: readonly number[]) =>
    named(
      hint,
      values.map((value) => w.u32(value)),
    );
  const rowOf = numbersOf('row_of', places.map(({ row }) => row)); // biome-ignore format: one line
  const columnOf = numbersOf('column_of', places.map(({ column }) => column)); // biome-ignore format: one line
  const results = named('exact', all.map(bits));
  const name = new Name('e');
  const e = w.ref(name, 'u32');
  const [rowNumber, columnNumber] = [w.index(rowOf, e), w.index(columnOf, e)];
  return {
    stmts,
    rows,
    columns,
    counts: { rows: rowLists.arrays.length, columns: columnLists.arrays.length },
    results: all.map((_, index) => w.index(results, w.u32(index))),
    element: {
      each: (body) => w.repeat(name, all.length, body),
      result: w.index(results, e),
      row: w.index(rows, rowNumber),
      column: w.index(columns, columnNumber),
      rowNumber,
      columnNumber,
    },
  };
}

const bits = (value: Expr): Expr => w.bitcast('u32', value);

/** The different rows or columns of factors. Each is an array. */
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
