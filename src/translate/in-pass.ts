// Adds the pass, the PTX line and a request for a report to the error of a broken invariant.
import { InternalError, reportRequest } from '../base/invariants.ts';
import type { Source, Span } from '../ptx/ast.ts';
import { lineOf, lineText } from '../ptx/diagnostics/source.ts';
import { CompileError } from './diagnostics.ts';

/**
 * Runs a pass. Turns an error that the pass throws into an `InternalError` with the pass, the line
 * and a request for a report. A `CompileError` is about the PTX and stays unchanged. `current`: the
 * place of the instruction that the pass is processing.
 */
export function inPass<T>(pass: string, source: Source, current: { readonly span: Span | undefined }, run: () => T): T {
  // A span that an earlier pass set does not belong to this pass.
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
