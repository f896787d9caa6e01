// Identifiers made of hints: `%rd5` is rd5, the second of them rd5_1; `$L__BB0_3` is L_BB0_3.
import { reservedWords } from './reserved-words.ts';

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

/// The hint with nothing but letters, digits and single underscores between them. It begins with a letter.
export function identifierOf(hint: string): string {
  let text = '';
  let isApart = false;
  for (let i = 0; i < hint.length; i++) {
    const code = hint.charCodeAt(i);
    if (!isLetter(code) && !isDigit(code)) {
      isApart = true;
      continue;
    }
    if (isApart && text !== '') text += '_';
    isApart = false;
    text += hint.charAt(i);
  }
  return text === '' || isDigit(text.charCodeAt(0)) ? `v${text}` : text;
}

/// Hands out identifiers, each once.
export class Identifiers {
  private readonly given = new Set<string>();
  /// The number to try next after a word, so that the thousandth `r1` is found as fast as the second.
  private readonly counts = new Map<string, number>();
  private readonly taken: ReadonlySet<string>;

  /// Beside the reserved words, none of `taken` is given out.
  constructor(taken: ReadonlySet<string> = new Set()) {
    this.taken = taken;
  }

  /// An identifier like `hint` that nothing else has.
  fresh(hint: string): string {
    const word = identifierOf(hint);
    let name = word;
    let count = this.counts.get(word) ?? 1;
    while (!this.isFree(name)) {
      name = `${word}_${count}`;
      count += 1;
    }
    this.counts.set(word, count);
    this.given.add(name);
    return name;
  }

  /// Gives an identifier back: nothing that it was for can be seen any more.
  release(name: string): void {
    this.given.delete(name);
    this.counts.delete(name);
  }

  private isFree(name: string): boolean {
    return !this.given.has(name) && !this.taken.has(name) && !reservedWords.has(name);
  }
}
