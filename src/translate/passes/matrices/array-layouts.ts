// Finds new layouts for arrays of shared memory whose tiles have no constant distance between rows.

import { at } from '../../../base/invariants.ts';
import { allOf, getOrInsert } from '../../../base/maps.ts';
import { findRanges, type Ranges } from '../../analysis/ranges.ts';
import type { ThreadForm, ThreadForms } from '../../analysis/thread-forms.ts';
import type { LoadedByte } from '../../analysis/word-sources.ts';
import type { MatrixOrder } from '../../ir/attributes.ts';
import type { Builder } from '../../ir/builder.ts';
import { constantOf, type Definition, type Inst, type InstNamed, type Program } from '../../ir/nodes.ts';
import { elementWidths, type MatrixType, shapeOf, widthOf } from '../../ir/types.ts';
import type { MemoryPlan } from '../../memory-plan.ts';
import { moveAccesses } from './move-accesses.ts';
import {
  type ArrayLayout,
  chunkBytes,
  movedAddress,
  movedBytes,
  periodOf,
  type Region,
  type RowLayout,
  regionsOf,
  rowLayouts,
  spacedBytes,
} from './row-layouts.ts';

/** A byte of a matrix element: the load and lane that read it, and its place in the matrix. */
export interface Cell {
  readonly byte: LoadedByte;
  readonly row: number;
  readonly column: number;
  /** The index of the byte in the element. */
  readonly within: number;
}

export interface Tile {
  readonly type: MatrixType;
  readonly cells: readonly Cell[];
}

/**
 * The address of a tile's first element: shared values times factors, and a number for each warp.
 */
export interface TileStart {
  readonly terms: ReadonlyMap<Definition, number>;
  readonly warps: readonly number[];
}

export interface PlacedTile extends TileStart {
  readonly order: MatrixOrder;
  /** The number of bytes from one row, or column, to the next. */
  readonly stride: number;
}

interface Addresses {
  readonly terms: ReadonlyMap<Definition, number>;
  /** For each warp, the addresses of the cells without the terms. */
  readonly numbers: readonly (readonly number[])[];
}

type Load = InstNamed<'load'>;

export interface ArrayLayoutsOptions {
  readonly program: Program;
  readonly memory: MemoryPlan;
  readonly forms: ThreadForms;
  readonly ranges: Ranges;
  readonly threads: number;
}

export class ArrayLayouts {
  private readonly options: ArrayLayoutsOptions;
  private readonly addresses = new Map<Tile, Addresses | undefined>();
  readonly found = new Map<number, ArrayLayout>();

  constructor(options: ArrayLayoutsOptions) {
    this.options = options;
  }

  /** Searches for layouts of an array in which the rows of each tile have constant distances. */
  find(array: number, tiles: readonly Tile[]): void {
    const plan = at(this.options.memory.arrays, array, 'an array');
    if (plan.atomic || plan.granule !== 4 || !this.mayMove(array)) return;
    const extents = tiles.map((tile) => {
      const addresses = this.addressesOf(tile);
      const layout = addresses && rowLayouts.find((each) => placed(tile, addresses, each) !== undefined);
      const range = addresses && this.rangeOf(addresses.terms);
      if (addresses === undefined || layout === undefined || range === undefined) return undefined;
      const numbers = addresses.numbers.flat();
      return { layout, low: Math.min(...numbers) + range.min, high: Math.max(...numbers) + range.max + 1 };
    });
    if (!extents.every((extent) => extent !== undefined && extent.low >= 0 && extent.high <= 4 * plan.words)) return;
    const known = extents.filter((extent) => extent !== undefined);
    const regions = regionsOf(known, 4 * plan.words);
    if (regions !== undefined) this.found.set(array, { regions, bytes: movedBytes(regions) });
  }

  /** Returns the place of a tile in the new layout of its array. */
  placeOf(array: number, tile: Tile): PlacedTile | undefined {
    const layout = this.found.get(array);
    const addresses = this.addressesOf(tile);
    if (layout === undefined || addresses === undefined) return undefined;
    const first = addresses.numbers[0]?.[0];
    const region = layout.regions.find(({ start, end }) => first !== undefined && first >= start && first < end);
    return region && placed(tile, addresses, region.layout, region);
  }

  /** Returns the memory of the kernel with the new layouts. */
  memory(): MemoryPlan {
    const { memory } = this.options;
    const arrays = memory.arrays.map((plan, array) => {
      const layout = this.found.get(array);
      return layout === undefined ? plan : { ...plan, words: layout.bytes / 4 };
    });
    return { ...memory, arrays };
  }

  /** Moves all accesses of the arrays to their new layouts. */
  moveAccesses(builder: Builder): void {
    const {
      program: { kernel, functions },
      ranges,
    } = this.options;
    if (this.found.size === 0) return;
    moveAccesses(kernel, this.found, builder, ranges);
    for (const func of functions)
      moveAccesses(
        func,
        this.found,
        builder,
        findRanges(func, () => undefined),
      );
  }

  /** Whether all accesses of an array are weak loads and stores of whole words. */
  private mayMove(array: number): boolean {
    const { kernel, functions } = this.options.program;
    return [kernel, ...functions].every(({ blocks }) =>
      blocks.every(({ insts }) => insts.every((inst) => isMovable(inst, array))),
    );
  }

  private addressesOf(tile: Tile): Addresses | undefined {
    if (!this.addresses.has(tile)) this.addresses.set(tile, this.findAddresses(tile));
    return this.addresses.get(tile);
  }

  private findAddresses({ cells }: Tile): Addresses | undefined {
    const forms = new Map<Load, ThreadForm | undefined>();
    const formOf = ({ byte: { load } }: Cell) => getOrInsert(forms, load, () => this.bytesOf(load));
    const [first] = cells.map(formOf);
    if (first === undefined || !cells.every((cell) => haveSameTerms(formOf(cell), first))) return undefined;
    const warps = this.options.threads / 32;
    const numbers = Array.from({ length: warps }, (_, warp) =>
      cells.map((cell) => {
        const { load, lane, position } = cell.byte;
        const own = formOf(cell)?.numbers ?? first.numbers;
        return at(own, warp * 32 + lane, 'a thread') + load.attrs.place.offset + position;
      }),
    );
    return { terms: first.terms, numbers };
  }

  /**
   * Returns the form of `index * unit`. If the index is an address divided by `unit`, this is the
   * form of the address, because the division is exact.
   */
  private bytesOf({ args, attrs: { place } }: Load): ThreadForm | undefined {
    const { forms } = this.options;
    if (!place.indexed) return undefined;
    const index = forms.withoutClamp(at(args, 0, 'an index'));
    const inst = index.kind === 'result' ? index.inst : undefined;
    const [whole, amount] = inst?.op === 'lshrw' ? inst.args : [];
    return whole !== undefined && constantOf(amount) === BigInt(Math.log2(place.unit))
      ? forms.of(whole)
      : forms.scaled(index, place.unit);
  }

  private rangeOf(terms: Addresses['terms']): { readonly min: number; readonly max: number } | undefined {
    let [min, max] = [0, 0];
    for (const [value, factor] of terms) {
      const range = this.options.ranges.of(value);
      if (factor < 0) return undefined;
      min += range.min * factor;
      max += range.max * factor;
    }
    return { min, max };
  }
}

const haveSameTerms = (form: ThreadForm | undefined, { terms }: ThreadForm): boolean =>
  form !== undefined &&
  form.terms.size === terms.size &&
  [...terms].every(([value, factor]) => form.terms.get(value) === factor);

/**
 * Whether the array may have a new layout despite an instruction: the instruction accesses other
 * memory, or whole words of the array.
 */
function isMovable(inst: Inst, array: number): boolean {
  if (!('place' in inst.attrs)) return true;
  const { root, unit, offset } = inst.attrs.place;
  if (root.kind === 'generic' || root.kind === 'address') return false;
  if (root.kind !== 'array' || root.array !== array) return true;
  if ((inst.op !== 'load' && inst.op !== 'store') || inst.attrs.order !== 'weak') return false;
  const bytes = (inst.attrs.count * widthOf(inst.attrs.type)) / 8;
  return bytes % 4 === 0 && bytes <= chunkBytes && unit % 4 === 0 && offset % 4 === 0;
}

/**
 * Returns the place of a tile in a layout; undefined if its rows are not at a constant, aligned
 * distance there.
 */
function placed(
  { type, cells }: Tile,
  { terms, numbers }: Addresses,
  layout: RowLayout,
  { start, moved }: Pick<Region, 'start' | 'moved'> = { start: 0, moved: 0 },
): PlacedTile | undefined {
  const { of } = shapeOf(type);
  const size = elementWidths[of] / 8;
  const period = periodOf(layout);
  if ([...terms.values()].some((factor) => factor % period !== 0)) return undefined;
  const find = (row: number, column: number): number =>
    cells.findIndex((cell) => cell.row === row && cell.column === column && cell.within === 0);
  const [origin, below, beside] = [find(0, 0), find(1, 0), find(0, 1)];
  if (origin < 0 || below < 0 || beside < 0) return undefined;
  const places = numbers.map((own) => own.map((address) => movedAddress(layout, address - start) + moved));
  const distance = (own: readonly number[], cell: number): number =>
    at(own, cell, 'a cell') - at(own, origin, 'the first cell');
  const [sample] = places;
  if (sample === undefined) return undefined;
  const [down, right] = [distance(sample, below), distance(sample, beside)];
  const fits = places.every((own) =>
    cells.every(({ row, column, within }, cell) => distance(own, cell) === row * down + column * right + within),
  );
  const order = right === size ? 'row' : down === size ? 'col' : undefined;
  const stride = order === 'row' ? down : right;
  const warps = places.map((own) => at(own, origin, 'the first cell'));
  const isAligned = stride > 0 && [stride, ...warps].every((bytes) => bytes % chunkBytes === 0);
  if (!fits || order === undefined || !isAligned) return undefined;
  const scale = spacedBytes(layout) / layout.rowBytes;
  return { terms: new Map([...terms].map(([value, factor]) => [value, factor * scale])), warps, order, stride };
}

/** Groups tiles by the array of shared memory that contains all of their bytes. */
export function tilesByArray(tiles: readonly Tile[]): ReadonlyMap<number, readonly Tile[]> {
  const groups = new Map<number, Tile[]>();
  for (const tile of tiles) {
    const array = arrayOf(tile);
    if (array !== undefined) groups.set(array, [...allOf(groups, array), tile]);
  }
  return groups;
}

/** Returns the array that contains all bytes of a tile, if any. */
export function arrayOf({ cells }: Tile): number | undefined {
  const arrays = new Set(
    cells.map(({ byte }) => {
      const { root } = byte.load.attrs.place;
      return root.kind === 'array' ? root.array : undefined;
    }),
  );
  const [array] = arrays;
  return arrays.size === 1 ? array : undefined;
}
