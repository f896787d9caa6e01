// Replaces parts of a text by references to earlier texts, because the shaders of a module differ
// in few statements.

import { getOrInsert } from '../base/maps.ts';
import type { Part, Run } from '../runtime/built/data.ts';

/**
 * The minimum number of characters of a reference. A reference to fewer characters would be longer
 * than the characters.
 */
const minRepeated = 12;

/** All texts so far, one after another. */
export class TextHistory {
  readonly #pieces: string[] = [];
  /** The index of the first character of each piece in the history. */
  readonly #starts: number[] = [];
  #length = 0;
  /** The numbers of the pieces at which a repeated run may begin. */
  readonly #places = new Map<string, number[]>();

  /**
   * Adds a text, which is the concatenation of `pieces`. Returns the text with references to parts
   * of the earlier texts.
   */
  add(pieces: readonly string[]): readonly Part[] {
    const parts: Part[] = [];
    for (let at = 0; at < pieces.length; ) {
      const { run, count } = this.#longest(pieces, at);
      const added = pieces.slice(at, at + count).join('');
      const last = parts.at(-1);
      if (run) parts.push(run);
      else if (typeof last === 'string') parts[parts.length - 1] = last + added;
      else parts.push(added);
      at += count;
    }
    // A text cannot refer to itself, so add it to the history last.
    for (const piece of pieces) this.#append(piece);
    return parts;
  }

  /**
   * Returns the longest run of earlier pieces that equals the pieces from `at` on. If there is
   * none, returns one new piece.
   */
  #longest(pieces: readonly string[], at: number): { readonly run?: Run; readonly count: number } {
    let found: { readonly run?: Run; readonly count: number } = { count: 1 };
    for (const place of this.#places.get(pieces[at] ?? '') ?? []) {
      let count = 0;
      let length = 0;
      for (
        let piece = pieces[at];
        piece !== undefined && piece === this.#pieces[place + count];
        piece = pieces[at + count]
      ) {
        count += 1;
        length += piece.length;
      }
      const from = this.#starts[place];
      if (from !== undefined && (count > found.count || !found.run)) found = { run: [from, length], count };
    }
    return found;
  }

  #append(piece: string): void {
    if (piece.length >= minRepeated) getOrInsert(this.#places, piece, () => []).push(this.#pieces.length);
    this.#pieces.push(piece);
    this.#starts.push(this.#length);
    this.#length += piece.length;
  }
}
