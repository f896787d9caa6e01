// What a kernel did wrong, with its places in the PTX.

import type { Diagnostic, Source } from '../../ptx/ast.ts';
import { renderDiagnostic } from '../../ptx/index.ts';

/** PTX that is wrong (`invalid`), that is not supported (`unsupported`), or that stopped with a fault of its own (`failed`). */
export class KernelError extends Error {
  readonly kind: 'invalid' | 'unsupported' | 'failed';
  readonly diagnostics: readonly Diagnostic[];
  readonly source: Source;

  constructor(kind: KernelError['kind'], source: Source, diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
    this.name = 'KernelError';
    this.kind = kind;
    this.source = source;
    this.diagnostics = diagnostics;
  }

  /** Every diagnostic with its code frame. */
  render(color: boolean): string {
    return this.diagnostics.map((diagnostic) => renderDiagnostic(this.source, diagnostic, { color })).join('\n');
  }
}
