// Products of matrices that lie in the registers of a warp. A lane computes its own elements of D; what it needs of A and B it gets from other lanes, by one
// exchange for each register of each of them. There is one WGSL function for each form of the instruction.
import { fragmentWords, type MatrixForm, matrixForm, registerElements } from '../../isa/fragments.ts';
import type { Mods } from '../../isa/index.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name, type Stmt, type WgslType } from '../tree/nodes.ts';
import { laneExpression, maskOf } from './lane-table.ts';
import { type Arithmetic, arithmeticOf } from './mma-arithmetic.ts';
import { type Piece, productSteps, type Step } from './mma-steps.ts';
import type { WarpValue, WarpWriter } from './warp-writer.ts';
import { inMask } from './warp-writer.ts';
import type { LaneFunction } from './words-function.ts';

/// Writes an instruction: `args` are the words of A, then those of B, then those of C. The words of D.
export function multiplyMatrices(writer: WarpWriter, mods: Mods, args: readonly WarpValue[]): readonly WarpValue[] {
  const form = matrixForm(mods);
  const { shape = '', atype, btype, dtype, alayout, blayout, op, rnd, satfinite } = mods;
  const types = [atype, atype === btype ? undefined : btype, dtype, alayout, blayout, op, rnd, satfinite];
  const hint = ['mma', shape, ...types.filter((part) => part !== undefined)].join('_');
  const counts = { a: fragmentWords(form, 'a'), b: fragmentWords(form, 'b'), c: fragmentWords(form, 'c') };
  return writer.callWords({
    hint: mods.ctype === dtype ? hint : `${hint}_${mods.ctype}`,
    comment: `D = A * B + C, ${form.products === 1 ? '' : 'four times, '}of fragments in the registers of the warp.`,
    params: (['a', 'b', 'c'] as const).flatMap((name) =>
      Array.from({ length: counts[name] }, (_, index) => `${name}${index}`),
    ),
    exchanged: counts.a + counts.b + (productSteps(form).addends === undefined ? 0 : counts.c),
    results: fragmentWords(form, 'd'),
    args,
    body: (lane) => new ProductWriter(form, mods, counts, lane).write(),
  });
}

const wordHints = { a: 'row', b: 'column', c: 'addend' } as const;
const partHints = { a: 'x', b: 'y', c: 'z' } as const;

interface Counts {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/// The statements of one lane's part.
class ProductWriter {
  private readonly form: MatrixForm;
  private readonly counts: Counts;
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

  constructor(form: MatrixForm, mods: Mods, counts: Counts, lane: LaneFunction) {
    this.form = form;
    this.counts = counts;
    this.arithmetic = arithmeticOf(form, mods);
    this.lane = lane;
  }

  write(): { readonly stmts: readonly Stmt[]; readonly results: readonly Expr[] } {
    const { arithmetic, counts, lane } = this;
    const words = Array.from({ length: counts.c }, (_, index) => lane.own(counts.a + counts.b + index));
    const { packed, steps, run, addends } = productSteps(this.form);
    const own =
      addends === undefined ? arithmetic.start(words) : addends.flatMap((piece) => this.piece('c', piece, false));
    const sums = this.accumulators(own);
    // Where a lane is one of several of its invocation it looks up what others have, and a loop is as good and much shorter; so it is of long sums.
    const rolled = lane.isRolled || arithmetic.isLong === true ? run : 1;
    for (let step = 0; step < steps.length; step += rolled) {
      if (rolled === 1) this.step(sums, steps[step] ?? [], packed);
      else this.loop(rolled, () => this.step(sums, steps[step] ?? [], packed));
    }
    return { stmts: this.stmts, results: arithmetic.finish(sums, words) };
  }

  private accumulators(values: readonly Expr[]): readonly Expr[] {
    const { sum } = this.arithmetic;
    if (this.isLooped) {
      const all = this.variable('d', w.array(sum, values.length), values);
      return values.map((_, index) => w.index(all, w.u32(index)));
    }
    return values.map((value, index) => {
      const name = new Name(`d${index}`);
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
  private loopedStep(sums: readonly Expr[], pieces: readonly Step[], packed: boolean): void {
    const { arithmetic } = this;
    const type = w.array(arithmetic.sum, sums.length);
    const [first] = sums;
    if (first?.kind !== 'index') return;
    const x = this.variable(
      'x',
      type,
      pieces.flatMap(({ a }) => this.piece('a', a, packed)),
    );
    const y = this.variable(
      'y',
      type,
      pieces.flatMap(({ b }) => this.piece('b', b, packed)),
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

  private step(sums: readonly Expr[], pieces: readonly Step[], packed: boolean): void {
    if (this.isLooped) {
      this.loopedStep(sums, pieces, packed);
      return;
    }
    sums.forEach((sum, element) => {
      const own = pieces[element];
      if (own === undefined) return;
      const [x, y] = [this.piece('a', own.a, packed), this.piece('b', own.b, packed)];
      for (const value of this.arithmetic.add(sum, x, y)) this.stmts.push(w.assign(sum, value));
    });
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
    this.sources.clear();
    this.turn = undefined;
    const inner = this.stmts;
    this.stmts = stmts;
    this.stmts.push(...this.bases.splice(0), w.repeat(name, count, inner));
  }

  private define(hint: string, value: Expr): Expr {
    if (value.kind === 'name' || value.kind === 'literal') return value;
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
  private register(operand: 'a' | 'b' | 'c', register: number, from: readonly number[]): readonly Expr[] {
    const key = `${operand} ${register} ${from.join()}`;
    const known = this.factors.get(key);
    if (known !== undefined) return known;
    const each = this.form.types[operand] === 'f64' ? 2 : 1;
    const { a, b } = this.counts;
    const first = { a: 0, b: a, c: a + b }[operand] + register * each;
    const source = this.source(from);
    const words = Array.from({ length: each }, (_, index) =>
      this.define(wordHints[operand], this.lane.fetch(first + index, source)),
    );
    const define = (value: Expr) => this.define(partHints[operand], value);
    const parts = operand === 'c' ? this.arithmetic.start(words) : this.arithmetic.factors(operand, words, define);
    const factors = parts.map(define);
    this.factors.set(key, factors);
    return factors;
  }

  private piece(operand: 'a' | 'b' | 'c', { from, positions }: Piece, packed: boolean): readonly Expr[] {
    const size = registerElements(this.form.types[operand]);
    if (packed) return this.register(operand, (positions[0] ?? 0) / size, from);
    // Which element it is differs by lane: each that it may be is fetched.
    const candidates = [...new Set(positions)].sort((x, y) => x - y);
    const values = candidates.flatMap((position) => {
      const value = this.register(operand, Math.floor(position / size), from)[position % size];
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
