// The front end: parses PTX (and SASS shuffle) text into an AST.
import type { OriginFile } from '../base/launch.ts';
import type { Module, ParseResult, Source } from './ast.ts';
import { parseFragment } from './fragment/fragment.ts';
import { Cursor } from './lexer/cursor.ts';
import { type Dialect, detectDialect } from './lexer/dialect.ts';
import { moduleOrThrow, parseText } from './parse-text.ts';
import { provideFrontEndParts } from './parts/all.ts';

export type * from './ast.ts';
export { PtxError } from './diagnostics/error.ts';
export { type InlinedCall, type Origin, originOf, originPaths, type SourcePlace } from './diagnostics/origin.ts';
export { type RenderOptions, renderDiagnostic, renderDiagnostics } from './diagnostics/render.ts';
export { lineOf, offsetOf, positionOf } from './diagnostics/source.ts';
export { nearest, nearestAll } from './diagnostics/suggest.ts';
export type { Dialect } from './lexer/dialect.ts';
export { printInstruction } from './print.ts';

/** Options of `parsePtx`. */
export interface ParseOptions {
  /** The name of the text in diagnostics. The default is `<ptx>`. */
  readonly file?: string;
  /** The source files of the text, whose lines diagnostics quote. */
  readonly origins?: readonly OriginFile[];
  /**
   * The dialect of the text. The default, `auto`, selects `module` for text with module directives,
   * `sass` for text whose first opcode is in capitals, and otherwise `fragment`.
   */
  readonly dialect?: Dialect | 'auto';
}

/**
 * Parses a PTX module, or a fragment of PTX or SASS instructions. Never throws: `diagnostics`
 * contains all errors and warnings.
 *
 * @example
 * ```js
 * import { parsePtx, renderDiagnostic } from 'lanewise';
 *
 * const { module, diagnostics } = parsePtx(text, { file: 'scan.ptx' });
 * for (const diagnostic of diagnostics)
 *   console.error(renderDiagnostic({ file: 'scan.ptx', text }, diagnostic));
 * ```
 */
export function parsePtx(text: string, options: ParseOptions = {}): ParseResult {
  const { dialect = 'auto' } = options;
  provideFrontEndParts();
  return parseText(sourceFrom(text, options), (tokens, source, reporter) => {
    const chosen = dialect === 'auto' ? detectDialect(tokens) : dialect;
    return chosen === 'module' ? undefined : parseFragment(new Cursor(tokens), source, chosen, reporter);
  });
}

/** Parses a text like `parsePtx`, but throws `PtxError` if there are errors. */
export function parsePtxOrThrow(text: string, options: ParseOptions = {}): Module {
  return moduleOrThrow(sourceFrom(text, options), parsePtx(text, options));
}

function sourceFrom(text: string, { file = '<ptx>', origins }: ParseOptions): Source {
  return origins === undefined ? { file, text } : { file, text, origins };
}
