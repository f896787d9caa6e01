// The parts of a variable that become registers: as small as its accesses require.

import { at, get } from '../../../base/invariants.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Value } from '../../ir/nodes.ts';
import { integerOf, type Type, widthOf } from '../../ir/types.ts';
import { elementBytes, type FoundAccess } from './accesses.ts';

/** A part of a variable. No access splits it. */
export interface Cell {
  /** The number of the cell among all cells of the program. */
  readonly number: number;
  readonly offset: number;
  readonly bytes: number;
  readonly type: Type;
}

/** The number of bytes of the widest type of a cell. */
const maxBytes = 8;

/**
 * Returns the cells of a variable: the accessed bytes, cut at the ends of the accesses. `first`:
 * the number of the first cell.
 */
export function cellsOf(accesses: readonly FoundAccess[], first: number): ReadonlyMap<number, Cell> {
  const elements = accesses.flatMap(({ inst, offset }) => {
    const bytes = elementBytes(inst);
    return Array.from({ length: inst.attrs.count }, (_, index) => ({ start: offset + index * bytes, bytes, inst }));
  });
  const types = new Map<number, Type>();
  for (const { start, bytes, inst } of elements) {
    const key = start * 2 * maxBytes + bytes;
    const known = types.get(key) ?? inst.attrs.type;
    types.set(key, known === inst.attrs.type ? known : integerOf(8 * bytes));
  }
  const cuts = [...new Set(elements.flatMap(({ start, bytes }) => [start, start + bytes]))].sort((a, b) => a - b);
  const covered = coveredBytes(elements);
  const cells = new Map<number, Cell>();
  for (let index = 0; index + 1 < cuts.length; index++) {
    const end = at(cuts, index + 1, 'the end of a cell');
    for (let start = at(cuts, index, 'the start of a cell'); start < end; ) {
      const bytes = partBytes(start, end - start);
      if (covered.has(start)) {
        // No access has exactly these bytes.
        const type = types.get(start * 2 * maxBytes + bytes) ?? integerOf(8 * bytes);
        cells.set(start, { number: first + cells.size, offset: start, bytes, type });
      }
      start += bytes;
    }
  }
  return cells;
}

/** Returns the size of the largest aligned part at the start of a range. */
function partBytes(start: number, length: number): number {
  let bytes = maxBytes;
  while (start % bytes !== 0 || bytes > length) bytes /= 2;
  return bytes;
}

function coveredBytes(elements: readonly { readonly start: number; readonly bytes: number }[]): ReadonlySet<number> {
  const covered = new Set<number>();
  for (const { start, bytes } of elements) for (let byte = start; byte < start + bytes; byte++) covered.add(byte);
  return covered;
}

/** Returns the cells of an aligned range, in order. */
export function cellsIn(cells: ReadonlyMap<number, Cell>, offset: number, bytes: number): readonly Cell[] {
  const inside: Cell[] = [];
  for (let start = offset; start < offset + bytes; ) {
    const cell = get(cells, start, 'the cell at a place');
    inside.push(cell);
    start += cell.bytes;
  }
  return inside;
}

/** Returns the same bits as another type of the same width. */
const as = (b: Builder, value: Value, type: Type): Value => (value.type === type ? value : b.bitcast(value, type));

/** Reads an element from its cells. `read` returns the value of a cell. */
export function readCells(
  b: Builder,
  cells: ReadonlyMap<number, Cell>,
  offset: number,
  type: Type,
  read: (cell: Cell) => Value,
): Value {
  const bitsOf = (start: number, bytes: number): Value => {
    const cell = get(cells, start, 'the cell at a place');
    if (cell.bytes === bytes) return as(b, read(cell), integerOf(8 * bytes));
    return b.join(bitsOf(start, bytes / 2), bitsOf(start + bytes / 2, bytes / 2));
  };
  const whole = get(cells, offset, 'the cell at a place');
  if (whole.bytes * 8 === widthOf(type)) return as(b, read(whole), type);
  return as(b, bitsOf(offset, widthOf(type) / 8), type);
}

/** Writes an element to its cells. */
export function writeCells(
  b: Builder,
  cells: ReadonlyMap<number, Cell>,
  offset: number,
  value: Value,
  write: (cell: Cell, value: Value) => void,
): void {
  const part = (start: number, bytes: number, bits: Value): void => {
    const cell = get(cells, start, 'the cell at a place');
    if (cell.bytes === bytes) return write(cell, as(b, bits, cell.type));
    const [low, high] = b.split(as(b, bits, integerOf(8 * bytes)));
    part(start, bytes / 2, low);
    part(start + bytes / 2, bytes / 2, high);
  };
  part(offset, widthOf(value.type) / 8, value);
}
