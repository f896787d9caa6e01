// PTX text to tokens.
import { diagnostics } from './diagnostics.ts';
import { type Reporter, TooManyErrors } from './reporter.ts';
import { Texts } from './texts.ts';
import { type TokenKind, TokenList } from './tokens.ts';

const float =
  /0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+/y;
const integer = /0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+U?/y;
const doubledMarks = /<<|>>|<=|>=|==|!=|&&|\|\|/y;
const singleMarks = charactersOf('{}()[],;:|@!<>=+-*/%&^~?');
const startsDoubled = charactersOf('<>=!&|');
const wordCharacters = charactersOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$');
/// Longer text than this is not read: its tokens alone would fill the memory. The largest modules of CUDA's libraries have a quarter.
const maxTokens = 4_000_000;

const newline = 10;
const carriageReturn = 13;
const quote = 34;
const backslash = 92;

/// Which of the first 128 characters are among these: what lies beyond is undefined, so among none.
function charactersOf(text: string): readonly boolean[] {
  return Array.from({ length: 128 }, (_, code) => text.includes(String.fromCharCode(code)));
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isWordStart(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code === 36 || code === 37;
}

/// All tokens of `source`, ending with one of kind `end`. Comments and `#line` lines vanish; anything unknown is reported and
/// skipped.
export function tokenize(source: string, reporter: Reporter): TokenList {
  const texts = new Texts(source);
  const tokens = new TokenList(texts, Math.min(16 + (source.length >> 2), 1_000_000));
  let at = 0;
  let line = 0;
  let lineStart = true;

  const push = (kind: TokenKind, start: number, end: number) => {
    if (tokens.length >= maxTokens) {
      reporter.report(diagnostics.tooLong({ start, end }, maxTokens));
      throw new TooManyErrors();
    }
    tokens.push(kind, texts.of(start, end), start, line);
    lineStart = false;
    at = end;
  };
  const lengthAt = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.test(source) ? pattern.lastIndex - at : 0;
  };
  const wordEnd = (from: number): number => {
    let end = from;
    while (wordCharacters[source.charCodeAt(end)]) end++;
    return end;
  };
  const dottedEnd = (): number => {
    let end = at;
    for (let next = at + 1; ; next = end + 2) {
      const wordEnds = wordEnd(next);
      if (wordEnds === next) return end;
      end = wordEnds;
      if (!source.startsWith('::', end)) return end;
    }
  };
  const takeMark = (code: number): boolean => {
    if (!singleMarks[code]) return false;
    const length = startsDoubled[code] ? lengthAt(doubledMarks) : 0;
    push('mark', at, at + Math.max(1, length));
    return true;
  };
  const stringEnd = (): number => {
    for (let end = at + 1; end < source.length; end++) {
      const code = source.charCodeAt(end);
      if (code === quote) return end + 1;
      if (code === backslash) end++;
      const last = source.charCodeAt(end);
      if (last === newline || last === carriageReturn) return at;
    }
    return at;
  };
  const takeTo = (kind: TokenKind, end: number): boolean => {
    const found = end > at;
    if (found) push(kind, at, end);
    return found;
  };
  const endOfLine = (from: number): number => {
    let end = from;
    while (end < source.length && source.charCodeAt(end) !== newline && source.charCodeAt(end) !== carriageReturn)
      end++;
    return end;
  };
  const blockComment = () => {
    const close = source.indexOf('*/', at + 2);
    if (close < 0) reporter.report(diagnostics.unclosedComment({ start: at, end: at + 2 }));
    const end = close < 0 ? source.length : close + 2;
    for (; at < end; at++) if (source.charCodeAt(at) === newline) line++;
  };
  // With whatever is glued to it: `0f3f8` is one malformed number, which the parser reports.
  const number = () => {
    const kind = lengthAt(float) > 0 ? 'float' : 'int';
    const end = at + Math.max(1, lengthAt(kind === 'float' ? float : integer));
    push(kind, at, wordEnd(end));
  };
  const hash = () => {
    const end = endOfLine(at);
    const directive = source.slice(at, end);
    if (!/^#\s*(line\b|\d)/.test(directive)) reporter.report(diagnostics.preprocessor({ start: at, end }));
    at = end;
  };
  // Whether a `%` here is the remainder operator: something that has a value stands before it.
  const afterValue = (): boolean => {
    const last = tokens.length - 1;
    const kind = tokens.kindOf(last);
    return last >= 0 && (kind === 'int' || kind === 'float' || tokens.textOf(last) === ')');
  };
  const unknown = () => {
    const start = at;
    // A run of junk is one mistake, not thousands.
    do at++;
    while (at < source.length && (source.charCodeAt(at) > 126 || source.charCodeAt(at) < 9));
    reporter.report(diagnostics.unexpectedCharacter({ start, end: at }, source.slice(start, at)));
  };

  while (at < source.length) {
    const code = source.charCodeAt(at);
    if (code === newline || code === carriageReturn) {
      if (code === newline || source.charCodeAt(at + 1) !== newline) line++;
      lineStart = true;
      at++;
    } else if (code <= 32 && (code === 32 || code === 9 || code === 11 || code === 12)) {
      at++;
    } else if (code === 0xfeff && at === 0) {
      at++;
    } else if (code === 47 && source.charCodeAt(at + 1) === 47) {
      at = endOfLine(at);
    } else if (code === 47 && source.charCodeAt(at + 1) === 42) {
      blockComment();
    } else if (isDigit(code)) {
      number();
    } else if (isWordStart(code)) {
      if (code === 37 && (afterValue() || wordEnd(at + 1) === at + 1)) push('mark', at, at + 1);
      else push('word', at, wordEnd(at + 1));
    } else if (code === 46) {
      // `.1d` after a word is a modifier; elsewhere a digit makes it a number.
      const last = tokens.length - 1;
      const kind = tokens.kindOf(last);
      const joined = last >= 0 && tokens.endOf(last) === at && (kind === 'word' || kind === 'dot');
      if (!joined && isDigit(source.charCodeAt(at + 1))) number();
      else if (!takeTo('dot', dottedEnd())) unknown();
    } else if (code === 34) {
      if (!takeTo('string', stringEnd())) {
        const end = endOfLine(at);
        reporter.report(diagnostics.unclosedString({ start: at, end }));
        at = end;
      }
    } else if (code === 35 && lineStart) {
      hash();
    } else if (!takeMark(code)) {
      unknown();
    }
  }
  tokens.push('end', '', source.length, line);
  return tokens;
}
