// The diagnostics of the front end: a part of the compiler that a page loads on use.

import { diagnostics } from '../diagnostics/diagnostics.ts';
import { diagnosticsPart } from '../diagnostics/part.ts';

export function provideDiagnostics(): void {
  diagnosticsPart.provide(diagnostics);
}
