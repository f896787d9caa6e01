// Matrix products whose operands are in the registers of a warp. A lane computes its own elements
// of D. It reads the elements of A and B from other lanes, with one exchange for each register.
// Each form of the instruction has one WGSL function.
import { at as element } from '../../base/invariants.ts';
import { fragmentWords, type MatrixForm, matrixForm } from '../../isa/fragments.ts';
import type { Mods } from '../../isa/index.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name, type Stmt, type WgslType } from '../tree/nodes.ts';
import { type Arithmetic, arithmeticOf } from './mma-arithmetic.ts';
import { extremeTerms, lostTerms } from './mma-flags.ts';
import { type Counts, type FactorPair, FragmentReader, type Products, vectorType } from './mma-fragments.ts';
import { quadSums } from './mma-quad-sums.ts';
import { columnPieces, isTwoByTwo, productSteps, type Step } from './mma-steps.ts';
import { addExactly, lostSubnormals, scaleAddends } from './mma-subnormals.ts';
import { addAsTensorCore, exchangesPowers } from './mma-tensor-core.ts';
import { hasTensorCoreSteps, hasTensorCoreSums } from './mma-tensor-core-forms.ts';
import { after, powersOf, resultWords } from './mma-tensor-core-words.ts';
import type { WarpValue, WarpWriter } from './warp-writer.ts';
import type { LaneFunction } from './words-function.ts';

const single: readonly FactorPair[] = [[0, 0]];

/**
 * Writes an instruction. `args` are the words of A, then of B, then of C; returns the words of D.
 * For several products, `args` are the words of all A, all B and all C; returns the words of all D.
 */
export function multiplyMatrices(
  writer: WarpWriter,
  mods: Mods,
  args: readonly WarpValue[],
  products: readonly FactorPair[] = single,
): readonly WarpValue[] {
  const form = matrixForm(mods);
  const words = { a: fragmentWords(form, 'a'), b: fragmentWords(form, 'b'), c: fragmentWords(form, 'c') };
  const counts = {
    a: Math.max(...products.map(([a]) => a)) + 1,
    b: Math.max(...products.map(([, b]) => b)) + 1,
    c: products.length,
  };
  const exchanged = counts.a * words.a + counts.b * words.b;
  const asTensorCore = writer.matrix === 'hopper' && hasTensorCoreSums(form);
  const isStepped = asTensorCore && hasTensorCoreSteps(form);
  const operands = {
    a: args.slice(0, counts.a * words.a),
    b: args.slice(counts.a * words.a, exchanged),
    c: args.slice(exchanged),
  };
  const powers = isStepped && exchangesPowers(form) ? powersOf(writer, form, operands) : [];
  const flag = isStepped
    ? [extremeTerms(writer, form, operands)]
    : asTensorCore
      ? []
      : [lostTerms(writer, form, operands)].filter((value) => value !== undefined);
  const mapsZeros = writer.isExact && !(writer.flushes && lostSubnormals(form) !== undefined);
  const arithmetic = arithmeticOf(form, mods, { anyNaN: writer.anyNaN, mapsZeros, packsHalf: writer.packsHalf });
  const hint = hintOf(mods, products, counts);
  return writer.callWords({
    hint: asTensorCore ? `${hint}_hopper` : flag.length > 0 ? `${hint}_guarded` : hint,
    comment: commentOf(form, products) + (asTensorCore ? ' Sums as on sm_90.' : ''),
    params: [
      ...powers.map(() => 'powers'),
      ...(['a', 'b', 'c'] as const).flatMap((name) =>
        Array.from({ length: counts[name] * words[name] }, (_, index) => `${name}${index}`),
      ),
      ...flag.map(() => 'special'),
    ],
    exchanged: powers.length + exchanged + (productSteps(form).addends === undefined ? 0 : counts.c * words.c),
    results: fragmentWords(form, 'd') * products.length,
    args: [...powers, ...args, ...flag],
    body: (all) => {
      const lane = powers.length === 0 ? all : after(all, powers.length);
      const given = { words, counts, products };
      const product = new ProductWriter(form, arithmetic, given, lane, flag.length > 0, writer.packsHalf);
      return asTensorCore ? product.writeAsTensorCore(powers.length === 0 ? lane : all) : product.write();
    },
  });
}

/** Returns a name for each combination of a form and a selection of factors. */
function hintOf(mods: Mods, products: readonly FactorPair[], counts: Counts): string {
  const { shape = '', atype, btype, dtype, alayout, blayout, op, rnd, satfinite, warpgroup, selector } = mods;
  const second = atype === btype ? undefined : btype;
  const sparse = mods.metadata === undefined ? [] : ['sparse', selector];
  const types = [atype, second, dtype, alayout, blayout, op, rnd, satfinite, warpgroup, ...sparse];
  const hint = ['mma', shape, ...types.filter((part) => part !== undefined)].join('_');
  const own = mods.ctype === dtype ? hint : `${hint}_${mods.ctype}`;
  if (products.length === 1) return own;
  const isGrid =
    products.length === counts.a * counts.b &&
    products.every(([a, b], index) => a === Math.floor(index / counts.b) && b === index % counts.b);
  return isGrid ? `${own}_of_${counts.a}x${counts.b}` : `${own}_of_${products.map((pair) => pair.join('x')).join('_')}`;
}

function commentOf(form: MatrixForm, products: readonly FactorPair[]): string {
  if (products.length === 1)
    return `D = A * B + C${form.products === 1 ? '' : ', four times,'} of fragments in the registers of the warp.`;
  return `${products.length} products D = A * B + C of fragments in the registers of the warp.`;
}

const letters = 'xyzw';

/** Emits the statements for one lane. */
class ProductWriter {
  private readonly form: MatrixForm;
  private readonly given: Products;
  private readonly arithmetic: Arithmetic;
  private readonly lane: LaneFunction;
  private readonly reader: FragmentReader;
  /** Whether the elements of D in a lane form one vector. */
  private readonly isVector: boolean;
  /**
   * Whether the last argument selects between exact sums and the sums of the adapter's arithmetic.
   */
  private readonly isGuarded: boolean;
  private readonly packsHalf: boolean;

  constructor(
    form: MatrixForm,
    arithmetic: Arithmetic,
    given: Products,
    lane: LaneFunction,
    isGuarded: boolean,
    packsHalf: boolean,
  ) {
    this.isGuarded = isGuarded;
    this.packsHalf = packsHalf;
    this.form = form;
    this.given = given;
    this.arithmetic = arithmetic;
    this.isVector = arithmetic.takesVectors === true && isTwoByTwo(productSteps(form));
    this.lane = lane;
    this.reader = new FragmentReader(form, arithmetic, given, lane);
  }

  /** Returns a product's words of C, and the initial sums of the product's elements of D. */
  private addends(product: number): { readonly own: readonly Expr[]; readonly start: readonly Expr[] } {
    const { words, counts } = this.given;
    const first = counts.a * words.a + counts.b * words.b + product * words.c;
    const own = Array.from({ length: words.c }, (_, index) => this.lane.own(first + index));
    const { addends } = productSteps(this.form);
    const start =
      addends === undefined
        ? this.arithmetic.start(own)
        : addends.flatMap((piece) => this.reader.piece('c', product, piece, false));
    return { own, start };
  }

  /**
   * Emits the product with the sums of sm_90's tensor cores. `powers` returns, for each factor, the
   * power of two by which tensor cores align it.
   */
  writeAsTensorCore(powers: LaneFunction): { readonly stmts: readonly Stmt[]; readonly results: readonly Expr[] } {
    const { form, arithmetic, given, lane, reader } = this;
    const addends = given.products.map((_, product) => this.addends(product).start);
    if (!hasTensorCoreSteps(form)) {
      const results = quadSums(form, reader, given, addends);
      return { stmts: reader.stmts, results: resultWords(form, results, this.packsHalf) };
    }
    const variables = addends.map((own, product) =>
      w.localVariable(`d${product}`, w.vec4u, w.construct(w.vec4u, ...own.map((value) => w.bitcast('u32', value)))),
    );
    const sums = variables.map(([variable]) => variable);
    const { words, counts, products } = given;
    const flag = lane.own(counts.a * words.a + counts.b * words.b + products.length * words.c);
    const lanes = { factors: lane, powers };
    return {
      stmts: [
        ...reader.stmts,
        ...variables.map(([, definition]) => definition),
        ...addAsTensorCore(form, arithmetic, given, lanes, sums, w.ne(flag, w.u32(0))),
      ],
      results: resultWords(
        form,
        sums.flatMap((sum) => [...letters].map((letter) => w.swizzle(sum, letter))),
        this.packsHalf,
      ),
    };
  }

  write(): { readonly stmts: readonly Stmt[]; readonly results: readonly Expr[] } {
    const { arithmetic, lane, reader } = this;
    const { words, counts, products } = this.given;
    const addend = counts.a * words.a + counts.b * words.b;
    const { packed, steps, run } = productSteps(this.form);
    const parts = products.map((pair, product) => {
      const { own, start } = this.addends(product);
      return { pair, own, sums: this.accumulators(start, product) };
    });
    // If an invocation contains several lanes, each lane reads from an array, so a loop is as fast
    // as unrolled code and much shorter. The same is true for long sums.
    const rolled = lane.isRolled || arithmetic.isLong === true ? run : 1;
    const step = (index: number) => {
      for (const { pair, sums } of parts) this.step(sums, element(steps, index, 'a step'), pair, packed);
    };
    const addAll = () => {
      for (let index = 0; index < steps.length; index += rolled) {
        if (rolled === 1) step(index);
        else reader.loop(rolled, () => step(index));
      }
    };
    if (!this.isGuarded) addAll();
    else {
      const flag = w.ne(lane.own(addend + products.length * words.c), w.u32(0));
      const sums = parts.map((part) => part.sums);
      if (lostSubnormals(this.form) === 'terms') {
        const exact = addExactly(this.form, arithmetic, this.given, lane, sums);
        reader.stmts.push(w.when(flag, exact, reader.inBlock(addAll)));
      } else {
        const { before, after } = scaleAddends(flag, sums.flat());
        reader.stmts.push(...before);
        addAll();
        reader.stmts.push(after);
      }
    }
    return { stmts: reader.stmts, results: parts.flatMap(({ sums, own }) => arithmetic.finish(sums, own)) };
  }

  private accumulators(values: readonly Expr[], product: number): readonly Expr[] {
    const { sum } = this.arithmetic;
    if (this.isVector) {
      const all = this.variable(`d${product}`, vectorType, values);
      return [...letters].map((letter) => w.swizzle(all, letter));
    }
    if (this.isLooped) {
      const all = this.variable('d', w.array(sum, values.length), values);
      return values.map((_, index) => w.index(all, w.u32(index)));
    }
    return values.map((value, index) => {
      const name = new Name(`d${product * values.length + index}`);
      this.reader.stmts.push(w.variable(name, sum, value));
      return w.ref(name, sum);
    });
  }

  /** Whether a loop computes the elements of D. */
  private get isLooped(): boolean {
    return this.arithmetic.isLong === true;
  }

  private variable(hint: string, type: WgslType, values: readonly Expr[]): Expr {
    const name = new Name(hint);
    this.reader.stmts.push(w.variable(name, type, w.construct(type, ...values)));
    return w.ref(name, type);
  }

  /**
   * Emits the same sums as `step`, with a loop over the elements of D. Each register has one part.
   */
  private loopedStep(sums: readonly Expr[], pieces: readonly Step[], [i, j]: FactorPair, packed: boolean): void {
    const { arithmetic } = this;
    const type = w.array(arithmetic.sum, sums.length);
    const [first] = sums;
    if (first?.kind !== 'index') return;
    const x = this.variable(
      'x',
      type,
      pieces.flatMap(({ a }) => this.reader.piece('a', i, a, packed)),
    );
    const y = this.variable(
      'y',
      type,
      pieces.flatMap(({ b }) => this.reader.piece('b', j, b, packed)),
    );
    const name = new Name('e');
    const e = w.ref(name, 'u32');
    const sum = w.index(first.base, e);
    const values = arithmetic.add(sum, [w.index(x, e)], [w.index(y, e)]);
    this.reader.stmts.push(
      w.repeat(
        name,
        sums.length,
        values.map((value) => w.assign(sum, value)),
      ),
    );
  }

  private step(sums: readonly Expr[], pieces: readonly Step[], pair: FactorPair, packed: boolean): void {
    if (this.isLooped) {
      this.loopedStep(sums, pieces, pair, packed);
      return;
    }
    if (this.isVector) {
      this.vectorStep(sums, pieces, pair);
      return;
    }
    sums.forEach((sum, element) => {
      const own = pieces[element];
      if (own === undefined) return;
      const x = this.reader.piece('a', pair[0], own.a, packed);
      const y = this.reader.piece('b', pair[1], own.b, packed, pair[0]);
      for (const value of this.arithmetic.add(sum, x, y)) this.reader.stmts.push(w.assign(sum, value));
    });
  }

  /** Emits the same sums as `step`, for all elements of D at once. */
  private vectorStep([first]: readonly Expr[], step: readonly Step[], [i, j]: FactorPair): void {
    const [low, , below] = step;
    if (first?.kind !== 'member' || low === undefined || below === undefined) return;
    const x = this.reader.vectors('a', i, [low.a, below.a], [0, 0, 1, 1]);
    const { pieces, order } = columnPieces(step);
    const y = this.reader.vectors('b', j, pieces, order, i);
    for (const value of this.arithmetic.add(first.base, x, y)) this.reader.stmts.push(w.assign(first.base, value));
  }
}
