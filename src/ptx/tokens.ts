// The tokens of PTX text.
import type { Span } from './ast.ts';

/// - `word`: an identifier (`%r1`, `$L_1`, `add`)
/// - `dot`: a word after a dot (`.reg`, `.L1::no_allocate`), text with its dot
/// - `int`, `float`, `string`: literals as written
/// - `mark`: punctuation and operators
/// - `end`: after the last
export type TokenKind = 'word' | 'dot' | 'int' | 'float' | 'string' | 'mark' | 'end';

export interface Token extends Span {
  readonly kind: TokenKind;
  readonly text: string;
  /// From 0.
  readonly line: number;
}
