// The axioms of the PTX memory consistency model, and the search for the orders that satisfy them.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#axioms
import { type Access, type ByteRange, covers, type Event, overlap } from '../event.ts';
import {
  add,
  closure,
  composition,
  contradicts,
  emptyRelation,
  has,
  intersection,
  isAcyclic,
  isIrreflexive,
  overlaps,
  type Relation,
  union,
} from '../relation.ts';
import { accessesOf, type Candidate } from './candidate.ts';
import { baseCausality, causality, fencePairs, type Orders, ordersOf } from './orders.ts';

/**
 * Calls `visit` with each coherence order that completes the candidate to an execution that PTX
 * allows. The search stops if `visit` returns true; the result is whether it did.
 */
export function eachCoherence(candidate: Candidate, visit: (coherence: Relation) => boolean): boolean {
  const { programOrder, dependencies } = candidate;
  const orders = ordersOf(candidate);
  // No thin air.
  if (!isAcyclic(union(orders.readsFrom, dependencies))) return false;
  const pairs = fencePairs(candidate.events, orders.morallyStrong);
  return eachOrientation(pairs, emptyRelation(candidate.events.length), (fenceOrder) => {
    const base = baseCausality(programOrder, orders.synchronizes, fenceOrder);
    // Fence-SC: base causality order contains Fence-SC order, so a contradiction is a cycle. Only
    // barriers, which synchronize in both directions, may precede themselves.
    if (pairs.some((pair) => pair.some((fence) => has(base, fence, fence)))) return false;
    const cause = causality(candidate, base, orders);
    // Causality: a read cannot return a write that it precedes.
    if (contradicts(orders.readsFrom, cause)) return false;
    return eachCoherenceOrder(candidate, orders, cause, (coherence) =>
      satisfies(candidate, orders, cause, coherence) ? visit(coherence) : false,
    );
  });
}

/**
 * Calls `visit` with each strict partial order that contains `start` and relates the pairs. Stops
 * if `visit` returns true.
 */
function eachOrientation(
  pairs: readonly (readonly [number, number])[],
  start: Relation,
  visit: (order: Relation) => boolean,
): boolean {
  const open = pairs.find(([a, b]) => !has(start, a, b) && !has(start, b, a));
  if (open === undefined) return visit(start);
  const [a, b] = open;
  const extended = (first: number, second: number): Relation => {
    const order = start.slice();
    add(order, first, second);
    return closure(order);
  };
  return eachOrientation(pairs, extended(a, b), visit) || eachOrientation(pairs, extended(b, a), visit);
}

/**
 * Coherence order relates overlapping writes that are morally strong or that causality order
 * relates (the coherence axiom), and the initial write precedes all others. Two writes in a data
 * race are unrelated.
 */
function eachCoherenceOrder(
  { events, initialCount }: Candidate,
  { morallyStrong }: Orders,
  cause: Relation,
  visit: (coherence: Relation) => boolean,
): boolean {
  const start = emptyRelation(events.length);
  const pairs: (readonly [number, number])[] = [];
  const writes = accessesOf(events, 'write');
  for (const [a, left] of writes) {
    for (const [b, right] of writes) {
      if (a === b || !overlap(left, right)) continue;
      if ((a < initialCount && b >= initialCount) || has(cause, a, b)) add(start, a, b);
      if (a < b && has(morallyStrong, a, b)) pairs.push([a, b]);
    }
  }
  const closed = closure(start);
  return isIrreflexive(closed) && eachOrientation(pairs, closed, visit);
}

/** From-reads: a read precedes the writes that follow, in coherence order, a byte that it returns. */
function fromReads({ events, parts }: Candidate, coherence: Relation): Relation {
  const relation = emptyRelation(events.length);
  const writes = accessesOf(events, 'write');
  for (const part of parts) {
    for (const [later, access] of writes) {
      if (overlap(access, part) && has(coherence, part.write, later)) add(relation, part.read, later);
    }
  }
  return relation;
}

function satisfies(candidate: Candidate, orders: Orders, cause: Relation, coherence: Relation): boolean {
  const { morallyStrong, readsFrom, sameLocation } = orders;
  const readsBefore = fromReads(candidate, coherence);
  // Causality: a read cannot return a write that an overwriting write, which precedes it, follows.
  if (contradicts(readsBefore, cause)) return false;
  const strongFrom = intersection(readsFrom, morallyStrong);
  const strongBefore = intersection(readsBefore, morallyStrong);
  const strongCoherence = intersection(coherence, morallyStrong);
  // Single-copy atomicity.
  if (contradicts(strongFrom, strongBefore)) return false;
  // Atomicity of read-modify-writes.
  if (overlaps(composition(strongBefore, strongCoherence), candidate.updates)) return false;
  // Sequential consistency per location.
  const inOrder = intersection(candidate.programOrder, sameLocation);
  return isAcyclic(union(strongFrom, strongBefore, strongCoherence, inOrder));
}

/**
 * Returns the writes whose bytes may finally be in memory: those that no other write follows in
 * coherence order. Each of them covers the bytes.
 */
export function finalWrites(events: readonly Event[], coherence: Relation, part: ByteRange): readonly Access[] {
  const covering = accessesOf(events, 'write').filter(([, write]) => covers(write, part));
  return covering.flatMap(([index, write]) =>
    covering.every(([later]) => !has(coherence, index, later)) ? [write] : [],
  );
}
