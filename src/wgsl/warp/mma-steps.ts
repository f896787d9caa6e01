// Computes, from the fragment layouts, the elements of A and B that each lane needs for its
// elements of D, and the lanes that contain them.
import { at, get, InternalError } from '../../base/invariants.ts';
import {
  type ElementPlace,
  elementPlace,
  laneElements,
  type MatrixForm,
  type MatrixOperand,
  registerElements,
} from '../../isa/fragments.ts';
import { metadataPlace } from '../../isa/sparse.ts';

const lanes = Array.from({ length: 32 }, (_, lane) => lane);

/** A register, or an element of one, that each lane reads from another lane. */
export interface Piece {
  /** For each lane, the lane that contains the piece. */
  readonly from: readonly number[];
  /**
   * For each lane, the index of the first element in the lane that contains the piece. If whole
   * registers are exchanged, this is a multiple of the number of elements per register.
   */
  readonly positions: readonly number[];
  /**
   * For a piece of B that a sparse A multiplies: the place of the metadata that select half of the
   * elements. The other elements are in the same register of the next lane.
   */
  readonly metadata?: Metadata;
}

/** The place of metadata: for each lane, the lane that contains them, and their first bit in a word. */
export interface Metadata {
  readonly from: readonly number[];
  readonly shift: number;
}

/** A piece of a row of A, and a piece of a column of B that is multiplied by it. */
export interface Step {
  readonly a: Piece;
  readonly b: Piece;
}

export interface ProductSteps {
  /**
   * Whether a piece is a register whose elements are consecutive along K. Otherwise a piece is one
   * element.
   */
  readonly packed: boolean;
  /** The steps, by their index along K and by the element of D in a lane. */
  readonly steps: readonly (readonly Step[])[];
  /**
   * For each element of D in a lane, the position of its element of C; undefined if all positions
   * are the same.
   */
  readonly addends: readonly Piece[] | undefined;
  /**
   * The number of consecutive steps that differ only in the lane that contains the pieces, whose
   * number increases by one.
   */
  readonly run: number;
}

interface Home {
  readonly lane: number;
  readonly position: number;
}

const keyOf = ({ product, row, column }: ElementPlace): string => `${product} ${row} ${column}`;

/** Returns the position of each element of an operand. */
function homesOf(form: MatrixForm, operand: MatrixOperand): ReadonlyMap<string, Home> {
  const homes = new Map<string, Home>();
  for (const lane of lanes) {
    for (let position = 0; position < laneElements(form, operand); position++) {
      homes.set(keyOf(elementPlace(form, operand, lane, position)), { lane, position });
    }
  }
  return homes;
}

/** Whether the elements of each register of A are along a row, and those of B along a column. */
function isPacked(form: MatrixForm): boolean {
  return form.products === 1 || (form.layouts.a === 'row' && form.layouts.b === 'col');
}

/** Whether steps form groups of four whose pieces are in four adjacent lanes. */
function followInFours(steps: readonly (readonly Step[])[]): boolean {
  const follows = (first: Piece, piece: Piece, distance: number): boolean =>
    piece.from.every(
      (lane, own) => lane === at(first.from, own, 'a lane') + distance && piece.positions[own] === first.positions[own],
    );
  return (
    steps.length % 4 === 0 &&
    steps.every((step, index) =>
      step.every(({ a, b }, element) => {
        const first = at(at(steps, index - (index % 4), 'a step'), element, 'an element of D');
        return follows(first.a, a, index % 4) && follows(first.b, b, index % 4);
      }),
    )
  );
}

/** Returns the place of the metadata of a register of A. */
function metadataOf(form: MatrixForm, register: number, rowOf: (lane: number) => number): Metadata {
  const places = lanes.map((lane) => metadataPlace(form, rowOf(lane), register));
  const { shift } = at(places, 0, 'the place of metadata');
  if (places.some((place) => place.shift !== shift)) throw new InternalError('metadata at different bits of words');
  return { from: places.map(({ lane }) => lane), shift };
}

const stepsByForm = new Map<string, ProductSteps>();

/** Returns the steps of a form. The steps are cached. */
export function productSteps(form: MatrixForm): ProductSteps {
  const key = JSON.stringify(form);
  const known = stepsByForm.get(key);
  if (known !== undefined) return known;
  const packed = isPacked(form);
  const [a, b] = [homesOf(form, 'a'), homesOf(form, 'b')];
  const width = packed ? registerElements(form.types.a) : 1;
  const piece = (homes: ReadonlyMap<string, Home>, placeOf: (lane: number) => ElementPlace): Piece => {
    const found = lanes.map((lane) => get(homes, keyOf(placeOf(lane)), 'the place of an element'));
    return { from: found.map(({ lane }) => lane), positions: found.map(({ position }) => position) };
  };
  const isSparse = form.selector !== undefined;
  const steps = Array.from({ length: form.k / width }, (_, index) =>
    Array.from({ length: laneElements(form, 'd') }, (_element, element): Step => {
      const along = index * width;
      const own = (lane: number) => elementPlace(form, 'd', lane, element);
      const column = piece(b, (lane) => ({ ...own(lane), row: isSparse ? 2 * along : along }));
      return {
        a: piece(a, (lane) => ({ ...own(lane), column: along })),
        b: isSparse ? { ...column, metadata: metadataOf(form, index, (lane) => own(lane).row) } : column,
      };
    }),
  );
  const homes = homesOf(form, 'c');
  const addends = Array.from({ length: laneElements(form, 'd') }, (_, element) =>
    piece(homes, (lane) => elementPlace(form, 'd', lane, element)),
  );
  const isOwn = addends.every(({ from, positions }, element) =>
    from.every((lane, own) => lane === own && positions[own] === element),
  );
  const result = { packed, steps, addends: isOwn ? undefined : addends, run: packed && followInFours(steps) ? 4 : 1 };
  stepsByForm.set(key, result);
  return result;
}

/**
 * Whether the elements of D in a lane are those of two rows and two columns, in row-major order.
 */
export function isTwoByTwo({ packed, steps, addends }: ProductSteps): boolean {
  // The metadata of a piece of B differ between rows.
  const isSame = (x: Piece | undefined, y: Piece | undefined) =>
    x !== undefined && x.from.join() === y?.from.join() && x.positions.join() === y.positions.join();
  return (
    packed &&
    addends === undefined &&
    steps.every((own) => {
      const [first, right, below, last] = own;
      return (
        own.length === 4 &&
        isSame(first?.a, right?.a) &&
        isSame(below?.a, last?.a) &&
        isSame(first?.b, below?.b) &&
        isSame(right?.b, last?.b)
      );
    })
  );
}

/** The pieces of B for the elements of D in a lane, and the index of the piece for each element. */
export interface ColumnPieces {
  readonly pieces: readonly Piece[];
  readonly order: readonly number[];
}

/**
 * Returns the pieces of two columns of B for the elements of two rows. A sparse A selects different
 * elements for each row.
 */
export function columnPieces(step: readonly Step[]): ColumnPieces {
  const pieces = step.map(({ b }) => b);
  const isSparse = pieces.some(({ metadata }) => metadata !== undefined);
  return isSparse ? { pieces, order: [0, 1, 2, 3] } : { pieces: pieces.slice(0, 2), order: [0, 1, 0, 1] };
}
