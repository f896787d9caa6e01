// The tokens of a WGSL module. https://www.w3.org/TR/WGSL/#tokens

import { WgslError } from '../error.ts';

const pattern =
  /([ \t\r]+|\/\/[^\n]*)|(\n)|([\p{L}_][\p{L}\p{N}_]*)|(0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][+-]?\d+)?[iufh]?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[iufh]?)|(\/\*)|(&&|\|\||[=!<]=|<<=?|\+\+|--|->|[-+*/%&|^]=|.)/guy;

/** A cursor over the tokens of a text. The last token is empty. */
export class Tokens {
  protected readonly texts: string[] = [];
  private readonly lines: number[] = [];
  /** The index of the token's first character, to find tokens that touch. */
  private readonly starts: number[] = [];
  protected at = 0;

  /** Throws `WgslError` for a comment without an end. */
  constructor(code: string) {
    let line = 1;
    pattern.lastIndex = 0;
    while (pattern.lastIndex < code.length) {
      const start = pattern.lastIndex;
      const [text = '', blank, newline, , , comment] = pattern.exec(code) ?? [];
      if (blank !== undefined) continue;
      if (newline !== undefined) line++;
      else if (comment !== undefined) {
        pattern.lastIndex = endOfComment(code, start, line);
        for (let at = start; at < pattern.lastIndex; at++) if (code[at] === '\n') line++;
      } else this.add(text, line, start);
    }
    this.add('', line, code.length);
  }

  private add(text: string, line: number, start: number): void {
    this.texts.push(text);
    this.lines.push(line);
    this.starts.push(start);
  }

  /** The current token; empty at the end. */
  get text(): string {
    return this.texts[this.at] ?? '';
  }

  get line(): number {
    return this.lines[this.at] ?? 0;
  }

  protected fail(message: string): never {
    throw new WgslError(this.line, message);
  }

  next(): string {
    const { text } = this;
    if (text === '') this.fail('unexpected end');
    this.at++;
    return text;
  }

  /** Skips the token if it is the current one. */
  accept(text: string): boolean {
    if (this.text !== text) return false;
    this.at++;
    return true;
  }

  expect(text: string): void {
    if (!this.accept(text)) this.refuse(text);
  }

  private refuse(expected: string): never {
    return this.fail(`expected ${expected}, not ${this.text === '' ? 'the end' : this.text}`);
  }

  /** Returns the next token, a name. */
  name(): string {
    if (!/^[\p{L}_]/u.test(this.text)) this.refuse('a name');
    return this.next();
  }

  /**
   * Returns the operator at the cursor. `>` is a token of its own, because it may end template
   * parameters: `>=`, `>>` and `>>=` are several tokens.
   */
  operator(): string {
    const { text } = this;
    if (text !== '>') return text;
    const follows = (count: number): string => {
      const touches = this.starts[this.at + count] === (this.starts[this.at] ?? 0) + count;
      return touches ? (this.texts[this.at + count] ?? '') : '';
    };
    const second = follows(1);
    if (second === '=') return '>=';
    if (second !== '>') return text;
    return follows(2) === '=' ? '>>=' : '>>';
  }

  /** Skips an operator that `operator` returned. */
  skip(operator: string): void {
    this.at += operator.startsWith('>') ? operator.length : 1;
  }
}

/** Returns the index after a block comment, which may contain others. */
function endOfComment(code: string, start: number, line: number): number {
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    const pair = code.slice(at, at + 2);
    if (pair === '/*') depth++;
    else if (pair === '*/') depth--;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  throw new WgslError(line, 'a comment without an end');
}
