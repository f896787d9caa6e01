// Products of matrices that lie in the registers of a warp. A lane computes its own elements of D; what it needs of A and B it gets from other lanes, by one
// exchange for each register of each of them. There is one WGSL function for each form of the instruction.
import { fragmentWords, type MatrixForm, matrixForm, registerElements } from '../../isa/fragments.ts';
import type { Mods } from '../../isa/index.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name, type Stmt, type WgslType } from '../tree/nodes.ts';
import { laneExpression, maskOf } from './lane-table.ts';
import { type Arithmetic, arithmeticOf } from './mma-arithmetic.ts';
import { isTwoByTwo, type Piece, productSteps, type Step } from './mma-steps.ts';
import type { WarpValue, WarpWriter } from './warp-writer.ts';
import { inMask } from './warp-writer.ts';
import type { LaneFunction } from './words-function.ts';

/// Which A and which B a product is of.
export type FactorPair = readonly [a: number, b: number];

const single: readonly FactorPair[] = [[0, 0]];

/// Writes an instruction: `args` are the words of A, then those of B, then those of C. The words of D. Of several products: the words of all A, of all B, and
/// of the C of each; of the D of each.
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
  const arithmetic = arithmeticOf(form, mods, writer.anyNaN);
  const exchanged = counts.a * words.a + counts.b * words.b;
  return writer.callWords({
    hint: hintOf(mods, products, counts),
    comment: commentOf(form, products),
    params: (['a', 'b', 'c'] as const).flatMap((name) =>
      Array.from({ length: counts[name] * words[name] }, (_, index) => `${name}${index}`),
    ),
    exchanged: exchanged + (productSteps(form).addends === undefined ? 0 : counts.c * words.c),
    results: fragmentWords(form, 'd') * products.length,
    args,
    body: (lane) => new ProductWriter(form, arithmetic, { words, counts, products }, lane).write(),
  });
}

/// A name for each form and each choice of factors.
function hintOf(mods: Mods, products: readonly FactorPair[], counts: Counts): string {
  const { shape = '', atype, btype, dtype, alayout, blayout, op, rnd, satfinite } = mods;
  const types = [atype, atype === btype ? undefined : btype, dtype, alayout, blayout, op, rnd, satfinite];
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
    return `D = A * B + C, ${form.products === 1 ? '' : 'four times, '}of fragments in the registers of the warp.`;
  return `${products.length} times D = A * B + C, of fragments in the registers of the warp.`;
}

const wordHints = { a: 'row', b: 'column', c: 'addend' } as const;
const vectorHints = { a: 'rows', b: 'columns' } as const;
const partHints = { a: 'x', b: 'y', c: 'z' } as const;

interface Counts {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

interface Products {
  /// Words of a fragment of each operand, and how many fragments there are.
  readonly words: Counts;
  readonly counts: Counts;
  readonly products: readonly FactorPair[];
}

const vectorType = w.vector('f32', 4);
const letters = 'xyzw';

/// The statements of one lane's part.
class ProductWriter {
  private readonly form: MatrixForm;
  private readonly given: Products;
  private readonly arithmetic: Arithmetic;
  private readonly lane: LaneFunction;
  private stmts: Stmt[] = [];
  /// In a loop: how often it has run.
  private turn: Expr | undefined;
  /// The lanes that loops begin with, by table, and those that are to be named in front of the loop that is written.
  private readonly named = new Map<string, Name>();
  private readonly bases: Stmt[] = [];
  private readonly sources = new Map<string, Expr>();
  private readonly factors = new Map<string, readonly Expr[]>();
  private readonly vectorsOf = new Map<string, readonly Expr[]>();
  /// Whether the elements of D that a lane has are one vector.
  private readonly isVector: boolean;

  constructor(form: MatrixForm, arithmetic: Arithmetic, given: Products, lane: LaneFunction) {
    this.form = form;
    this.given = given;
    this.arithmetic = arithmetic;
    this.isVector = arithmetic.takesVectors === true && isTwoByTwo(productSteps(form));
    this.lane = lane;
  }

  write(): { readonly stmts: readonly Stmt[]; readonly results: readonly Expr[] } {
    const { arithmetic, lane } = this;
    const { words, counts, products } = this.given;
    const addend = counts.a * words.a + counts.b * words.b;
    const { packed, steps, run, addends } = productSteps(this.form);
    const parts = products.map((pair, product) => {
      const own = Array.from({ length: words.c }, (_, index) => lane.own(addend + product * words.c + index));
      const start =
        addends === undefined
          ? arithmetic.start(own)
          : addends.flatMap((piece) => this.piece('c', product, piece, false));
      return { pair, own, sums: this.accumulators(start, product) };
    });
    // Where a lane is one of several of its invocation it looks up what others have, and a loop is as good and much shorter; so it is of long sums.
    const rolled = lane.isRolled || arithmetic.isLong === true ? run : 1;
    const step = (index: number) => {
      for (const { pair, sums } of parts) this.step(sums, steps[index] ?? [], pair, packed);
    };
    for (let index = 0; index < steps.length; index += rolled) {
      if (rolled === 1) step(index);
      else this.loop(rolled, () => step(index));
    }
    return { stmts: this.stmts, results: parts.flatMap(({ sums, own }) => arithmetic.finish(sums, own)) };
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
      this.stmts.push(w.variable(name, sum, value));
      return w.ref(name, sum);
    });
  }

  /// Whether the elements of D are computed in a loop.
  private get isLooped(): boolean {
    return this.arithmetic.isLong === true;
  }

  private variable(hint: string, type: WgslType, values: readonly Expr[]): Expr {
    const name = new Name(hint);
    this.stmts.push(w.variable(name, type, w.construct(type, ...values)));
    return w.ref(name, type);
  }

  /// As `step`, element after element of D in a loop; each register has one part.
  private loopedStep(sums: readonly Expr[], pieces: readonly Step[], [i, j]: FactorPair, packed: boolean): void {
    const { arithmetic } = this;
    const type = w.array(arithmetic.sum, sums.length);
    const [first] = sums;
    if (first?.kind !== 'index') return;
    const x = this.variable(
      'x',
      type,
      pieces.flatMap(({ a }) => this.piece('a', i, a, packed)),
    );
    const y = this.variable(
      'y',
      type,
      pieces.flatMap(({ b }) => this.piece('b', j, b, packed)),
    );
    const name = new Name('e');
    const e = w.ref(name, 'u32');
    const sum = w.index(first.base, e);
    const values = arithmetic.add(sum, [w.index(x, e)], [w.index(y, e)]);
    this.stmts.push(
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
      const [x, y] = [this.piece('a', pair[0], own.a, packed), this.piece('b', pair[1], own.b, packed)];
      for (const value of this.arithmetic.add(sum, x, y)) this.stmts.push(w.assign(sum, value));
    });
  }

  /// As `step`, all elements of D at once.
  private vectorStep([first]: readonly Expr[], [low, right, below]: readonly Step[], [i, j]: FactorPair): void {
    if (first?.kind !== 'member' || low === undefined || right === undefined || below === undefined) return;
    const x = this.vectors('a', i, [low.a, below.a], [0, 0, 1, 1]);
    const y = this.vectors('b', j, [low.b, right.b], [0, 1, 0, 1]);
    for (const value of this.arithmetic.add(first.base, x, y)) this.stmts.push(w.assign(first.base, value));
  }

  /// Of each part of two registers, a vector that has it as often as elements of D need it.
  private vectors(
    operand: 'a' | 'b',
    fragment: number,
    pieces: readonly Piece[],
    order: readonly number[],
  ): readonly Expr[] {
    const key = `${operand} ${fragment} ${pieces.map(({ from, positions }) => `${from.join()} ${positions.join()}`).join(' ')}`;
    const known = this.vectorsOf.get(key);
    if (known !== undefined) return known;
    const registers = pieces.map((piece) => this.piece(operand, fragment, piece, true));
    const made = (registers[0] ?? []).map((_, part) => {
      const values = order.map((index) => registers[index]?.[part] ?? w.f32(0n));
      return this.define(vectorHints[operand], w.construct(vectorType, ...values));
    });
    this.vectorsOf.set(key, made);
    return made;
  }

  /// Statements of a loop, in which pieces are in one lane after the other.
  private loop(count: number, body: () => void): void {
    const { stmts } = this;
    const name = new Name('t');
    this.stmts = [];
    this.turn = w.ref(name, 'u32');
    body();
    // What the body has fetched is its own.
    this.factors.clear();
    this.vectorsOf.clear();
    this.sources.clear();
    this.turn = undefined;
    const inner = this.stmts;
    this.stmts = stmts;
    this.stmts.push(...this.bases.splice(0), w.repeat(name, count, inner));
  }

  private define(hint: string, value: Expr): Expr {
    // A component of a vector that has a name needs none.
    if (value.kind === 'name' || value.kind === 'literal' || value.kind === 'member') return value;
    const name = new Name(hint);
    this.stmts.push(w.define(name, value));
    return w.ref(name, value.type);
  }

  /// The number of the lane that has a piece.
  private source(from: readonly number[]): Expr {
    const key = from.join();
    const known = this.sources.get(key) ?? this.sourceOf(key, laneExpression(from, this.lane.number));
    this.sources.set(key, known);
    return known;
  }

  private sourceOf(key: string, lane: Expr): Expr {
    if (this.turn === undefined) return this.define('source', lane);
    const name = this.named.get(key) ?? new Name('first');
    if (!this.named.has(key)) this.bases.push(w.define(name, lane));
    this.named.set(key, name);
    return this.define('source', w.add(w.ref(name, 'u32'), this.turn));
  }

  /// The parts of a register that another lane has.
  private register(
    operand: 'a' | 'b' | 'c',
    fragment: number,
    register: number,
    from: readonly number[],
  ): readonly Expr[] {
    const key = `${operand} ${fragment} ${register} ${from.join()}`;
    const known = this.factors.get(key);
    if (known !== undefined) return known;
    const factors = this.partsOf(operand, this.wordsOf(operand, fragment, register, from));
    this.factors.set(key, factors);
    return factors;
  }

  /// The words of a register that another lane has.
  private wordsOf(
    operand: 'a' | 'b' | 'c',
    fragment: number,
    register: number,
    from: readonly number[],
  ): readonly Expr[] {
    const each = this.form.types[operand] === 'f64' ? 2 : 1;
    const { words, counts } = this.given;
    const [b, c] = [counts.a * words.a, counts.a * words.a + counts.b * words.b];
    const first = { a: 0, b, c }[operand] + fragment * words[operand] + register * each;
    const source = this.source(from);
    return Array.from({ length: each }, (_, index) =>
      this.define(wordHints[operand], this.lane.fetch(first + index, source)),
    );
  }

  private partsOf(operand: 'a' | 'b' | 'c', words: readonly Expr[]): readonly Expr[] {
    const define = (value: Expr) => this.define(partHints[operand], value);
    const parts = operand === 'c' ? this.arithmetic.start(words) : this.arithmetic.factors(operand, words, define);
    return parts.map(define);
  }

  /// The parts of the register that a lane chooses among several. To choose before they are taken apart is shorter; and of halves that are chosen
  /// afterwards, as addends, NVIDIA's driver has taken some for zero.
  private chosenRegister(
    operand: 'a' | 'b' | 'c',
    fragment: number,
    choices: readonly { readonly register: number; readonly lanes: bigint }[],
    from: readonly number[],
  ): readonly Expr[] {
    const key = `${operand} ${fragment} ${choices.map(({ register, lanes }) => `${register}:${lanes}`).join(' ')} ${from.join()}`;
    const known = this.factors.get(key);
    if (known !== undefined) return known;
    const [first = [], ...others] = choices.map(({ register }) => this.wordsOf(operand, fragment, register, from));
    const words = first.map((word, index) =>
      others.reduce(
        (chosen, other, at) =>
          w.select(inMask(this.lane.number, choices[at + 1]?.lanes ?? 0n), other[index] ?? chosen, chosen),
        word,
      ),
    );
    const parts = this.partsOf(
      operand,
      words.map((word) => this.define(wordHints[operand], word)),
    );
    this.factors.set(key, parts);
    return parts;
  }

  private piece(
    operand: 'a' | 'b' | 'c',
    fragment: number,
    { from, positions }: Piece,
    packed: boolean,
  ): readonly Expr[] {
    const size = registerElements(this.form.types[operand]);
    if (packed) return this.register(operand, fragment, (positions[0] ?? 0) / size, from);
    // Which element it is differs by lane: each that it may be is fetched.
    const candidates = [...new Set(positions)].sort((x, y) => x - y);
    const [part = 0] = candidates.map((position) => position % size);
    if (size > 1 && candidates.length > 1 && candidates.every((position) => position % size === part)) {
      const choices = candidates.map((position) => ({
        register: Math.floor(position / size),
        lanes: maskOf(positions, (own) => Math.floor(own / size) === Math.floor(position / size)),
      }));
      const value = this.chosenRegister(operand, fragment, choices, from)[part];
      return value === undefined ? [] : [value];
    }
    const values = candidates.flatMap((position) => {
      const value = this.register(operand, fragment, Math.floor(position / size), from)[position % size];
      return value === undefined ? [] : [{ position, value }];
    });
    const [first, ...others] = values;
    if (first === undefined) return [];
    return [
      others.reduce(
        (chosen, { position, value }) =>
          w.select(
            inMask(
              this.lane.number,
              maskOf(positions, (own) => own === position),
            ),
            value,
            chosen,
          ),
        first.value,
      ),
    ];
  }
}
