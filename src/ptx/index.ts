// The front end: parses PTX (and SASS shuffle) text into an AST.
import type { OriginFile } from '../base/launch.ts';
import type { Module, ParseResult, Source } from './ast.ts';
import { diagnostics } from './diagnostics/diagnostics.ts';
import { PtxError } from './diagnostics/error.ts';
import { Reporter, TooManyErrors } from './diagnostics/reporter.ts';
import { parseFragment } from './fragment/fragment.ts';
import { Cursor } from './lexer/cursor.ts';
import { type Dialect, detectDialect } from './lexer/dialect.ts';
import { tokenize } from './lexer/lexer.ts';
import { ModuleParser } from './parse/parse-module.ts';
import { resolveModule } from './resolve/resolve-module.ts';

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
   * The dialect of the text. `auto`, the default, selects `module` for text with directives, `sass`
   * for opcodes in capitals and `fragment` otherwise.
   */
  readonly dialect?: Dialect | 'auto';
}

function parseText(source: Source, dialect: Dialect | 'auto', reporter: Reporter): Module | undefined {
  try {
    const tokens = tokenize(source.text, reporter);
    const chosen = dialect === 'auto' ? detectDialect(tokens) : dialect;
    const cursor = new Cursor(tokens);
    if (chosen !== 'module') return parseFragment(cursor, source, chosen, reporter);
    return resolveModule(new ModuleParser(cursor, reporter).parse(), source, reporter);
  } catch (failure) {
    if (failure instanceof TooManyErrors) return undefined;
    // V8 throws a RangeError at the end of the stack, or of a string or array. The limits above
    // should prevent this.
    if (!(failure instanceof RangeError)) throw failure;
    reporter.diagnostics.length = 0;
    reporter.report(diagnostics.tooComplex({ start: 0, end: Math.min(1, source.text.length) }));
    return undefined;
  }
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
  const source = sourceFrom(text, options);
  const reporter = new Reporter();
  const module = parseText(source, options.dialect ?? 'auto', reporter);
  const found = [...reporter.diagnostics].sort((a, b) => a.span.start - b.span.start);
  return { module: reporter.failed ? undefined : module, diagnostics: found };
}

/** Parses as `parsePtx` does, and throws `PtxError` if there are errors. */
export function parsePtxOrThrow(text: string, options: ParseOptions = {}): Module {
  const { module, diagnostics } = parsePtx(text, options);
  if (module === undefined) throw new PtxError(sourceFrom(text, options), diagnostics);
  return module;
}

function sourceFrom(text: string, { file = '<ptx>', origins }: ParseOptions): Source {
  return origins === undefined ? { file, text } : { file, text, origins };
}
