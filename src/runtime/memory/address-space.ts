// Manages the free ranges of the heap's addresses. Adjacent free ranges are merged.

import { alignUp } from '../../base/align.ts';

interface Range {
  start: number;
  end: number;
}

/**
 * The addresses from `start` to `end`. Ranges are allocated first-fit, in multiples of `align`
 * bytes.
 */
export class AddressSpace {
  readonly #align: number;
  readonly #end: number;
  /** The free ranges, sorted by address. No two ranges are adjacent. */
  readonly #free: Range[];

  constructor(start: number, end: number, align: number) {
    this.#align = align;
    this.#end = end;
    this.#free = [{ start, end }];
  }

  /** The end of the last allocated range. */
  get top(): number {
    const last = this.#free.at(-1);
    return last?.end === this.#end ? last.start : this.#end;
  }

  /** The number of free bytes, and the size of the largest free range. */
  get room(): { readonly bytes: number; readonly largest: number } {
    let [bytes, largest] = [0, 0];
    for (const { start, end } of this.#free) {
      bytes += end - start;
      largest = Math.max(largest, end - start);
    }
    return { bytes, largest };
  }

  /** Returns the address of a range, or undefined if every free range is too short. */
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

  /** Frees a range that `reserve` returned for the same number of bytes. */
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
