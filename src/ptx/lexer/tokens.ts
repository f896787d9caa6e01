// The tokens of PTX text.
import type { Span } from '../ast.ts';
import type { Texts } from './texts.ts';

/**
 * The kind of a token:
 * - `word`: an identifier (`%r1`, `$L_1`, `add`).
 * - `dot`: a word after a dot (`.reg`, `.L1::no_allocate`); its text includes the dot.
 * - `int`, `float`, `string`: a literal as written.
 * - `mark`: punctuation or an operator.
 * - `end`: the end of the text, after the last token.
 */
export type TokenKind = 'word' | 'dot' | 'int' | 'float' | 'string' | 'mark' | 'end';

export interface Token extends Span {
  readonly kind: TokenKind;
  readonly text: string;
  /** The number of the line, counted from 0. */
  readonly line: number;
}

const kinds = ['word', 'dot', 'int', 'float', 'string', 'mark', 'end'] as const;
const numberOfKind = { word: 0, dot: 1, int: 2, float: 3, string: 4, mark: 5, end: 6 } as const;

function grown(list: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(2 * list.length);
  longer.set(list);
  return longer;
}

/**
 * A list of tokens, stored as one array for each property. A text has about one token per ten
 * characters, and objects are created for few of these tokens.
 */
export class TokenList {
  length = 0;
  private readonly source: Texts;
  private readonly texts: string[];
  private starts: Int32Array<ArrayBuffer>;
  private lines: Int32Array<ArrayBuffer>;
  private kinds: Uint8Array<ArrayBuffer>;

  /** Creates an empty list. `expected` is an estimate of the number of tokens. */
  constructor(source: Texts, expected: number) {
    this.source = source;
    this.texts = new Array(expected);
    this.starts = new Int32Array(expected);
    this.lines = new Int32Array(expected);
    this.kinds = new Uint8Array(expected);
  }

  push(kind: TokenKind, text: string, start: number, line: number): void {
    const number = this.length;
    this.length += 1;
    if (number === this.starts.length) {
      this.starts = grown(this.starts);
      this.lines = grown(this.lines);
      const longer = new Uint8Array(2 * number);
      longer.set(this.kinds);
      this.kinds = longer;
    }
    this.texts[number] = text;
    this.starts[number] = start;
    this.lines[number] = line;
    this.kinds[number] = numberOfKind[kind];
  }

  /** Returns the kind of a token, or `end` for a number after the last token. */
  kindOf(number: number): TokenKind {
    return number < this.length ? (kinds[this.kinds[number] ?? 6] ?? 'end') : 'end';
  }

  textOf(number: number): string {
    return this.texts[number] ?? '';
  }

  startOf(number: number): number {
    return this.starts[number] ?? 0;
  }

  endOf(number: number): number {
    return this.startOf(number) + this.textOf(number).length;
  }

  lineOf(number: number): number {
    return this.lines[number] ?? 0;
  }

  /**
   * Returns the joined texts of the tokens from number `first` to number `end - 1`, without the
   * text between them.
   */
  textOfAll(first: number, end: number): string {
    const start = this.startOf(first);
    let at = start;
    for (let number = first; number < end; number++) {
      if (this.startOf(number) !== at) return this.texts.slice(first, end).join('');
      at = this.endOf(number);
    }
    return this.source.of(start, at);
  }

  at(number: number): Token {
    const text = this.textOf(number);
    const start = this.startOf(number);
    return { kind: this.kindOf(number), text, start, end: start + text.length, line: this.lineOf(number) };
  }
}
