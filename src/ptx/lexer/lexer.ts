// Splits PTX text into tokens.
import { diagnostics } from '../diagnostics/part.ts';
import { type Reporter, TooManyErrors } from '../diagnostics/reporter.ts';
import { codesOf, Texts } from './texts.ts';
import { type TokenKind, TokenList } from './tokens.ts';

const float =
  /0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+/y;
const integer = /0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+U?/y;
const doubledMarks = /<<|>>|<=|>=|==|!=|&&|\|\|/y;
/**
 * The maximum number of tokens, which bounds memory. The largest modules of CUDA's libraries have a
 * quarter of that number.
 */
const maxTokens = 4_000_000;

const newline = 10;
const carriageReturn = 13;
const quote = 34;
const percent = 37;
const star = 42;
const dot = 46;
const slash = 47;
const backslash = 92;
const byteOrderMark = 0xfeff;

/** The kinds of tokens, by the first character. */
const begins = { nothing: 0, word: 1, number: 2, dotted: 3, mark: 4, space: 5, line: 6, string: 7, hash: 8 } as const;
type Begin = (typeof begins)[keyof typeof begins];

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$';
const digits = '0123456789';

/** For each ASCII code, the kind of token that begins with this character. */
const beginOf = byCode<Begin>(begins.nothing, [
  [`${letters}%`, begins.word],
  [digits, begins.number],
  ['.', begins.dotted],
  ['{}()[],;:|@!<>=+-*/&^~?', begins.mark],
  [' \t\v\f', begins.space],
  ['\n\r', begins.line],
  ['"', begins.string],
  ['#', begins.hash],
]);
const goesOn = byCode(0, [[letters + digits, 1]]);
const startsDoubled = byCode(0, [['<>=!&|', 1]]);

function byCode<T extends number>(otherwise: T, classes: readonly (readonly [string, T])[]): Uint8Array {
  const table = new Uint8Array(128).fill(otherwise);
  for (const [characters, value] of classes) for (const character of characters) table[character.charCodeAt(0)] = value;
  return table;
}

const isIn = (table: Uint8Array, code: number): boolean => code < 128 && table[code] === 1;
const isJunk = (code: number): boolean => code > 126 || code < 9;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const endsLine = (code: number): boolean => code === newline || code === carriageReturn;

/**
 * Returns all tokens of `source`, followed by a token of kind `end`. Skips comments and `#line`
 * lines. Reports and skips unknown characters.
 */
export function tokenize(source: string, reporter: Reporter): TokenList {
  return new Lexer(source, reporter).run();
}

/**
 * Splits a text into tokens. The argument of each method is the offset at which a token begins, and
 * the result is the offset after the token.
 */
class Lexer {
  private readonly source: string;
  private readonly codes: Uint8Array;
  private readonly reporter: Reporter;
  private readonly texts: Texts;
  private readonly tokens: TokenList;
  private line = 0;
  private lineStart = true;

  constructor(source: string, reporter: Reporter) {
    this.source = source;
    this.reporter = reporter;
    this.codes = codesOf(source);
    this.texts = new Texts(source, this.codes);
    this.tokens = new TokenList(this.texts, Math.min(16 + (source.length >> 2), 1_000_000));
  }

  run(): TokenList {
    const { codes } = this;
    let at = 0;
    while (at < codes.length) {
      const code = codes[at] ?? 0;
      switch (code < 128 ? beginOf[code] : begins.nothing) {
        case begins.space:
          at += 1;
          break;
        case begins.word:
          at = this.word(at, code);
          break;
        case begins.mark:
          at = this.mark(at, code);
          break;
        case begins.number:
          at = this.number(at);
          break;
        case begins.dotted:
          at = this.dotted(at);
          break;
        case begins.line:
          if (code === newline || codes[at + 1] !== newline) this.line += 1;
          this.lineStart = true;
          at += 1;
          break;
        case begins.string:
          at = this.string(at);
          break;
        case begins.hash:
          at = this.lineStart ? this.hash(at) : this.unknown(at);
          break;
        default:
          at = at === 0 && this.source.charCodeAt(0) === byteOrderMark ? 1 : this.unknown(at);
      }
    }
    this.tokens.push('end', '', codes.length, this.line);
    return this.tokens;
  }

  private push(kind: TokenKind, start: number, end: number): number {
    const { tokens } = this;
    if (tokens.length >= maxTokens) {
      this.reporter.report(diagnostics().tooLong({ start, end }, maxTokens));
      throw new TooManyErrors();
    }
    tokens.push(kind, this.texts.of(start, end), start, this.line);
    this.lineStart = false;
    return end;
  }

  private lengthAt(pattern: RegExp, at: number): number {
    pattern.lastIndex = at;
    return pattern.test(this.source) ? pattern.lastIndex - at : 0;
  }

  private wordEnd(from: number): number {
    const { codes } = this;
    let end = from;
    while (end < codes.length && isIn(goesOn, codes[end] ?? 0)) end += 1;
    return end;
  }

  private lineEnd(from: number): number {
    const { codes } = this;
    let end = from;
    while (end < codes.length && !endsLine(codes[end] ?? 0)) end += 1;
    return end;
  }

  private word(at: number, code: number): number {
    const end = this.wordEnd(at + 1);
    const isRemainder = code === percent && (end === at + 1 || this.isAfterValue());
    return isRemainder ? this.push('mark', at, at + 1) : this.push('word', at, end);
  }

  /**
   * Whether a `%` at the current position is the remainder operator, because the previous token
   * ends a value.
   */
  private isAfterValue(): boolean {
    const { tokens } = this;
    const last = tokens.length - 1;
    if (last < 0) return false;
    const kind = tokens.kindOf(last);
    return kind === 'int' || kind === 'float' || (kind === 'mark' && tokens.textOf(last) === ')');
  }

  private mark(at: number, code: number): number {
    if (code === slash) {
      const next = this.codes[at + 1];
      if (next === slash) return this.lineEnd(at);
      if (next === star) return this.blockComment(at);
    }
    const length = isIn(startsDoubled, code) ? this.lengthAt(doubledMarks, at) : 0;
    return this.push('mark', at, at + Math.max(1, length));
  }

  private number(at: number): number {
    const { codes } = this;
    let end = at + 1;
    while (end < codes.length && isDigit(codes[end] ?? 0)) end += 1;
    // Most numbers consist only of digits, for which no pattern is needed.
    const next = end < codes.length ? (codes[end] ?? 0) : newline;
    return next !== dot && !isIn(goesOn, next) ? this.push('int', at, end) : this.anyNumber(at);
  }

  /**
   * Adds a number to the tokens, with any letters that follow. For example, `0f3f8` is one
   * malformed number, which the parser reports.
   */
  private anyNumber(at: number): number {
    const kind = this.lengthAt(float, at) > 0 ? 'float' : 'int';
    const end = at + Math.max(1, this.lengthAt(kind === 'float' ? float : integer, at));
    return this.push(kind, at, this.wordEnd(end));
  }

  /**
   * Adds a token that begins with a dot. After a word, `.1d` is a modifier. In other positions, a
   * dot before a digit begins a number.
   */
  private dotted(at: number): number {
    const { tokens } = this;
    const last = tokens.length - 1;
    const kind = tokens.kindOf(last);
    const joined = last >= 0 && (kind === 'word' || kind === 'dot') && tokens.endOf(last) === at;
    if (!joined && isDigit(this.codes[at + 1] ?? 0)) return this.anyNumber(at);
    const end = this.dottedEnd(at);
    return end > at ? this.push('dot', at, end) : this.unknown(at);
  }

  private dottedEnd(at: number): number {
    let end = at;
    for (let next = at + 1; ; next = end + 2) {
      const wordEnds = this.wordEnd(next);
      if (wordEnds === next) return end;
      end = wordEnds;
      if (!this.source.startsWith('::', end)) return end;
    }
  }

  private string(at: number): number {
    const end = this.stringEnd(at);
    if (end > at) return this.push('string', at, end);
    const lineEnd = this.lineEnd(at);
    this.reporter.report(diagnostics().unclosedString({ start: at, end: lineEnd }));
    return lineEnd;
  }

  /** Returns the offset after the string, or `at` if the string does not end on its line. */
  private stringEnd(at: number): number {
    const { codes } = this;
    for (let end = at + 1; end < codes.length; end++) {
      const code = codes[end];
      if (code === quote) return end + 1;
      if (code === backslash) end++;
      if (endsLine(codes[end] ?? 0)) return at;
    }
    return at;
  }

  private blockComment(at: number): number {
    const { source } = this;
    const close = source.indexOf('*/', at + 2);
    if (close < 0) this.reporter.report(diagnostics().unclosedComment({ start: at, end: at + 2 }));
    const end = close < 0 ? source.length : close + 2;
    for (let next = at; next < end; next++) if (this.codes[next] === newline) this.line += 1;
    return end;
  }

  private hash(at: number): number {
    const end = this.lineEnd(at);
    const directive = this.source.slice(at, end);
    if (!/^#\s*(line\b|\d)/.test(directive)) this.reporter.report(diagnostics().preprocessor({ start: at, end }));
    return end;
  }

  private unknown(at: number): number {
    const { source } = this;
    let end = at;
    // Report consecutive unknown characters as one error, because there may be thousands.
    do end += 1;
    while (end < source.length && isJunk(this.codes[end] ?? 0));
    this.reporter.report(diagnostics().unexpectedCharacter({ start: at, end }, source.slice(at, end)));
    return end;
  }
}
