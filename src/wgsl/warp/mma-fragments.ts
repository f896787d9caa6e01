// Reads the elements of A, B and C that a lane needs from the registers of other lanes, with one
// exchange for each register.
import { at, missing } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import { type MatrixForm, registerCount, registerElements } from '../../isa/fragments.ts';
import { unitBits } from '../../isa/sparsity-selectors.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name, type Stmt } from '../tree/nodes.ts';
import { laneExpression, maskOf } from './lane-table.ts';
import type { Arithmetic } from './mma-arithmetic.ts';
import type { Metadata, Piece } from './mma-steps.ts';
import { inMask } from './warp-writer.ts';
import type { LaneFunction } from './words-function.ts';

/** The factors of a product: the index of a matrix A, and the index of a matrix B. */
export type FactorPair = readonly [a: number, b: number];

export interface Counts {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export interface Products {
  /** The number of words in a fragment of each operand, and the number of fragments. */
  readonly words: Counts;
  readonly counts: Counts;
  readonly products: readonly FactorPair[];
}

type Operand = 'a' | 'b' | 'c';

const wordHints = { a: 'row', b: 'column', c: 'addend' } as const;
const vectorHints = { a: 'rows', b: 'columns' } as const;
const partHints = { a: 'x', b: 'y', c: 'z' } as const;

export const vectorType = w.vector('f32', 4);

type SparsePiece = Piece & { readonly metadata: Metadata };
const isSparse = (piece: Piece): piece is SparsePiece => piece.metadata !== undefined;

/** Returns a text that is different for pieces of B with different metadata. */
const metadataKey = (piece: Piece, left: number): string =>
  isSparse(piece) ? `${left} ${piece.metadata.from.join()} ${piece.metadata.shift}` : '';

/**
 * Reads pieces when they are first needed. Each piece is read once, with statements that are
 * appended to `stmts`.
 */
export class FragmentReader {
  private readonly form: MatrixForm;
  private readonly given: Products;
  private readonly arithmetic: Arithmetic;
  private readonly lane: LaneFunction;
  /**
   * The statements under construction: those of the function, or in `loop` those of the loop body.
   */
  stmts: Stmt[] = [];
  /** In a loop, the number of the iteration. */
  private turn: Expr | undefined;
  /**
   * The source lanes of the first iteration, by table. `bases` contains their definitions before
   * the current loop.
   */
  private readonly named = new Map<string, Name>();
  private readonly bases: Stmt[] = [];
  private readonly sources = new Map<string, Expr>();
  /** The parts of registers, and the words from which sparse products select elements. */
  private readonly factors = new Map<string, readonly Expr[]>();
  private readonly vectorsOf = new Map<string, readonly Expr[]>();

  constructor(form: MatrixForm, arithmetic: Arithmetic, given: Products, lane: LaneFunction) {
    this.form = form;
    this.given = given;
    this.arithmetic = arithmetic;
    this.lane = lane;
  }

  /** Emits a loop whose iterations read pieces from successive lanes. */
  loop(count: number, body: () => void): void {
    const { stmts } = this;
    const name = new Name('t');
    this.stmts = [];
    this.turn = w.ref(name, 'u32');
    body();
    // Values that the body reads are not visible after the body.
    this.factors.clear();
    this.vectorsOf.clear();
    this.sources.clear();
    this.turn = undefined;
    const inner = this.stmts;
    this.stmts = stmts;
    this.stmts.push(...this.bases.splice(0), w.repeat(name, count, inner));
  }

  /** Returns the statements of a block. The block reads all values that it uses. */
  inBlock(body: () => void): readonly Stmt[] {
    const { stmts } = this;
    this.stmts = [];
    body();
    const own = this.stmts;
    this.stmts = stmts;
    return own;
  }

  /**
   * Returns, for each part of two registers, a vector in which the part is repeated as the elements
   * of D require. `left`: for B, the index of the matrix A.
   */
  vectors(
    operand: 'a' | 'b',
    fragment: number,
    pieces: readonly Piece[],
    order: readonly number[],
    left = 0,
  ): readonly Expr[] {
    const key = `${operand} ${fragment} ${pieces.map((piece) => `${piece.from.join()} ${piece.positions.join()} ${metadataKey(piece, left)}`).join(' ')}`;
    const known = this.vectorsOf.get(key);
    if (known !== undefined) return known;
    const registers = pieces.map((piece) => this.piece(operand, fragment, piece, true, left));
    const made = at(registers, 0, 'a register').map((_, part) => {
      const values = order.map((index) => at(at(registers, index, 'a register'), part, 'a part of a register'));
      const { type } = at(values, 0, 'a part of a register');
      const vector = w.vector(type === 'u32' || type === 'i32' ? type : 'f32', 4);
      return this.define(vectorHints[operand], w.construct(vector, ...values));
    });
    this.vectorsOf.set(key, made);
    return made;
  }

  private define(hint: string, value: Expr): Expr {
    // A component of a named vector does not need a name.
    if (value.kind === 'name' || value.kind === 'literal' || value.kind === 'member') return value;
    const name = new Name(hint);
    this.stmts.push(w.define(name, value));
    return w.ref(name, value.type);
  }

  /** Returns the number of the lane that contains a piece. */
  private source(from: readonly number[]): Expr {
    const key = from.join();
    return getOrInsert(this.sources, key, () => this.sourceOf(key, laneExpression(from, this.lane.number)));
  }

  private sourceOf(key: string, lane: Expr): Expr {
    if (this.turn === undefined) return this.define('source', lane);
    // Absent: only the first loop that begins with these lanes creates the name.
    const name = this.named.get(key) ?? new Name('first');
    if (!this.named.has(key)) this.bases.push(w.define(name, lane));
    this.named.set(key, name);
    return this.define('source', w.add(w.ref(name, 'u32'), this.turn));
  }

  /** Returns the parts of a register of another lane. */
  private register(operand: Operand, fragment: number, register: number, from: readonly number[]): readonly Expr[] {
    const key = `${operand} ${fragment} ${register} ${from.join()}`;
    return getOrInsert(this.factors, key, () => this.partsOf(operand, this.wordsOf(operand, fragment, register, from)));
  }

  /** Returns the parts of the elements of B that a register of a sparse A multiplies. */
  private selectedRegister(fragment: number, register: number, piece: SparsePiece, left: number): readonly Expr[] {
    const { from, metadata } = piece;
    const key = `b ${fragment} ${register} ${from.join()} ${metadataKey(piece, left)}`;
    return getOrInsert(this.factors, key, () => {
      const { types } = this.form;
      const words = [from, from.map((lane) => lane + 1)].flatMap((lanes) => this.word('b', fragment, register, lanes));
      const codes = this.word('a', left, registerCount(this.form, 'a'), metadata.from);
      const shifted = codes.map((code) => (metadata.shift === 0 ? code : w.shr(code, w.u32(metadata.shift))));
      const helper = unitBits(types.a) === 16 ? 'sparse_halves' : 'sparse_bytes';
      return this.partsOf('b', [this.define(wordHints.b, w.helper(helper, 'u32', ...words, ...shifted))]);
    });
  }

  /** Returns the word of a register of another lane, which is fetched once. */
  private word(operand: 'a' | 'b', fragment: number, register: number, from: readonly number[]): readonly Expr[] {
    const key = `word ${operand} ${fragment} ${register} ${from.join()}`;
    return getOrInsert(this.factors, key, () => this.wordsOf(operand, fragment, register, from));
  }

  /** Returns the words of a register of another lane. */
  private wordsOf(operand: Operand, fragment: number, register: number, from: readonly number[]): readonly Expr[] {
    const each = this.form.types[operand] === 'f64' ? 2 : 1;
    const { words, counts } = this.given;
    const [b, c] = [counts.a * words.a, counts.a * words.a + counts.b * words.b];
    const first = { a: 0, b, c }[operand] + fragment * words[operand] + register * each;
    const source = this.source(from);
    return Array.from({ length: each }, (_, index) =>
      this.define(wordHints[operand], this.lane.fetch(first + index, source)),
    );
  }

  private partsOf(operand: Operand, words: readonly Expr[]): readonly Expr[] {
    const define = (value: Expr) => this.define(partHints[operand], value);
    const parts = operand === 'c' ? this.arithmetic.start(words) : this.arithmetic.factors(operand, words, define);
    return parts.map(define);
  }

  /**
   * Returns the parts of a register that each lane selects among several. Selecting before
   * splitting into parts needs less code. In addition, NVIDIA's driver has miscompiled the
   * selection of halves as addends: it replaced some halves by zero.
   */
  private chosenRegister(
    operand: Operand,
    fragment: number,
    choices: readonly { readonly register: number; readonly lanes: bigint }[],
    from: readonly number[],
  ): readonly Expr[] {
    const key = `${operand} ${fragment} ${choices.map(({ register, lanes }) => `${register}:${lanes}`).join(' ')} ${from.join()}`;
    const known = this.factors.get(key);
    if (known !== undefined) return known;
    const [first = missing('a choice'), ...others] = choices.map(({ register }) =>
      this.wordsOf(operand, fragment, register, from),
    );
    const words = first.map((word, index) =>
      others.reduce((chosen, other, number) => {
        const { lanes } = at(choices, number + 1, 'a choice');
        return w.select(inMask(this.lane.number, lanes), at(other, index, 'a word of a register'), chosen);
      }, word),
    );
    const parts = this.partsOf(
      operand,
      words.map((word) => this.define(wordHints[operand], word)),
    );
    this.factors.set(key, parts);
    return parts;
  }

  /**
   * Returns the value of a piece of an operand: all parts of a register if the pieces are `packed`,
   * and otherwise the single part that this lane needs. `left`: for B, the index of the matrix A.
   */
  piece(operand: Operand, fragment: number, piece: Piece, packed: boolean, left = 0): readonly Expr[] {
    const { from, positions } = piece;
    const size = registerElements(this.form.types[operand]);
    if (isSparse(piece)) return this.selectedRegister(fragment, at(positions, 0, 'a place') / size, piece, left);
    if (packed) return this.register(operand, fragment, at(positions, 0, 'a place') / size, from);
    // The element differs by lane, so read every candidate.
    const candidates = [...new Set(positions)].sort((x, y) => x - y);
    const [part = missing('a place')] = candidates.map((position) => position % size);
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
