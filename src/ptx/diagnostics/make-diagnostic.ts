// Constructors of the front end's diagnostics, and the parts of their messages.
import type { Diagnostic, Severity, Span } from '../ast.ts';

interface Extra {
  readonly hint?: string | undefined;
  readonly labels?: Diagnostic['labels'];
}

function make(severity: Severity, code: string, span: Span, message: string, extra: Extra): Diagnostic {
  return {
    code,
    severity,
    message: shortened(message),
    span: { start: span.start, end: span.end },
    labels: extra.labels ?? [],
    hint: extra.hint === undefined ? undefined : shortened(extra.hint),
  };
}

/**
 * The maximum length of a message in characters. Longer messages are truncated, because names in
 * messages may have any length.
 */
const maxMessageLength = 2000;
const shortened = (text: string): string =>
  text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;

export const error = (code: string, span: Span, message: string, extra: Extra = {}) =>
  make('error', code, span, message, extra);
export const warning = (code: string, span: Span, message: string, extra: Extra = {}) =>
  make('warning', code, span, message, extra);

export const didYouMean = (name: string | undefined) => (name === undefined ? undefined : `did you mean \`${name}\`?`);
export const list = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ');
export const printable = (text: string) => {
  const code = text.codePointAt(0) ?? 0;
  return code < 32 || code === 127
    ? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
    : `\`${String.fromCodePoint(code)}\``;
};

/** Whether a diagnostic concerns valid PTX that is unsupported (group 08). */
export function isUnsupported(diagnostic: Diagnostic): boolean {
  return diagnostic.code.startsWith('PTX08');
}
