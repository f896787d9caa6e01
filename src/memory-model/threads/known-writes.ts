// The writes that may exist in some execution. They determine the values that a read may return.

import { at } from '../../base/invariants.ts';
import { countOf } from '../../base/maps.ts';
import { type Access, type ByteRange, covers, type Event, overlap, valueAt } from '../event.ts';

interface KnownWrite extends ByteRange {
  readonly value: bigint;
  /**
   * The minimum number of writes of the same bytes that this write requires, including itself: a
   * read-modify-write requires the write that it reads.
   */
  readonly depth: number;
}

const rangeKey = ({ address, bytes }: ByteRange): string => `${address}:${bytes}`;
const keyOf = (write: Pick<Access, 'address' | 'bytes' | 'value'>): string => `${rangeKey(write)}:${write.value}`;

export class KnownWrites {
  readonly #writes = new Map<string, KnownWrite>();
  readonly #values = new Map<string, readonly bigint[]>();

  /** Creates the set of the initial writes. */
  constructor(initial: readonly Access[]) {
    for (const { address, bytes, value } of initial) this.#add({ address, bytes, value, depth: 0 });
  }

  /**
   * Adds the writes of the threads' paths. Returns whether there were new ones. A write that
   * requires more writes of its bytes than the threads have is omitted.
   */
  addPaths(threads: readonly (readonly (readonly Event[])[])[]): boolean {
    const before = this.#writes.size;
    const limits = writeCounts(threads);
    for (const events of threads.flat()) {
      for (const event of events) {
        if (event.kind !== 'write') continue;
        const depth = 1 + (event.readIndex === undefined ? 0 : this.#depthOf(at(events, event.readIndex, 'event')));
        const { address, bytes, value } = event;
        const limit = limits.get(rangeKey(event));
        if (limit !== undefined && depth <= limit) this.#add({ address, bytes, value, depth });
      }
    }
    return this.#writes.size > before;
  }

  #depthOf(read: Event): number {
    // Absent: no write of exactly these bytes has the value, so that its parts have other writes.
    return read.kind === 'read' ? (this.#writes.get(keyOf(read))?.depth ?? 0) : 0;
  }

  #add(write: KnownWrite): void {
    const key = keyOf(write);
    const known = this.#writes.get(key);
    if (known !== undefined && known.depth <= write.depth) return;
    this.#writes.set(key, write);
    this.#values.clear();
  }

  /** Returns the values that a read may return. Each part of a read may return another write. */
  valuesAt(address: number, bytes: number): readonly bigint[] {
    const key = `${address}:${bytes}`;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const values = this.#combine(address, bytes);
    this.#values.set(key, values);
    return values;
  }

  #combine(address: number, bytes: number): readonly bigint[] {
    const touching = [...this.#writes.values()].filter((write) => overlap(write, { address, bytes }));
    let values = new Set([0n]);
    for (const part of readPartsOf(address, bytes, touching)) {
      const shift = BigInt(8 * (part.address - address));
      const choices = touching.filter((write) => covers(write, part)).map((write) => valueAt(write, part));
      values = new Set([...values].flatMap((low) => choices.map((choice) => low | (choice << shift))));
    }
    return [...values];
  }
}

/** Returns the maximum number of writes of the same bytes in one execution. */
function writeCounts(threads: readonly (readonly (readonly Event[])[])[]): ReadonlyMap<string, number> {
  const total = new Map<string, number>();
  for (const paths of threads) {
    const most = new Map<string, number>();
    for (const events of paths) {
      const own = new Map<string, number>();
      for (const event of events) {
        if (event.kind === 'write') own.set(rangeKey(event), countOf(own, rangeKey(event)) + 1);
      }
      for (const [key, count] of own) most.set(key, Math.max(count, countOf(most, key)));
    }
    for (const [key, count] of most) total.set(key, count + countOf(total, key));
  }
  return total;
}

/** Splits a range at the ends of other ranges. */
export function partsOf(address: number, bytes: number, ranges: readonly ByteRange[]): readonly ByteRange[] {
  const ends = ranges.flatMap((range) => [range.address, range.address + range.bytes]);
  const inside = ends.filter((end) => end > address && end < address + bytes);
  const starts = [...new Set([address, ...inside])].sort((a, b) => a - b);
  return starts.map((start, index) => ({ address: start, bytes: (starts[index + 1] ?? address + bytes) - start }));
}

/** The bytes that an access never tears. */
const wordBytes = 4;

/**
 * Splits a read where it may return the bytes of different writes: at the ends of writes, and
 * between words. PTX guarantees single-copy atomicity only to morally strong operations.
 */
export function readPartsOf(address: number, bytes: number, writes: readonly ByteRange[]): readonly ByteRange[] {
  const words = Array.from({ length: Math.ceil(bytes / wordBytes) }, (_, index) => ({
    address: address + index * wordBytes,
    bytes: wordBytes,
  }));
  return partsOf(address, bytes, [...writes, ...words]);
}
