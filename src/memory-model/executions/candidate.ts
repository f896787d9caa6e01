// A candidate execution: events, and the writes that each read returns. The axioms decide whether
// PTX allows it.
import type { Access, ByteRange, Event, Placement } from '../event.ts';
import { isAccess } from '../event.ts';
import { add, emptyRelation, type Relation } from '../relation.ts';

/** The part of a read that one write determines. */
export interface ReadPart extends ByteRange {
  readonly read: number;
  readonly write: number;
}

export interface Candidate {
  /** The events of all threads. The initial writes are first. */
  readonly events: readonly Event[];
  readonly initialCount: number;
  /** The threads' places, by number. */
  readonly placements: readonly Placement[];
  readonly programOrder: Relation;
  /** The pairs of the read and the write of a read-modify-write. */
  readonly updates: Relation;
  /** Dependencies: pairs of a read and an operation that depends on its value. */
  readonly dependencies: Relation;
  /** The pairs of barriers that synchronize. */
  readonly barriers: Relation;
  /** The pairs of an access of a copy and the fence at the end of the wait for it. */
  readonly completions: Relation;
  readonly parts: readonly ReadPart[];
}

/** The thread of the initial writes. */
export const initialThread = -1;

/** Returns the pairs of a write and a read that returns a byte of it. */
export function readsFrom({ events, parts }: Pick<Candidate, 'events' | 'parts'>): Relation {
  const relation = emptyRelation(events.length);
  for (const { read, write } of parts) add(relation, write, read);
  return relation;
}

/** Returns the accesses of a kind with their indices. */
export function accessesOf(events: readonly Event[], kind: Access['kind']): readonly (readonly [number, Access])[] {
  return events.flatMap((event, index) => (isAccess(event) && event.kind === kind ? [[index, event] as const] : []));
}
