// Identifiers made of hints: `%rd5` is rd5, the second of them rd5_1; `$L__BB0_3` is L_BB0_3.
import { reservedWords } from './reserved-words.ts';

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

const isWordCode = (code: number): boolean => isLetter(code) || isDigit(code);

/// The hint with nothing but letters, digits and single underscores between them. It begins with a letter.
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

/// Hands out identifiers, each once.
export class Identifiers {
  /// What nobody may have any more.
  private readonly given: Set<string>;
  /// The number to try next after a word, so that the thousandth `r1` is found as fast as the second.
  private readonly counts = new Map<string, number>();
  /// The identifiers of hints that have been seen: few differ.
  private readonly words = new Map<string, string>();

  /// Beside the reserved words, none of `taken` is given out.
  constructor(taken: Iterable<string> = []) {
    this.given = new Set(reservedWords);
    for (const name of taken) this.given.add(name);
  }

  /// An identifier like `hint` that nothing else has.
  fresh(hint: string): string {
    let word = this.words.get(hint);
    if (word === undefined) {
      word = identifierOf(hint);
      this.words.set(hint, word);
    }
    if (!this.given.has(word)) {
      this.given.add(word);
      return word;
    }
    let name: string;
    let count = this.counts.get(word) ?? 1;
    do {
      name = `${word}_${count}`;
      count += 1;
    } while (this.given.has(name));
    this.counts.set(word, count);
    this.given.add(name);
    return name;
  }

  /// Gives an identifier back: nothing that it was for can be seen any more.
  release(name: string): void {
    this.given.delete(name);
    this.counts.delete(name);
  }
}
