// Variables and places in them, per invocation. A variable of a workgroup or a buffer is one value
// that all invocations share.
import { at as element } from '../../../src/base/invariants.ts';
import type { Type } from '../../wgsl-interpreter/types.ts';
import { and, below, constant, equal, isFalse, isTrue, no, not, type Term } from '../terms/term.ts';
import { choose, type Value } from './value.ts';

/** One scalar for each invocation. */
export type Terms = readonly Term[];

/** The index of an item by invocation: a term, or the number of a member. */
export type Index = Terms | number;

interface Write {
  readonly invocation: number;
  readonly mask: Term;
  readonly path: readonly Term[];
  readonly value: Value;
}

/** A variable that invocations share. `isChecked` is true if invocations must not race on it. */
export interface SharedCell {
  readonly kind: 'shared';
  value: Value;
  writes: Write[];
  readonly isChecked: boolean;
}

export type Cell = { readonly kind: 'own'; readonly values: Value[] } | SharedCell;

export interface Place {
  readonly cell: Cell;
  readonly type: Type;
  readonly path: readonly Index[];
}

export class Memory {
  /** The further requirements on a shader: no race, and indexes in bounds. */
  readonly requirements: Term[] = [];

  require(claim: Term): void {
    if (!isTrue(claim)) this.requirements.push(claim);
  }

  read({ cell, path }: Place, invocation: number, mask: Term): Value {
    if (isFalse(mask)) return this.reach(cell.kind === 'own' ? at(cell.values, invocation) : cell.value, [], mask);
    const own = pathOf(path, invocation);
    if (cell.kind === 'own') return under(mask, this.reach(at(cell.values, invocation), own, mask));
    this.requireNoRace(cell, invocation, mask, own);
    return this.reach(cell.value, own, mask);
  }

  write(place: Place, invocation: number, mask: Term, value: Value): void {
    const { cell, path } = place;
    if (cell.kind === 'shared' && cell.isChecked && !isFalse(mask)) {
      const write: Write = { invocation, mask, path: pathOf(path, invocation), value };
      this.requireNoRace(cell, invocation, mask, write.path, value);
      cell.writes.push(write);
    }
    this.change(place, invocation, mask, () => value);
  }

  /** Changes a place as a function of its value. Does not check for races. */
  change({ cell, path }: Place, invocation: number, mask: Term, of: (old: Value) => Value): void {
    if (isFalse(mask)) return;
    const own = pathOf(path, invocation);
    if (cell.kind === 'own') cell.values[invocation] = this.replace(at(cell.values, invocation), own, of, mask);
    else cell.value = this.replace(cell.value, own, of, mask);
  }

  /**
   * Requires that no other invocation has written an overlapping place since the last barrier. Writes
   * of one value to one place do not race. `value`: the written value; absent for a read.
   */
  private requireNoRace(
    { writes }: SharedCell,
    invocation: number,
    mask: Term,
    path: readonly Term[],
    value?: Value,
  ): void {
    for (const write of writes) {
      const both = and(mask, write.mask, overlap(write.path, path));
      if (write.invocation === invocation || isFalse(both)) continue;
      const isSame = value !== undefined && write.path.length === path.length ? isEqual(write.value, value) : no();
      this.require(not(and(both, not(isSame))));
    }
  }

  private reach(value: Value, path: readonly Term[], mask: Term): Value {
    const [index, ...rest] = path;
    if (index === undefined) return value;
    if (value.kind !== 'list') throw new Error('the place has no items');
    if (index.value !== undefined) return this.reach(itemAt(value.items, index), rest, mask);
    this.require(not(and(mask, not(below(index, constant(value.items.length))))));
    const items = value.items.map((item) => this.reach(item, rest, mask));
    const last = items.at(-1);
    if (last === undefined) throw new Error('the array is empty');
    return items
      .slice(0, -1)
      .reduceRight((other, item, number) => choose(equal(index, constant(number)), item, other), last);
  }

  private replace(old: Value, path: readonly Term[], of: (old: Value) => Value, mask: Term): Value {
    const [index, ...rest] = path;
    if (index === undefined) return isFalse(mask) ? old : choose(mask, of(old), old);
    if (old.kind !== 'list') throw new Error('the place has no items');
    const items = [...old.items];
    if (index.value !== undefined) {
      itemAt(items, index);
      items[Number(index.value)] = this.replace(at(items, Number(index.value)), rest, of, mask);
    } else {
      this.require(not(and(mask, not(below(index, constant(items.length))))));
      for (const [number, item] of items.entries())
        items[number] = this.replace(item, rest, of, and(mask, equal(index, constant(number))));
    }
    return { ...old, items };
  }
}

/**
 * Simplifies a value under a condition: replaces a choice by its first alternative if the condition
 * implies the choice's condition.
 */
function under(mask: Term, value: Value): Value {
  if (value.kind !== 'scalar') return value;
  const known = new Set(mask.kind === 'and' ? mask.args : [mask]);
  let { term } = value;
  while (term.kind === 'ite') {
    const [condition, then] = term.args;
    if (condition === undefined || then === undefined) break;
    if (!(condition.kind === 'and' ? condition.args : [condition]).every((part) => known.has(part))) break;
    term = then;
  }
  return { ...value, term };
}

/** An index is outside of an array for all operands. */
export class OutOfBounds extends Error {}

function itemAt(items: readonly Value[], index: Term): Value {
  const item = items[Number(index.value)];
  if (item === undefined) throw new OutOfBounds(`index ${index.value} is outside of ${items.length} items`);
  return item;
}

const pathOf = (path: readonly Index[], invocation: number): Term[] =>
  path.map((index) => (typeof index === 'number' ? constant(index) : at(index, invocation)));

/** Whether two scalars are equal; false for other values. */
const isEqual = (a: Value, b: Value): Term =>
  a.kind === 'scalar' && b.kind === 'scalar' ? equal(a.term, b.term) : no();

/** Whether two paths name overlapping places: equal places, or a place and a part of it. */
const overlap = (a: readonly Term[], b: readonly Term[]): Term =>
  and(...a.slice(0, b.length).map((index, at) => equal(index, b[at] ?? index)));

export const at = <T extends object | string | number>(items: readonly T[], index: number): T =>
  element(items, index, 'an item');
