// Detects races: two threads access the same byte, one of them writes, and neither a barrier nor an
// atomic orders the accesses.

import { getOrInsert } from '../../../base/maps.ts';
import type { Access } from '../memory/access.ts';
import { type BlockClocks, type Moment, mergedReleases, type Released } from './clocks.ts';

/** An access and its time. */
export interface PastAccess extends Moment {
  readonly access: Access;
  /**
   * Whether this access is a store or atomic directly after a fence of its thread, so that it
   * publishes earlier accesses.
   */
  readonly publishes: boolean;
}

/**
 * Two conflicting accesses.
 * - `race`: PTX leaves the result undefined.
 * - `lockstep`: both accesses are volatile and no fence precedes the write, so the accesses have
 * the intended order only if the lanes of the warp execute in lockstep.
 */
export interface Conflict {
  readonly kind: 'race' | 'lockstep';
  readonly past: PastAccess;
}

/** The history of bytes that were always accessed together. */
interface History {
  write: PastAccess | undefined;
  /** The reads since the last write, except reads that are ordered before a later read. */
  reads: PastAccess[];
}

/** The maximum number of recorded reads. One recorded read suffices to report a race. */
const mostReads = 256;
/**
 * If the number of recorded reads is at least this number and a power of two, the detector drops
 * reads that are ordered before the current one, to save time.
 */
const manyReads = 8;

/**
 * The history of a word: one history for all four bytes until the first access to fewer bytes, and
 * then one for each byte.
 */
type Word = History | readonly [History, History, History, History];

/**
 * The binary logarithm of the number of words in a page. Finding a word in the current page does
 * not need a map lookup.
 */
const pageBits = 9;

const fresh = (): History => ({ write: undefined, reads: [] });
const copyOf = ({ write, reads }: History): History => ({ write, reads: [...reads] });

function conflictOf(past: PastAccess, now: PastAccess): Conflict['kind'] | undefined {
  if (now.block.after(past, now.thread)) return undefined;
  if (!past.access.strong || !now.access.strong) return 'race';
  const oneWarp = past.block === now.block && past.thread >>> 5 === now.thread >>> 5;
  const isFlag = [past, now].every(({ access, publishes }) => access.verb === 'load' || publishes);
  return past.access.volatile && now.access.volatile && oneWarp && !isFlag ? 'lockstep' : undefined;
}

/** The accesses to one region: a block's shared memory, or a buffer that all blocks share. */
export class AccessHistory {
  readonly #pages = new Map<number, (Word | undefined)[]>();
  /** The page of the last access. The next access probably needs it too. */
  #page: (Word | undefined)[] = [];
  #pageNumber = -1;
  /** The knowledge that strong writes released, by the offset of the access. */
  readonly #released = new Map<number, Released>();

  /**
   * Records an access of a thread. Returns the earlier access with which it conflicts, if there is
   * one.
   */
  access(clocks: BlockClocks, thread: number, access: Access, offset: number): Conflict | undefined {
    // A strong read acquires the releases at its location. Earlier reads of the same thread retain
    // their earlier clock.
    const released = access.strong && access.verb !== 'store' ? this.#released.get(offset) : undefined;
    if (released !== undefined) clocks.acquire(thread, released);
    const publishes = clocks.publishes(thread, access.strong && access.verb !== 'load');
    const clock = clocks.clockOf(thread);
    const now: PastAccess = { block: clocks, thread, epoch: clocks.epoch, clock, access, publishes };
    let found: Conflict | undefined;
    const end = offset + access.bytes;
    for (let at = offset; at < end; ) {
      const whole = (at & 3) === 0 && end - at >= 4;
      const history = this.#at(at, whole);
      const conflict = Array.isArray(history)
        ? history.map((part) => note(part, now)).find((one) => one !== undefined)
        : note(history, now);
      if (conflict !== undefined && found?.kind !== 'race') found = conflict;
      at += whole ? 4 : 1;
    }
    if (access.strong && access.verb !== 'load') this.#release(clocks, thread, access, offset);
    return found;
  }

  /** Yields the last writes of bytes. */
  *writesIn(offset: number, bytes: number): Generator<PastAccess> {
    for (let at = offset >>> 2; at <= (offset + bytes - 1) >>> 2; at++) {
      const word = this.#pages.get(at >>> pageBits)?.[at & ((1 << pageBits) - 1)];
      if (word === undefined) continue;
      for (const { write } of 'reads' in word ? [word] : word) if (write !== undefined) yield write;
    }
  }

  #at(offset: number, whole: boolean): History | History[] {
    const index = offset >>> 2;
    const page = this.#pageOf(index >>> pageBits);
    const place = index & ((1 << pageBits) - 1);
    let word = page[place];
    if (word === undefined) {
      word = whole ? fresh() : [fresh(), fresh(), fresh(), fresh()];
      page[place] = word;
    } else if (!whole && 'reads' in word) {
      word = [word, copyOf(word), copyOf(word), copyOf(word)];
      page[place] = word;
    }
    if ('reads' in word) return word;
    return whole ? [...word] : (word[offset & 3] ?? fresh());
  }

  #pageOf(number: number): (Word | undefined)[] {
    if (number === this.#pageNumber) return this.#page;
    const page = getOrInsert(this.#pages, number, () => new Array<Word | undefined>(1 << pageBits).fill(undefined));
    this.#pageNumber = number;
    this.#page = page;
    return page;
  }

  /**
   * Records the release of a strong write. An atomic adds its release to those at its location; a
   * store replaces them.
   */
  #release(clocks: BlockClocks, thread: number, { verb, releases }: Access, offset: number): void {
    const released = clocks.release(thread, releases);
    const before = this.#released.get(offset);
    if (released.far.size + released.near.size === 0 && before === undefined) return;
    const kept = verb === 'atomic' && before !== undefined ? mergedReleases(before, released) : released;
    this.#released.set(offset, kept);
  }
}

/**
 * Returns the conflict to report: `found`, or the conflict of `past` and `now`. If `found` is a
 * race, returns `found`.
 */
function worse(found: Conflict | undefined, past: PastAccess, now: PastAccess): Conflict | undefined {
  if (found?.kind === 'race') return found;
  const kind = conflictOf(past, now);
  return kind === undefined ? found : { kind, past };
}

function note(history: History, now: PastAccess): Conflict | undefined {
  const { write, reads } = history;
  let found = write === undefined ? undefined : worse(undefined, write, now);
  if (now.access.verb !== 'load') {
    for (const read of reads) found = worse(found, read, now);
    history.write = now;
    if (reads.length > 0) history.reads = [];
    return found;
  }
  const last = reads.at(-1);
  // The same thread reads again, without other accesses in between.
  if (last?.thread === now.thread && last.block === now.block && last.access.strong === now.access.strong) {
    reads[reads.length - 1] = now;
    return found;
  }
  if (reads.length >= manyReads && (reads.length & (reads.length - 1)) === 0) {
    history.reads = reads.filter(
      (read) => read.access.strong !== now.access.strong || !now.block.after(read, now.thread),
    );
  }
  if (history.reads.length < mostReads) history.reads.push(now);
  return found;
}
