// Messages of the parser, the translator and the reference, with positions in the editor's text.
import type { Finding } from '../../src/cpu-ref/executor.ts';
import { laneNames } from '../../src/cpu-ref/interpreter/state/findings.ts';
import type { Diagnostic } from '../../src/ptx/index.ts';
import { clip, maxExecuted, maxMessageLength, maxMessages } from './limits.ts';

export interface Message {
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly text: string;
  readonly hint: string | undefined;
  /**
   * Whether the message comes from analyzing the text, from running it, or from the page itself.
   * Messages of the page do not have a position in the text.
   */
  readonly origin: 'text' | 'run' | 'page';
}

/**
 * Returns messages of the parser or the translator, whose positions are already those in the
 * editor's text.
 */
export function textMessages(diagnostics: readonly Diagnostic[]): Message[] {
  return few(diagnostics, ({ span, severity, code, message, hint }) => ({
    from: span.start,
    to: Math.max(span.end, span.start),
    severity,
    code,
    text: message,
    hint,
    origin: 'text',
  }));
}

/**
 * Returns messages of a run on the reference. The text that was run begins with `prefix` characters
 * that are not in the editor.
 */
export function runMessages(findings: readonly Finding[], prefix: number): Message[] {
  return few(findings, ({ span, severity, code, message, hint, lanes, count }) => {
    const from = Math.max(span.start - prefix, 0);
    const place = { from, to: Math.max(span.end - prefix, from), code, origin: 'run' } as const;
    // This is a limit of the page, not an error in the kernel.
    if (code === 'RUN014') {
      const text = `the trace ends here, after ${maxExecuted.toLocaleString('en')} instructions; a run on the GPU is not limited`;
      return { ...place, severity: 'warning', text, hint: undefined };
    }
    const where = lanes === 0 ? '' : ` (${laneNames(lanes)}${count > 1 ? `, ${count} times` : ''})`;
    return { ...place, severity, text: message + where, hint };
  });
}

/** Returns a message of the page about the whole text. */
export function pageMessage(code: string, text: string): Message {
  return { from: 0, to: 0, severity: 'error', code, text, hint: undefined, origin: 'page' };
}

/** Returns the first messages, shortened for the list. */
function few<T>(list: readonly T[], make: (item: T) => Message): Message[] {
  const shown = list.slice(0, maxMessages).map((item): Message => {
    const message = make(item);
    const hint = message.hint === undefined ? undefined : clip(message.hint, maxMessageLength);
    return { ...message, text: clip(message.text, maxMessageLength), hint };
  });
  const last = shown[shown.length - 1];
  const rest = list.length - shown.length;
  return rest > 0 && last ? [...shown, { ...last, text: `and ${rest} more`, hint: undefined }] : shown;
}
