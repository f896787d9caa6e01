// Converts between offsets in a text and their lines and columns.

export interface Position {
  /** Both are counted from 1. */
  readonly line: number;
  readonly column: number;
}

export class LineFinder {
  /** The offsets of line starts. */
  readonly #starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  /**
   * Returns the offset of a position. The offset may be after the end of the text. Returns
   * undefined if the text does not contain the line.
   */
  offsetOf({ line, column }: Position): number | undefined {
    const start = this.#starts[line - 1];
    return start === undefined ? undefined : start + column - 1;
  }

  at(offset: number): Position {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}
