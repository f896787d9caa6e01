// The relations of the PTX memory consistency model that a candidate execution determines, before
// Fence-SC order and coherence order are chosen.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#memory-consistency-model
import { at } from '../../base/invariants.ts';
import { type Event, type Fence, includes, isAccess, isStrong, overlap, samePath } from '../event.ts';
import {
  add,
  closure,
  composition,
  eachEvent,
  emptyRelation,
  has,
  intersection,
  type Relation,
  rowOf,
  union,
} from '../relation.ts';
import { type Candidate, initialThread, readsFrom } from './candidate.ts';
import { proxyPreserved } from './proxies.ts';

export interface Orders {
  readonly readsFrom: Relation;
  readonly morallyStrong: Relation;
  /** Pairs of accesses with a byte in common. */
  readonly overlapping: Relation;
  /** Those that also use the same proxy and the same mapping. */
  readonly sameLocation: Relation;
  readonly observation: Relation;
  /** Pairs of operations that synchronize through a release and an acquire, or a barrier. */
  readonly synchronizes: Relation;
}

const isRelease = (event: Event): boolean =>
  (event.kind === 'write' && event.synchronizes) || (event.kind === 'fence' && event.order !== 'acquire');
const isAcquire = (event: Event): boolean =>
  (event.kind === 'read' && event.synchronizes) || (event.kind === 'fence' && event.order !== 'release');

export function ordersOf(candidate: Candidate): Orders {
  const { events, updates, barriers, programOrder } = candidate;
  const relations = pairwise(candidate);
  const { morallyStrong, overlapping, sameLocation } = relations;
  const from = readsFrom(candidate);
  const observation = observe(intersection(morallyStrong, from), updates);
  const { releases, acquires } = patterns(events, programOrder, sameLocation);
  const throughMemory = intersection(composition(composition(releases, observation), acquires), morallyStrong);
  return {
    readsFrom: from,
    morallyStrong,
    overlapping,
    sameLocation,
    observation,
    synchronizes: union(throughMemory, intersection(barriers, morallyStrong)),
  };
}

type PairwiseOrders = Pick<Orders, 'morallyStrong' | 'overlapping' | 'sameLocation'>;

/** Whether two events overlap, and whether they are morally strong, for all pairs of events. */
function pairwise({ events, placements, programOrder }: Candidate): PairwiseOrders {
  const morallyStrong = emptyRelation(events.length);
  const overlapping = emptyRelation(events.length);
  const sameLocation = emptyRelation(events.length);
  for (const [a, left] of events.entries()) {
    for (const [b, right] of events.entries()) {
      if (a === b) continue;
      const accesses = isAccess(left) && isAccess(right);
      if (accesses && overlap(left, right)) {
        add(overlapping, a, b);
        if (samePath(left, right)) add(sameLocation, a, b);
      }
      if (accesses && (left.address !== right.address || left.bytes !== right.bytes || !samePath(left, right)))
        continue;
      const ordered = has(programOrder, a, b) || has(programOrder, b, a);
      if (ordered || (reaches(left, right) && reaches(right, left))) add(morallyStrong, a, b);
    }
  }
  return { morallyStrong, overlapping, sameLocation };

  /** Whether an operation is strong, and its scope includes the thread of another operation. */
  function reaches(from: Event, to: Event): boolean {
    if (from.scope === undefined || from.thread === initialThread || to.thread === initialThread) return false;
    const places = [from, to].map(({ thread }) => at(placements, thread, 'place of a thread'));
    return includes(from.scope, at(places, 0, 'place'), at(places, 1, 'place'));
  }
}

/** Observation order: a write, and the reads that return its value through read-modify-writes. */
function observe(strongReadsFrom: Relation, updates: Relation): Relation {
  const steps = closure(union(strongReadsFrom, updates));
  // A step must begin at a write and end at a read: an update alone is not an observation.
  const writes = strongReadsFrom.map((row) => (row === 0 ? 0 : -1));
  const reads = strongReadsFrom.reduce((all, row) => all | row, 0);
  return steps.map((row, a) => (writes[a] === 0 ? 0 : row & reads));
}

/**
 * The release patterns, as pairs of their first operation and their write, and the acquire
 * patterns, as pairs of their read and their last operation.
 */
function patterns(events: readonly Event[], programOrder: Relation, sameLocation: Relation) {
  const releases = emptyRelation(events.length);
  const acquires = emptyRelation(events.length);
  for (const [first, event] of events.entries()) {
    if (event.kind === 'write' && isRelease(event)) add(releases, first, first);
    if (event.kind === 'read' && isAcquire(event)) add(acquires, first, first);
    eachEvent(rowOf(programOrder, first), (last) => {
      const other = at(events, last, 'event');
      const same = has(sameLocation, first, last);
      if (isRelease(event) && other.kind === 'write' && isStrong(other) && (event.kind === 'fence' || same)) {
        add(releases, first, last);
      }
      if (isAcquire(other) && event.kind === 'read' && isStrong(event) && (other.kind === 'fence' || same)) {
        add(acquires, first, last);
      }
    });
  }
  return { releases, acquires };
}

/** The pairs of morally strong `fence.sc` operations, each once. Fence-SC order relates them. */
export function fencePairs(events: readonly Event[], morallyStrong: Relation): readonly (readonly [number, number])[] {
  const isSc = (event: Event): event is Fence => event.kind === 'fence' && event.order === 'sc';
  return events.flatMap((left, a) =>
    events.flatMap((right, b) =>
      a < b && isSc(left) && isSc(right) && has(morallyStrong, a, b) ? [[a, b] as const] : [],
    ),
  );
}

/** Base causality order, for a choice of Fence-SC order. */
export const baseCausality = (programOrder: Relation, synchronizes: Relation, fenceOrder: Relation): Relation =>
  closure(union(programOrder, synchronizes, fenceOrder));

/** Causality order between accesses. */
export function causality(candidate: Candidate, base: Relation, { overlapping, observation }: Orders): Relation {
  const preserved = proxyPreserved(candidate, intersection(base, overlapping), base);
  return union(preserved, composition(observation, preserved));
}
