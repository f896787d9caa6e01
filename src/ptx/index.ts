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

export interface ParseOptions {
  /** Name of the text in messages; default `<ptx>`. */
  readonly file?: string;
  /** The files that the text was compiled from, which messages quote. */
  readonly origins?: readonly OriginFile[];
  /** Default `auto`: a module if it has directives of one, else a SASS fragment if its opcodes are in capitals, else a PTX fragment. */
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
 * Parses text into a module, or says what is wrong with it: several diagnostics at once, in order of place. Never throws, whatever the
 * text.
 */
export function parsePtx(text: string, options: ParseOptions = {}): ParseResult {
  const source = sourceFrom(text, options);
  const reporter = new Reporter();
  const module = parseText(source, options.dialect ?? 'auto', reporter);
  const found = [...reporter.diagnostics].sort((a, b) => a.span.start - b.span.start);
  return { module: reporter.failed ? undefined : module, diagnostics: found };
}

/** As `parsePtx`, but throws `PtxError` when there are errors. */
export function parsePtxOrThrow(text: string, options: ParseOptions = {}): Module {
  const { module, diagnostics } = parsePtx(text, options);
  if (module === undefined) throw new PtxError(sourceFrom(text, options), diagnostics);
  return module;
}

function sourceFrom(text: string, { file = '<ptx>', origins }: ParseOptions): Source {
  return origins === undefined ? { file, text } : { file, text, origins };
}
