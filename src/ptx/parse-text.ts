// Parses a text into an AST. The parser of fragments is a separate module, because pages only parse
// modules.

import type { Module, ParseResult, Source } from './ast.ts';
import { PtxError } from './diagnostics/error.ts';
import { diagnostics } from './diagnostics/part.ts';
import { Reporter, TooManyErrors } from './diagnostics/reporter.ts';
import { Cursor } from './lexer/cursor.ts';
import { tokenize } from './lexer/lexer.ts';
import type { TokenList } from './lexer/tokens.ts';
import { ModuleParser } from './parse/parse-module.ts';
import { resolveModule } from './resolve/resolve-module.ts';

/** Parses a text if it is a fragment. Returns undefined for a module. */
export type OtherParser = (tokens: TokenList, source: Source, reporter: Reporter) => Module | undefined;

/** Parses a module, or with `parseOther` another kind of text. Does not throw errors. */
export function parseText(source: Source, parseOther?: OtherParser): ParseResult {
  const reporter = new Reporter();
  const module = moduleOf(source, reporter, parseOther);
  const found = [...reporter.diagnostics].sort((a, b) => a.span.start - b.span.start);
  return { module: reporter.failed ? undefined : module, diagnostics: found };
}

/** Returns the module of a result. Throws `PtxError` if there are errors. */
export function moduleOrThrow(source: Source, { module, diagnostics: found }: ParseResult): Module {
  if (module === undefined) throw new PtxError(source, found);
  return module;
}

function moduleOf(source: Source, reporter: Reporter, parseOther: OtherParser | undefined): Module | undefined {
  try {
    const tokens = tokenize(source.text, reporter);
    const other = parseOther?.(tokens, source, reporter);
    return other ?? resolveModule(new ModuleParser(new Cursor(tokens), reporter).parse(), source, reporter);
  } catch (failure) {
    if (failure instanceof TooManyErrors) return undefined;
    // V8 throws a RangeError if the stack, a string or an array exceeds its maximum size. The
    // limits of the parser should prevent this.
    if (!(failure instanceof RangeError)) throw failure;
    reporter.diagnostics.length = 0;
    reporter.report(diagnostics().tooComplex({ start: 0, end: Math.min(1, source.text.length) }));
    return undefined;
  }
}
