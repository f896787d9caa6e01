// A cursor over the tokens of a module.
import { at } from '../../base/invariants.ts';
import type { Span } from '../../ptx/ast.ts';
import { SyntaxFailure } from '../../ptx/diagnostics/reporter.ts';
import { llvmDiagnostics } from '../diagnostics.ts';
import type { Token, TokenKind } from './lexer.ts';

export class Cursor {
  private readonly tokens: readonly Token[];
  private index: number;

  constructor(tokens: readonly Token[], first = 0) {
    this.tokens = tokens;
    this.index = first;
  }

  get peek(): Token {
    return at(this.tokens, this.index, 'the next token');
  }

  look(ahead: number): Token {
    return at(this.tokens, Math.min(this.index + ahead, this.tokens.length - 1), 'the next token');
  }

  get lastEnd(): number {
    return at(this.tokens, Math.max(this.index - 1, 0), 'the last token').end;
  }

  take(): Token {
    const token = this.peek;
    if (token.kind !== 'end') this.index++;
    return token;
  }

  is(text: string): boolean {
    const { kind, text: found } = this.peek;
    return (kind === 'mark' || kind === 'word') && found === text;
  }

  accept(text: string): boolean {
    const found = this.is(text);
    if (found) this.index++;
    return found;
  }

  expect(text: string): Token {
    return this.is(text) ? this.take() : this.fail(`\`${text}\``);
  }

  isKind(kind: TokenKind): boolean {
    return this.peek.kind === kind;
  }

  expectKind(kind: TokenKind, what: string): Token {
    return this.isKind(kind) ? this.take() : this.fail(what);
  }

  /** Consumes an unsigned integer. */
  count(what: string): number {
    return Number(this.expectKind('number', what).text);
  }

  /** Consumes a bracketed group. Does nothing if the next token is not `open`. */
  skipGroup(open: string, close: string): void {
    if (!this.is(open)) return;
    let depth = 0;
    do {
      if (this.isKind('end')) this.fail(`\`${close}\``);
      if (this.is(open)) depth++;
      if (this.is(close)) depth--;
      this.take();
    } while (depth > 0);
  }

  spanFrom(start: number): Span {
    return { start, end: this.lastEnd };
  }

  fail(what: string): never {
    const token = this.peek;
    const found = token.kind === 'end' ? 'the end of the text' : `\`${token.text.slice(0, 80)}\``;
    throw new SyntaxFailure(llvmDiagnostics.expected(token, what, found));
  }
}
