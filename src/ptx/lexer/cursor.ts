// A cursor over a list of tokens.
import { InternalError } from '../../base/invariants.ts';
import type { Span } from '../ast.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { SyntaxFailure } from '../diagnostics/reporter.ts';
import type { Token, TokenKind, TokenList } from './tokens.ts';

export class Cursor {
  readonly tokens: TokenList;
  private index = 0;
  /** The number of the `end` token. */
  private readonly lastNumber: number;

  /** Creates a cursor. The last token must have the kind `end`. */
  constructor(tokens: TokenList) {
    this.tokens = tokens;
    this.lastNumber = tokens.length - 1;
    if (tokens.kindOf(this.lastNumber) !== 'end' || this.lastNumber < 0)
      throw new InternalError('tokens must end with an end token');
  }

  get peek(): Token {
    return this.tokens.at(this.index);
  }

  /** The kind and the text of the next token. */
  get kind(): TokenKind {
    return this.tokens.kindOf(this.index);
  }

  get text(): string {
    return this.tokens.textOf(this.index);
  }

  /** The offsets at which the next token begins and ends. */
  get start(): number {
    return this.tokens.startOf(this.index);
  }

  get end(): number {
    return this.tokens.endOf(this.index);
  }

  /** The number of the next token. */
  get position(): number {
    return this.index;
  }

  /** Returns the joined text of the tokens from number `first` to the current one. */
  textSince(first: number): string {
    return this.tokens.textOfAll(first, this.index);
  }

  /** Returns the token `ahead` positions after the next. */
  look(ahead: number): Token {
    return this.tokens.at(this.numberAhead(ahead));
  }

  /** Whether the token `ahead` positions after the next token is the mark `text`. */
  isMarkAhead(ahead: number, text: string): boolean {
    const number = this.numberAhead(ahead);
    return this.tokens.kindOf(number) === 'mark' && this.tokens.textOf(number) === text;
  }

  /** Whether the next token is the last token of an operand: a comma or semicolon follows it. */
  get endsOperand(): boolean {
    const text = this.tokens.textOf(this.index + 1);
    return text === ',' || text === ';';
  }

  private numberAhead(ahead: number): number {
    return Math.min(this.index + ahead, this.lastNumber);
  }

  /** The last consumed token. */
  get last(): Token {
    return this.tokens.at(Math.max(this.index - 1, 0));
  }

  /** The end of the last consumed token. */
  get lastEnd(): number {
    return this.tokens.endOf(Math.max(this.index - 1, 0));
  }

  get atEnd(): boolean {
    return this.index === this.lastNumber;
  }

  take(): Token {
    const token = this.peek;
    this.skip();
    return token;
  }

  /** Consumes the next token. */
  skip(): void {
    if (this.index < this.lastNumber) this.index++;
  }

  /** Whether the next token is on another line than the last consumed token. */
  get startsLine(): boolean {
    return this.tokens.lineOf(this.index) !== this.tokens.lineOf(Math.max(this.index - 1, 0));
  }

  /** Whether the next token is the mark or dotted word `text`. */
  at(text: string): boolean {
    const { tokens, index } = this;
    const kind = tokens.kindOf(index);
    return (kind === 'mark' || kind === 'dot') && tokens.textOf(index) === text;
  }

  /**
   * Consumes the next token if it is the mark or dotted word `text`, and returns whether it was.
   * For callers that do not need the token.
   */
  skipIf(text: string): boolean {
    const found = this.at(text);
    if (found) this.skip();
    return found;
  }

  accept(text: string): Token | undefined {
    return this.at(text) ? this.take() : undefined;
  }

  expect(text: string): Token {
    return this.accept(text) ?? this.fail(`\`${text}\``);
  }

  /**
   * Consumes a name. If the next token is not a name, throws an error that says that `what` was
   * expected.
   */
  expectWord(what: string): Token {
    return this.kind === 'word' ? this.take() : this.fail(what);
  }

  /**
   * The position of a missing token: the end of the last consumed token if the line ends there, and
   * otherwise the next token.
   */
  get gap(): Span {
    const { last, peek } = this;
    return this.index > 0 && (peek.line !== last.line || peek.kind === 'end')
      ? { start: last.end, end: last.end }
      : { start: peek.start, end: peek.end };
  }

  /** Abandons the statement because `what` was expected here. */
  fail(what: string): never {
    const found = this.atEnd ? 'the end of the text' : `\`${this.text}\``;
    throw new SyntaxFailure(diagnostics().expected(this.gap, what, found));
  }
}
