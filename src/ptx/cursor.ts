// A position in a list of tokens.
import type { Span } from './ast.ts';
import { diagnostics } from './diagnostics.ts';
import { SyntaxFailure } from './reporter.ts';
import type { Token } from './tokens.ts';

export class Cursor {
  readonly tokens: readonly Token[];
  private index = 0;
  /// The next token, which everything asks for.
  private next: Token;
  private readonly end: Token;

  /// `tokens` must end with one of kind `end`.
  constructor(tokens: readonly Token[]) {
    const end = tokens.at(-1);
    if (end === undefined || end.kind !== 'end') throw new Error('tokens must end with an end token');
    this.tokens = tokens;
    this.end = end;
    this.next = tokens[0] ?? end;
  }

  get peek(): Token {
    return this.next;
  }

  /// The number of the next token.
  get position(): number {
    return this.index;
  }

  /// The token `ahead` places after the next.
  look(ahead: number): Token {
    return this.tokens[this.index + ahead] ?? this.end;
  }

  /// The token taken last.
  get last(): Token {
    return this.tokens[this.index - 1] ?? this.peek;
  }

  get atEnd(): boolean {
    return this.next.kind === 'end';
  }

  take(): Token {
    const token = this.next;
    if (token.kind === 'end') return token;
    this.index++;
    this.next = this.tokens[this.index] ?? this.end;
    return token;
  }

  /// Whether the next token is the mark or dotted word `text`.
  at(text: string): boolean {
    const { kind, text: found } = this.next;
    return (kind === 'mark' || kind === 'dot') && found === text;
  }

  accept(text: string): Token | undefined {
    return this.at(text) ? this.take() : undefined;
  }

  expect(text: string): Token {
    return this.accept(text) ?? this.fail(`\`${text}\``);
  }

  /// A name, described by `what` in the message if there is none.
  expectWord(what: string): Token {
    return this.next.kind === 'word' ? this.take() : this.fail(what);
  }

  /// Where the last token ended if a line ended there too, else the next token: the place of something missing.
  get gap(): Span {
    const { last, peek } = this;
    return this.index > 0 && (peek.line !== last.line || peek.kind === 'end')
      ? { start: last.end, end: last.end }
      : { start: peek.start, end: peek.end };
  }

  /// Gives up on the statement: `what` was wanted here.
  fail(what: string): never {
    const found = this.atEnd ? 'the end of the text' : `\`${this.peek.text}\``;
    throw new SyntaxFailure(diagnostics.expected(this.gap, what, found));
  }
}
