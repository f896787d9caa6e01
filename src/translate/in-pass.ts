// What is said when an invariant of the compiler is broken: in which pass, at which line of the PTX, and what to send.
import { InternalError, reportRequest } from '../base/invariants.ts';
import type { Source, Span } from '../ptx/ast.ts';
import { lineOf, lineText } from '../ptx/diagnostics/source.ts';
import { CompileError } from './diagnostics.ts';

/**
 * Runs a pass. What it throws becomes an `InternalError` with the pass, the line and the request to report it; a `CompileError` speaks of the PTX and
 * stays as it is. `current`: where the instruction is that the pass has come to when it throws.
 */
export function inPass<T>(pass: string, source: Source, current: { readonly span: Span | undefined }, run: () => T): T {
  // Left by an earlier pass: it says nothing of this one.
  const before = current.span;
  try {
    return run();
  } catch (error) {
    if (error instanceof CompileError) throw error;
    const reached = current.span === before ? undefined : current.span;
    const span = (error instanceof InternalError ? error.span : undefined) ?? reached;
    const what = error instanceof Error ? error.message : String(error);
    const message = [
      `internal error in the pass \`${pass}\`: ${what}`,
      ...(span === undefined ? [] : [`  at ${placeOf(source, span)}`]),
      reportRequest,
    ];
    throw new InternalError(message.join('\n'), { span, cause: error });
  }
}

function placeOf(source: Source, { start }: Span): string {
  const line = lineOf(source, start);
  return `${source.file}:${line}: ${lineText(source, line).trim()}`;
}
