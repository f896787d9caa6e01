// Products of matrices that lie in the registers of a warp. A lane computes its own elements of D; what it needs of A and B it gets from other lanes, by one
// exchange for each register of each of them. There is one WGSL function for each form of the instruction.
import { fragmentWords, type MatrixForm, matrixForm, registerElements } from '../../isa/fragments.ts';
import type { Mods } from '../../isa/index.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name, type Stmt } from '../tree/nodes.ts';
import { laneExpression, maskOf } from './lane-table.ts';
import { type Arithmetic, arithmeticOf } from './mma-arithmetic.ts';
import { type Piece, productSteps } from './mma-steps.ts';
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
    // C stays where it is.
    exchanged: counts.a + counts.b,
    results: fragmentWords(form, 'd'),
    args,
    body: (lane) => new ProductWriter(form, mods, counts, lane).write(),
  });
}

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
  private readonly stmts: Stmt[] = [];
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
    const sums = arithmetic.start(words).map((value, index) => {
      const name = new Name(`d${index}`);
      this.stmts.push(w.variable(name, arithmetic.sum, value));
      return w.ref(name, arithmetic.sum);
    });
    const { packed, steps } = productSteps(this.form);
    const length = steps[0]?.length ?? 0;
    for (let step = 0; step < length; step++) {
      sums.forEach((sum, element) => {
        const pieces = steps[element]?.[step];
        if (pieces === undefined) return;
        const [x, y] = [this.piece('a', pieces.a, packed), this.piece('b', pieces.b, packed)];
        x.forEach((factor, index) => {
          const other = y[index];
          if (other !== undefined) this.stmts.push(w.assign(sum, arithmetic.add(sum, factor, other)));
        });
      });
    }
    return { stmts: this.stmts, results: arithmetic.finish(sums, words) };
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
    const known = this.sources.get(key) ?? this.define('source', laneExpression(from, this.lane.number));
    this.sources.set(key, known);
    return known;
  }

  /// The parts of a register that another lane has.
  private register(operand: 'a' | 'b', register: number, from: readonly number[]): readonly Expr[] {
    const key = `${operand} ${register} ${from.join()}`;
    const known = this.factors.get(key);
    if (known !== undefined) return known;
    const each = this.form.types[operand] === 'f64' ? 2 : 1;
    const first = (operand === 'a' ? 0 : this.counts.a) + register * each;
    const source = this.source(from);
    const words = Array.from({ length: each }, (_, index) =>
      this.define(operand === 'a' ? 'row' : 'column', this.lane.fetch(first + index, source)),
    );
    const define = (value: Expr) => this.define(operand === 'a' ? 'x' : 'y', value);
    const factors = this.arithmetic.factors(operand, words, define).map(define);
    this.factors.set(key, factors);
    return factors;
  }

  private piece(operand: 'a' | 'b', { from, positions }: Piece, packed: boolean): readonly Expr[] {
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
