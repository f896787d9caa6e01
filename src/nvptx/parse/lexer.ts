// Splits LLVM IR into tokens.
import type { Span } from '../../ptx/ast.ts';
import { SyntaxFailure } from '../../ptx/diagnostics/reporter.ts';
import { llvmDiagnostics } from '../diagnostics.ts';

/**
 * The kind of a token. `word`: a keyword or type. `local`, `global`, `metadata`, `attributes`,
 * `comdat`: a name after `%`, `@`, `!`, `#`, `$`. `string`: the text between quotes, still escaped.
 * `label`: a name before a colon.
 */
export type TokenKind =
  | 'word'
  | 'local'
  | 'global'
  | 'metadata'
  | 'attributes'
  | 'comdat'
  | 'string'
  | 'number'
  | 'label'
  | 'mark'
  | 'end';

export interface Token extends Span {
  readonly kind: TokenKind;
  /** The text without quotes, the colon, and the sign of its kind. */
  readonly text: string;
  /** Whether the token is the first of its line. */
  readonly startsLine: boolean;
}

// Matches a token. Each alternative is a group, in the order of `kinds`. A debug record
// (`#dbg_value(…)`) fills one line and is skipped like a comment.
const pattern =
  /([ \t\r\n]+|;[^\n]*|#dbg_[^\n]*)|((?:[-a-zA-Z$._0-9]+|"[^"]*"):(?!:))|%([-a-zA-Z$._0-9]+|"[^"]*")|@([-a-zA-Z$._0-9]+|"[^"]*")|!([-a-zA-Z$._0-9\\]*)|#(\d+)|\$([-a-zA-Z$._0-9]+|"[^"]*")|"([^"]*)"|(-?\d+\.\d*(?:[eE][-+]?\d+)?|f?0x[HRKLM]?[0-9a-fA-F]+|[us]0x[0-9a-fA-F]+|-?\d+)|([a-zA-Z_][\w.$-]*)|(\.\.\.|[()[\]{}<>,=*|:])/y;
const kinds: readonly (TokenKind | 'space')[] = [
  'space',
  'label',
  'local',
  'global',
  'metadata',
  'attributes',
  'comdat',
  'string',
  'number',
  'word',
  'mark',
];

/** Returns a name or the text of a string, with `\xx` replaced by the character with that code. */
export const unescaped = (text: string): string =>
  text.replace(/\\(\\|[0-9a-fA-F]{2})/g, (_, code: string) =>
    code === '\\' ? '\\' : String.fromCharCode(Number.parseInt(code, 16)),
  );

const unquoted = (text: string): string => (text.startsWith('"') ? unescaped(text.slice(1, -1)) : text);

/**
 * Returns the tokens of `text`, followed by one of kind `end`. Throws `SyntaxFailure` for a
 * character that begins no token.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let startsLine = true;
  while (at < text.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) throw failure(text, at);
    const end = pattern.lastIndex;
    const group = match.findIndex((found, index) => index > 0 && found !== undefined) - 1;
    const kind = kinds[group];
    const found = match[group + 1];
    if (kind === undefined || found === undefined) throw failure(text, at);
    if (kind === 'space') startsLine ||= found.includes('\n');
    else {
      tokens.push({ kind, text: textOf(kind, found), start: at, end, startsLine });
      startsLine = false;
    }
    at = end;
  }
  tokens.push({ kind: 'end', text: '', start: at, end: at, startsLine: true });
  return tokens;
}

function textOf(kind: TokenKind, found: string): string {
  if (kind === 'label') return unquoted(found.slice(0, -1));
  return kind === 'local' || kind === 'global' || kind === 'comdat' ? unquoted(found) : found;
}

function failure(text: string, at: number): SyntaxFailure {
  const span = { start: at, end: at + 1 };
  return new SyntaxFailure(
    text.startsWith('"', at) || text.startsWith('c"', at)
      ? llvmDiagnostics.unclosedString(span)
      : llvmDiagnostics.unexpectedCharacter(span, text.slice(at, at + 1)),
  );
}
