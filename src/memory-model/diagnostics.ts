// All diagnostics of litmus tests. Their codes are stable: a code must never be reused.
import type { Span } from '../ptx/ast.ts';
import { didYouMean, error } from '../ptx/diagnostics/make-diagnostic.ts';

export const litmusDiagnostics = {
  expected: (span: Span, what: string, found: string) => error('LIT0201', span, `expected ${what}, found ${found}`),
  duplicate: (span: Span, what: string, name: string) => error('LIT0301', span, `${what} \`${name}\` is defined twice`),
  unknown: (span: Span, what: string, name: string, nearest: string | undefined) =>
    error('LIT0302', span, `unknown ${what} \`${name}\``, { hint: didYouMean(nearest) }),
  badAlias: (span: Span) =>
    error('LIT0303', span, 'an alias must be a global variable of the size of another global variable', {
      hint: 'write `alias b = a` after the declarations of both',
    }),
  unsupported: (span: Span, what: string, hint?: string) =>
    error('LIT0801', span, `${what} is not supported in a litmus test`, { hint }),
  badAddress: (span: Span) => error('LIT0802', span, 'this access is outside of the variables of the test'),
  tooLarge: (span: Span, what: string, limit: number) =>
    error('LIT0803', span, `the test has more than ${limit} ${what}`, { hint: 'use fewer threads or accesses' }),
} as const;
