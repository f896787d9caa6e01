// Finds the matrix in memory from which the words of a fragment were loaded.

import { at, missing } from '../../../base/invariants.ts';
import { type LaneForm, type Leaf, timesConstant } from '../../analysis/lane-form.ts';
import type { LaneForms } from '../../analysis/lane-forms.ts';
import { type LoadedByte, WordSources } from '../../analysis/word-sources.ts';
import type { MatrixOrder } from '../../ir/attributes.ts';
import { elementAt } from '../../ir/matrix-fragments.ts';
import type { Place, Root } from '../../ir/memory.ts';
import { constantOf, type InstNamed, isDefinition, type Value } from '../../ir/nodes.ts';
import { elementWidths, type MatrixType, shapeOf } from '../../ir/types.ts';
import type { MemoryPlan } from '../../memory-plan.ts';

import { type ArrayLayouts, arrayOf, type Cell, type Tile, type TileStart, tilesByArray } from './array-layouts.ts';
import { chunkBytes } from './row-layouts.ts';

type Load = InstNamed<'load'>;

/**
 * The index of a matrix's first element.
 * - `lane`: the index of a load, in the lane that loads the first element.
 * - `warps`: a sum of shared values times factors, and a number for each warp.
 */
export type MatrixStart =
  | { readonly kind: 'lane'; readonly index: Value; readonly lane: number }
  | ({ readonly kind: 'warps' } & TileStart);

/** A matrix in memory. */
export interface MatrixPlace {
  /** The load of the first element. */
  readonly first: Load;
  readonly place: Place;
  /** The index of the first element; undefined if the place has no index. */
  readonly start: MatrixStart | undefined;
  /**
   * The largest index at which the matrix is inside its array. The start is clamped to this index.
   */
  readonly last: number | undefined;
  /** All loads of the words. */
  readonly loads: ReadonlySet<Load>;
  readonly order: MatrixOrder;
  /**
   * The number of bytes from one row, or column, to the next. It is at least the length of a row,
   * or column.
   */
  readonly stride: number;
}

/** An address: a sum of uniform values and a number. */
interface Address {
  readonly terms: ReadonlyMap<Leaf, number>;
  readonly constant: number;
}

/**
 * If a stride is less than the length of a row, Tint increases it to that length. Such a load would
 * read other elements.
 */
const overlap = 'the distance of its rows is less than their length';

export class Fragments {
  private readonly forms: LaneForms;
  private readonly sources: WordSources;
  private readonly memory: MemoryPlan;
  private readonly clampsStarts: boolean;
  private readonly layouts: ArrayLayouts;

  constructor(forms: LaneForms, memory: MemoryPlan, layouts: ArrayLayouts, clampsStarts: boolean) {
    this.forms = forms;
    this.layouts = layouts;
    this.sources = new WordSources(forms);
    this.memory = memory;
    this.clampsStarts = clampsStarts;
  }

  /**
   * Searches for new layouts of the arrays that contain matrices whose rows are not evenly spaced.
   * `operands` are the words of all factors.
   */
  findLayouts(operands: readonly (readonly [MatrixType, readonly Value[]])[]): void {
    const tiles = operands.map(([type, words]) => this.tileOf(type, words)).filter((tile) => tile !== undefined);
    for (const [array, own] of tilesByArray([...new Set(tiles)]))
      if (own.some((tile) => typeof this.placeOfTile(tile) === 'string')) this.layouts.find(array, own);
  }

  /**
   * Returns the place in memory of a matrix with these words. If the words are not a matrix in
   * memory, returns the reason.
   */
  placeOf(type: MatrixType, words: readonly Value[]): MatrixPlace | string {
    const tile = this.tileOf(type, words);
    if (tile === undefined) return 'its words are not loaded from memory';
    const array = arrayOf(tile);
    return array !== undefined && this.layouts.found.has(array) ? this.movedPlace(tile, array) : this.placeOfTile(tile);
  }

  private readonly tiles = new Map<string, Tile | undefined>();

  /** Returns the cells of a matrix; undefined if not all of its words are loaded. */
  private tileOf(type: MatrixType, words: readonly Value[]): Tile | undefined {
    const key = `${type} ${words.map((word) => (isDefinition(word) ? word.id : word.kind)).join(' ')}`;
    if (!this.tiles.has(key)) this.tiles.set(key, this.makeTile(type, words));
    return this.tiles.get(key);
  }

  private makeTile(type: MatrixType, words: readonly Value[]): Tile | undefined {
    const bytes = words.map((word) => this.sources.of(word));
    if (!bytes.every((each) => each !== undefined)) return undefined;
    const size = elementWidths[shapeOf(type).of] / 8;
    const perWord = 4 / size;
    const cells = bytes.flatMap((loaded, register) =>
      loaded.map((byte, place): Cell => {
        const [lane, within] = [Math.floor(place / 4), place % 4];
        const { row, column } = elementAt(type, lane, register * perWord + Math.floor(within / size));
        return { byte, row, column, within: within % size };
      }),
    );
    return { type, cells };
  }

  /** Returns the place of a tile in the new layout of its array. */
  private movedPlace(tile: Tile, array: number): MatrixPlace | string {
    const moved = this.layouts.placeOf(array, tile);
    const layout = this.layouts.found.get(array);
    const [cell] = tile.cells;
    if (moved === undefined || layout === undefined || cell === undefined) return 'its rows are not evenly spaced';
    const { order, stride } = moved;
    const { rows, columns, of } = shapeOf(tile.type);
    const [lines, line] = order === 'row' ? [rows, columns] : [columns, rows];
    const lineBytes = (line * elementWidths[of]) / 8;
    if (stride < lineBytes) return overlap;
    const bytes = (lines - 1) * stride + lineBytes;
    const { load: first } = cell.byte;
    const place = { root: first.attrs.place.root, unit: chunkBytes, offset: 0, indexed: true };
    const terms = new Map([...moved.terms].map(([value, factor]) => [value, factor / chunkBytes]));
    const start = { kind: 'warps', terms, warps: moved.warps.map((address) => address / chunkBytes) } as const;
    const loads = new Set(tile.cells.map(({ byte }) => byte.load));
    const last = this.clampsStarts ? Math.floor((layout.bytes - bytes) / chunkBytes) : undefined;
    return { first, place, start, last, loads, order, stride };
  }

  private placeOfTile({ type, cells }: Tile): MatrixPlace | string {
    const size = elementWidths[shapeOf(type).of] / 8;
    const find = (row: number, column: number) => cells.find((cell) => cell.row === row && cell.column === column);
    const [origin, below, beside] = [find(0, 0), find(1, 0), find(0, 1)];
    if (origin === undefined || below === undefined || beside === undefined) return 'it has no second row';
    const loads = new Set(cells.map(({ byte }) => byte.load));
    const { root } = origin.byte.load.attrs.place;
    if (![...loads].every((load) => isSameRoot(load.attrs.place.root, root))) return 'its words are in several arrays';
    if (this.isAtomic(root)) return 'its memory is private, or has atomic elements';
    const corner = this.addressOf(origin.byte);
    if (corner === undefined) return 'the addresses of its lanes are unknown';
    const distances = cells.map(({ byte }) => difference(this.addressOf(byte), corner));
    const down = difference(this.addressOf(below.byte), corner);
    const right = difference(this.addressOf(beside.byte), corner);
    if (down === undefined || right === undefined) return 'the addresses of its lanes are unknown';
    const fits = cells.every(({ row, column, within }, index) => {
      const distance = distances[index];
      return distance !== undefined && isSame(distance, plus(times(down, row), times(right, column), within));
    });
    if (!fits) return 'its rows are not evenly spaced in memory';
    const order = isNumber(right, size) ? 'row' : isNumber(down, size) ? 'col' : undefined;
    if (order === undefined) return 'its elements are not contiguous in memory';
    const distance = order === 'row' ? down : right;
    if (distance.terms.size > 0) return 'the distance of its rows is known only at run time';
    const stride = distance.constant;
    const unit = this.unitOf(root);
    if (stride % unit !== 0) return `its rows are not multiples of ${unit} bytes apart`;
    const rowBytes = (order === 'row' ? shapeOf(type).columns : shapeOf(type).rows) * size;
    if (stride < rowBytes) return overlap;
    if (!this.isAligned(loads, corner, stride, Math.min(rowBytes, 16))) return 'its rows may not be aligned';
    const { load: first, lane } = origin.byte;
    const [index] = first.attrs.place.indexed ? first.args : [];
    const lines = order === 'row' ? shapeOf(type).rows : shapeOf(type).columns;
    const last = this.lastIndex(first, rowBytes + (lines - 1) * stride);
    const own = last === undefined ? index : index && this.forms.withoutClamp(index);
    const start = own && ({ kind: 'lane', index: own, lane } as const);
    return { first, place: first.attrs.place, start, last, loads, order, stride };
  }

  private lastIndex({ attrs: { place } }: Load, bytes: number): number | undefined {
    if (!this.clampsStarts || !place.indexed || place.root.kind !== 'array') return undefined;
    const { words } = at(this.memory.arrays, place.root.array, 'an array');
    const room = 4 * words - bytes - place.offset;
    return room < 0 ? undefined : Math.floor(room / place.unit);
  }

  private addressOf({ load, lane, position }: LoadedByte): Address | undefined {
    const { unit, offset, indexed } = load.attrs.place;
    if (!indexed) return { terms: new Map(), constant: offset + position };
    const form = this.bytesOf(load, unit);
    if (form === undefined) return undefined;
    const terms = new Map([...form.terms].map(([leaf, factors]) => [leaf, at(factors, lane, 'a lane')]));
    return { terms, constant: (at(form.constants, lane, 'a lane') + offset + position) | 0 };
  }

  private readonly known = new Map<Load, LaneForm | undefined>();

  /**
   * Returns the form of `index * unit`. If the index is an address divided by `unit`, this is the
   * form of the address, because the division is exact.
   */
  private bytesOf(load: Load, unit: number): LaneForm | undefined {
    if (this.known.has(load)) return this.known.get(load);
    const form = this.findBytes(at(load.args, 0, 'an index'), unit);
    this.known.set(load, form);
    return form;
  }

  private findBytes(index: Value, unit: number): LaneForm | undefined {
    const unclamped = this.forms.withoutClamp(index);
    const inst = unclamped.kind === 'result' ? unclamped.inst : undefined;
    const whole = inst?.args[0];
    if (inst?.op === 'lshrw' && whole !== undefined && constantOf(inst.args[1]) === BigInt(Math.log2(unit)))
      return this.forms.of(whole);
    const form = this.forms.of(unclamped);
    return form && timesConstant(form, unit);
  }

  /** Returns the number of bytes of an element of the memory's array. */
  private unitOf(root: Root): number {
    return 4 * (this.planOf(root) ?? missing('the plan of a memory')).granule;
  }

  private isAtomic(root: Root): boolean {
    const plan = this.planOf(root);
    return plan === undefined || plan.atomic;
  }

  private planOf(root: Root): { readonly granule: number; readonly atomic: boolean } | undefined {
    if (root.kind === 'heap') return this.memory.heap;
    if (root.kind === 'array') {
      const plan = this.memory.arrays[root.array];
      return plan?.space === 'shared' ? plan : undefined;
    }
    return root.kind === 'buffer' ? this.memory.buffers.get(root.param) : undefined;
  }

  /**
   * Whether rows start at multiples of `bytes`, because PTX requires it or the addresses show it.
   */
  private isAligned(loads: ReadonlySet<Load>, start: Address, stride: number, bytes: number): boolean {
    if ([...loads].every(({ attrs }) => attrs.aligned)) return true;
    if (stride % bytes !== 0 || start.constant % bytes !== 0) return false;
    return [...start.terms].every(([leaf, factor]) => (factor * this.forms.lowestBit(leaf)) % bytes === 0);
  }
}

function difference(a: Address | undefined, b: Address): Address | undefined {
  return a && plus(a, times(b, -1), 0);
}

function plus(a: Address, b: Address, number: number): Address {
  const terms = new Map(a.terms);
  for (const [leaf, factor] of b.terms) {
    // Absent: a leaf without a term has the factor zero.
    const sum = ((terms.get(leaf) ?? 0) + factor) | 0;
    if (sum === 0) terms.delete(leaf);
    else terms.set(leaf, sum);
  }
  return { terms, constant: (a.constant + b.constant + number) | 0 };
}

function times({ terms, constant }: Address, by: number): Address {
  if (by === 0) return { terms: new Map(), constant: 0 };
  return {
    terms: new Map([...terms].map(([leaf, factor]) => [leaf, Math.imul(factor, by)])),
    constant: Math.imul(constant, by),
  };
}

const isNumber = ({ terms, constant }: Address, number: number): boolean => terms.size === 0 && constant === number;

const isSame = (a: Address, b: Address): boolean =>
  a.constant === b.constant &&
  a.terms.size === b.terms.size &&
  [...a.terms].every(([leaf, factor]) => b.terms.get(leaf) === factor);

function isSameRoot(a: Root, b: Root): boolean {
  if (a.kind === 'array') return b.kind === 'array' && a.array === b.array;
  if (a.kind === 'buffer') return b.kind === 'buffer' && a.param === b.param;
  return a.kind === 'heap' && b.kind === 'heap';
}
