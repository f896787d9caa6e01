// Enumerates the candidate executions of a litmus test: a path of each thread, the completion of
// its barriers, and a write for each part of each read.
import { at } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import { initialBytes } from '../../ptx/initial-bytes.ts';
import { litmusDiagnostics } from '../diagnostics.ts';
import { type Access, type Barrier, covers, type Event, isAccess, overlap, valueAt } from '../event.ts';
import { type LitmusTest, spaceOf } from '../litmus/litmus-test.ts';
import { raiseIn } from '../litmus/raise.ts';
import { add, eachEvent, emptyRelation, maxEvents, type Relation } from '../relation.ts';
import { KnownWrites, readPartsOf } from '../threads/known-writes.ts';
import { type Path, pathsOf } from '../threads/thread-paths.ts';
import { barrierPhases } from './barrier-phases.ts';
import { accessesOf, type Candidate, initialThread, type ReadPart } from './candidate.ts';

/** Returns the initial writes: one for each variable, with the bytes of its initializer. */
export function initialWrites({ variables }: LitmusTest): readonly Access[] {
  const own = variables.filter(({ aliasOf }) => aliasOf === undefined);
  return own.map(({ variable, address }) => {
    const value = initialBytes(variable).reduceRight((high, byte) => (high << 8n) | BigInt(byte), 0n);
    const place = { address, bytes: variable.bytes, value };
    return {
      ...place,
      kind: 'write',
      thread: initialThread,
      scope: undefined,
      dependencies: 0,
      after: 0,
      synchronizes: false,
      readIndex: undefined,
      proxy: 'generic',
      view: 0,
      space: spaceOf(variable),
    };
  });
}

/** Returns the paths of each thread, for all values that its reads may return. */
export function allPaths(test: LitmusTest): readonly (readonly Path[])[] {
  const known = new KnownWrites(initialWrites(test));
  // A value without a cycle of dependencies passes through each write at most once.
  for (let round = 0; ; round++) {
    const paths = test.threads.map((_, thread) => pathsOf(test, thread, known));
    const events = paths.map((own) => own.map((path) => path.events));
    const writes = events.reduce((sum, own) => sum + Math.max(0, ...own.map(countWrites)), 0);
    if (!known.addPaths(events) || round >= writes) return paths;
  }
}

const countWrites = (events: readonly Event[]): number => events.filter(({ kind }) => kind === 'write').length;

/**
 * Calls `visit` with each candidate execution and the paths of its threads. Stops if `visit`
 * returns true; the result is whether it did. `accepts` is called with the paths of all threads, and
 * of the first threads; if it returns false, their candidates are skipped.
 */
export function eachCandidate(
  test: LitmusTest,
  accepts: (paths: readonly Path[]) => boolean,
  visit: (candidate: Candidate, paths: readonly Path[]) => boolean,
): boolean {
  const choices = allPaths(test);
  const initial = initialWrites(test);
  const barriersOf = barrierRelations(test);
  const combine = (chosen: readonly Path[]): boolean => {
    const own = choices[chosen.length];
    if (!accepts(chosen)) return false;
    if (own !== undefined) return own.some((path) => combine([...chosen, path]));
    return eachReadsFrom(test, initial, chosen, barriersOf, (candidate) => visit(candidate, chosen));
  };
  return combine([]);
}

function eachReadsFrom(
  test: LitmusTest,
  initial: readonly Access[],
  paths: readonly Path[],
  barriersOf: ReturnType<typeof barrierRelations>,
  visit: (candidate: Candidate) => boolean,
): boolean {
  const events: readonly Event[] = [...initial, ...paths.flatMap((path) => path.events)];
  const sources = readSources(events);
  if (sources === undefined) return false;
  if (events.length > maxEvents) raiseIn(test.source)(litmusDiagnostics.tooLarge(test.span, 'events', maxEvents));
  const frame = { events, initialCount: initial.length, placements: test.threads.map(({ placement }) => placement) };
  const orders = pathRelations(initial.length, paths, events.length);
  return barriersOf(paths, events).some((barriers) => {
    const choose = (parts: readonly ReadPart[]): boolean => {
      const source = sources[parts.length];
      if (source === undefined) return visit({ ...frame, ...orders, barriers, parts });
      return source.writes.some((write) => choose([...parts, { ...source.part, write }]));
    };
    return choose([]);
  });
}

/**
 * Returns the writes with the right bytes for each part of each read; undefined if a part has none.
 * A read cannot return a later write of its own thread.
 */
function readSources(events: readonly Event[]) {
  const writes = accessesOf(events, 'write');
  const sources: { readonly part: Omit<ReadPart, 'write'>; readonly writes: readonly number[] }[] = [];
  for (const [read, access] of accessesOf(events, 'read')) {
    const start = events.findIndex(({ thread }) => thread === access.thread);
    const isAfter = (write: Access, event: number): boolean => ((write.after >>> (event - start)) & 1) === 1;
    const touching = writes.filter(([, write]) => overlap(access, write)).map(([, write]) => write);
    for (const part of readPartsOf(access.address, access.bytes, touching)) {
      const matching = writes.filter(
        ([, write]) =>
          covers(write, part) &&
          !(write.thread === access.thread && isAfter(write, read)) &&
          valueAt(write, part) === valueAt(access, part),
      );
      if (matching.length === 0) return undefined;
      sources.push({ part: { read, ...part }, writes: matching.map(([index]) => index) });
    }
  }
  return sources;
}

/** The relations that the paths determine. */
function pathRelations(first: number, paths: readonly Path[], size: number) {
  const programOrder = emptyRelation(size);
  const dependencies = emptyRelation(size);
  const updates = emptyRelation(size);
  const completions = emptyRelation(size);
  let start = first;
  for (const { events } of paths) {
    for (const [index, event] of events.entries()) {
      eachEvent(event.after, (earlier) => add(programOrder, start + earlier, start + index));
      eachEvent(event.dependencies, (read) => add(dependencies, start + read, start + index));
      if (isAccess(event) && event.readIndex !== undefined) add(updates, start + event.readIndex, start + index);
      if (event.kind === 'proxyFence') {
        eachEvent(event.completes ?? 0, (access) => add(completions, start + access, start + index));
      }
    }
    start += events.length;
  }
  return { programOrder, dependencies, updates, completions };
}

/**
 * Returns a function that maps paths to the relations of barriers that synchronize, one for each
 * way in which they complete. It remembers the ways, because many paths have the same barriers.
 */
function barrierRelations({ threads }: LitmusTest) {
  const known = new Map<string, readonly (readonly (readonly number[])[])[]>();
  const isBarrier = (event: Event): event is Barrier => event.kind === 'barrier';
  const blockOf = (thread: number): number => at(threads, thread, 'thread').placement.block;
  const sizeOf = (block: number): number => threads.filter(({ placement }) => placement.block === block).length;
  return (paths: readonly Path[], events: readonly Event[]): readonly Relation[] => {
    const own = paths.map(({ events: all, waits }) => ({ barriers: all.filter(isBarrier), waits }));
    const all = own.flatMap(({ barriers }) => barriers);
    const key = own
      .map(
        ({ barriers, waits }) =>
          `${barriers.map(({ id, count, waits: waiting }) => `${id},${count},${waiting}`)}/${waits}`,
      )
      .join(';');
    const ways = getOrInsert(known, key, () =>
      barrierPhases(own, blockOf, sizeOf).map((phases) =>
        phases.map((phase) => phase.map((barrier) => all.indexOf(barrier))),
      ),
    );
    const places = all.map((barrier) => events.indexOf(barrier));
    return ways.map((phases) => {
      const relation = emptyRelation(events.length);
      for (const [from, to] of phases.flatMap(pairsOf)) {
        if (!at(all, to, 'barrier').waits) continue;
        add(relation, at(places, from, 'place of a barrier'), at(places, to, 'place of a barrier'));
      }
      return relation;
    });
  };
}

const pairsOf = (members: readonly number[]): readonly (readonly [number, number])[] =>
  members.flatMap((from) => members.flatMap((to) => (from === to ? [] : [[from, to] as const])));
