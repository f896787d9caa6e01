// Identifiers derived from hints. For example, `%rd5` becomes rd5, a second `%rd5` becomes rd5_1,
// and `$L__BB0_3` becomes L_BB0_3.

import { getOrInsert } from '../../base/maps.ts';
import { reservedWords } from './reserved-words.ts';

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

const isWordCode = (code: number): boolean => isLetter(code) || isDigit(code);

/**
 * Returns the hint's runs of letters and digits, joined by underscores. If the result would not
 * begin with a letter, `v` precedes it.
 */
export function identifierOf(hint: string): string {
  let text = '';
  for (let at = 0; at < hint.length; ) {
    while (at < hint.length && !isWordCode(hint.charCodeAt(at))) at++;
    const start = at;
    while (at < hint.length && isWordCode(hint.charCodeAt(at))) at++;
    if (at === start) break;
    const part = hint.slice(start, at);
    text = text === '' ? part : `${text}_${part}`;
  }
  return text === '' || isDigit(text.charCodeAt(0)) ? `v${text}` : text;
}

/** Allocates identifiers, each of them only once. */
export class Identifiers {
  /** The identifiers that are reserved or allocated. */
  private readonly given: Set<string>;
  /**
   * For each word, the next suffix to try. With it, finding an identifier for the thousandth `r1`
   * is as fast as for the second.
   */
  private readonly counts = new Map<string, Count>();
  /** For each hint so far, the count of its word. A program has few different hints. */
  private readonly hinted = new Map<string, Count>();

  /** Creates an allocator that never returns a reserved word or one of `taken`. */
  constructor(taken: Iterable<string> = []) {
    this.given = new Set(reservedWords);
    for (const name of taken) this.given.add(name);
  }

  /** Returns an unused identifier that resembles `hint`. */
  fresh(hint: string): string {
    const known = this.hinted.get(hint);
    // The word is already in use, which is the most frequent case.
    if (known !== undefined && known.next > 1) return this.numbered(known);
    const count = known ?? this.countOf(identifierOf(hint));
    if (known === undefined) this.hinted.set(hint, count);
    if (this.given.has(count.word)) return this.numbered(count);
    this.given.add(count.word);
    return count.word;
  }

  private countOf(word: string): Count {
    return getOrInsert(this.counts, word, () => ({ word, next: 1 }));
  }

  private numbered(count: Count): string {
    const { given } = this;
    for (;;) {
      const name = `${count.word}_${count.next}`;
      count.next += 1;
      if (given.has(name)) continue;
      given.add(name);
      return name;
    }
  }

  /** Releases an identifier whose scope has ended. */
  release(name: string): void {
    this.given.delete(name);
    const count = this.counts.get(name);
    if (count !== undefined) count.next = 1;
  }
}

interface Count {
  readonly word: string;
  /** The number of the next suffix, which is at least 1. */
  next: number;
}
