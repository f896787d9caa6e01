// Identifiers made of hints: `%rd5` is rd5, the second of them rd5_1; `$L__BB0_3` is L_BB0_3.

import { getOrInsert } from '../../base/maps.ts';
import { reservedWords } from './reserved-words.ts';

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

const isWordCode = (code: number): boolean => isLetter(code) || isDigit(code);

/** The hint with nothing but letters, digits and single underscores between them. It begins with a letter. */
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

/** Hands out identifiers, each once. */
export class Identifiers {
  /** What nobody may have any more. */
  private readonly given: Set<string>;
  /** The number to try next after a word, so that the thousandth `r1` is found as fast as the second. */
  private readonly counts = new Map<string, Count>();
  /** Those of the words of hints that have been seen: few differ. */
  private readonly hinted = new Map<string, Count>();

  /** Beside the reserved words, none of `taken` is given out. */
  constructor(taken: Iterable<string> = []) {
    this.given = new Set(reservedWords);
    for (const name of taken) this.given.add(name);
  }

  /** An identifier like `hint` that nothing else has. */
  fresh(hint: string): string {
    const known = this.hinted.get(hint);
    // Of a word that is taken, most are asked for.
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

  /** Gives an identifier back: nothing that it was for can be seen any more. */
  release(name: string): void {
    this.given.delete(name);
    const count = this.counts.get(name);
    if (count !== undefined) count.next = 1;
  }
}

interface Count {
  readonly word: string;
  /** From 1 on. */
  next: number;
}
