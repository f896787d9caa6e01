// Binary relations over at most 32 events. Row `a` is the mask of the events that `a` relates to.
import { at } from '../base/invariants.ts';

/** A relation: row `a` contains bit `b` if the relation contains the pair (a, b). */
export type Relation = Int32Array;

/** The maximum number of events in an execution: the width of a row. */
export const maxEvents = 32;

export const emptyRelation = (size: number): Relation => new Int32Array(size);

/** Returns the row of an event. */
export const rowOf = (relation: Relation, event: number): number => at(relation, event, 'row of an event');

export const has = (relation: Relation, a: number, b: number): boolean => ((rowOf(relation, a) >>> b) & 1) === 1;

export function add(relation: Relation, a: number, b: number): void {
  relation[a] = rowOf(relation, a) | (1 << b);
}

/** Calls `visit` for each event of a mask, in ascending order. */
export function eachEvent(mask: number, visit: (event: number) => void): void {
  for (let rest = mask; rest !== 0; rest &= rest - 1) visit(31 - Math.clz32(rest & -rest));
}

export function union(...relations: readonly [Relation, ...Relation[]]): Relation {
  return relations[0].map((_, a) => relations.reduce((row, relation) => row | rowOf(relation, a), 0));
}

export const intersection = (left: Relation, right: Relation): Relation => left.map((row, a) => row & rowOf(right, a));

/** Returns the pairs (a, c) with a pair (a, b) of `left` and a pair (b, c) of `right`. */
export function composition(left: Relation, right: Relation): Relation {
  return left.map((row) => {
    let result = 0;
    eachEvent(row, (b) => {
      result |= rowOf(right, b);
    });
    return result;
  });
}

/** Returns the transitive closure. */
export function closure(relation: Relation): Relation {
  const result = relation.slice();
  for (let via = 0; via < result.length; via++) {
    const reached = rowOf(result, via);
    for (let a = 0; a < result.length; a++) {
      if (has(result, a, via)) result[a] = rowOf(result, a) | reached;
    }
  }
  return result;
}

export const isIrreflexive = (relation: Relation): boolean => relation.every((row, a) => ((row >>> a) & 1) === 0);

export const isAcyclic = (relation: Relation): boolean => isIrreflexive(closure(relation));

/** Whether the relations have a pair in common. */
export const overlaps = (left: Relation, right: Relation): boolean =>
  left.some((row, a) => (row & rowOf(right, a)) !== 0);

/** Whether the relations have pairs (a, b) of `left` and (b, a) of `right`. */
export const contradicts = (left: Relation, right: Relation): boolean => !isIrreflexive(composition(left, right));
