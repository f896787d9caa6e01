// All diagnostics of the LLVM IR front end. Their codes are stable: a code must never be reused.
import type { Span } from '../ptx/ast.ts';
import { error } from '../ptx/diagnostics/make-diagnostic.ts';

export const llvmDiagnostics = {
  unexpectedCharacter: (span: Span, text: string) => error('LL0101', span, `unexpected character \`${text}\``),
  unclosedString: (span: Span) => error('LL0102', span, 'this string is never closed'),
  expected: (span: Span, what: string, found: string) => error('LL0201', span, `expected ${what}, found ${found}`),
  undefinedName: (span: Span, name: string) => error('LL0301', span, `\`${name}\` is not defined`),
  unsupported: (span: Span, what: string, hint?: string) => error('LL0801', span, `${what} is not supported`, { hint }),
  target: (span: Span, triple: string) =>
    error('LL0802', span, `the module is for \`${triple}\``, { hint: 'compile for the triple `nvptx64-nvidia-cuda`' }),
} as const;
