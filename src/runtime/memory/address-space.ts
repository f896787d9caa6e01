// Which bytes of the heap are whose: free ranges by address, where neighbours that are free are one range.

import { alignUp } from '../../base/align.ts';

interface Range {
  start: number;
  end: number;
}

/** Addresses from `start` to `end`, given out in whole steps of `align` bytes, the lowest that fit first. */
export class AddressSpace {
  readonly #align: number;
  readonly #end: number;
  /** By address; no two of them touch. */
  readonly #free: Range[];

  constructor(start: number, end: number, align: number) {
    this.#align = align;
    this.#end = end;
    this.#free = [{ start, end }];
  }

  /** Where all that is taken ends. */
  get top(): number {
    const last = this.#free.at(-1);
    return last?.end === this.#end ? last.start : this.#end;
  }

  /** Bytes that are free, and the most of them in one piece. */
  get room(): { readonly bytes: number; readonly largest: number } {
    let [bytes, largest] = [0, 0];
    for (const { start, end } of this.#free) {
      bytes += end - start;
      largest = Math.max(largest, end - start);
    }
    return { bytes, largest };
  }

  /** Undefined where no free range is long enough. */
  reserve(bytes: number): number | undefined {
    const size = alignUp(Math.max(bytes, 1), this.#align);
    const at = this.#free.findIndex(({ start, end }) => end - start >= size);
    const range = this.#free[at];
    if (range === undefined) return undefined;
    const { start } = range;
    range.start += size;
    if (range.start === range.end) this.#free.splice(at, 1);
    return start;
  }

  /** Takes back what `reserve` gave for so many bytes. */
  release(start: number, bytes: number): void {
    const end = start + alignUp(Math.max(bytes, 1), this.#align);
    let [low, high] = [0, this.#free.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#free[middle]?.start ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    const [before, after] = [this.#free[low - 1], this.#free[low]];
    const joinsAfter = after?.start === end;
    if (before?.end === start) {
      before.end = joinsAfter ? after.end : end;
      if (joinsAfter) this.#free.splice(low, 1);
    } else if (joinsAfter) after.start = start;
    else this.#free.splice(low, 0, { start, end });
  }
}
