// What the parser, the translator and the reference have to say, at places of the editor's text.
import { laneNames } from '../../src/cpu-ref/interpreter/findings.ts';
import type { Diagnostic } from '../../src/ptx/index.ts';
import type { Program } from './program.ts';
import { mostExecuted, type Trace } from './trace.ts';

export interface Message {
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly text: string;
  readonly hint: string | undefined;
  /// From reading the text, or from running it.
  readonly origin: 'text' | 'run';
}

/// Those of the text are at their place already; what the run says may lie behind a prefix.
export function messagesOf(
  diagnostics: readonly Diagnostic[],
  program: Program | undefined,
  trace: Trace | undefined,
): Message[] {
  const prefix = program?.prefix ?? 0;
  const ofText = diagnostics.map(
    ({ span, severity, code, message, hint }): Message => ({
      from: span.start,
      to: Math.max(span.end, span.start),
      severity,
      code,
      text: message,
      hint,
      origin: 'text',
    }),
  );
  const found = trace?.result?.findings ?? [];
  const ofRun = found.map(({ span, severity, code, message, hint, lanes, count }): Message => {
    // The page's own limit, not the kernel's fault.
    if (code === 'RUN014') {
      const from = Math.max(span.start - prefix, 0);
      const text = `the picture ends here, after ${mostExecuted.toLocaleString('en')} instructions; a run on the GPU does not`;
      return {
        from,
        to: Math.max(span.end - prefix, from),
        severity: 'warning',
        code,
        text,
        hint: undefined,
        origin: 'run',
      };
    }
    const where = lanes === 0 ? '' : ` (${laneNames(lanes)}${count > 1 ? `, ${count} times` : ''})`;
    const from = Math.max(span.start - prefix, 0);
    return { from, to: Math.max(span.end - prefix, from), severity, code, text: message + where, hint, origin: 'run' };
  });
  return [...ofText, ...ofRun];
}
