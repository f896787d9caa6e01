// The errors of kernels, with their places in the PTX.

import type { Diagnostic, Source } from '../../ptx/ast.ts';
import { renderDiagnostic } from '../../ptx/diagnostics/render.ts';

/** The error of a kernel that cannot run or that failed. */
export class KernelError extends Error {
  /**
   * The cause: `invalid` for invalid PTX, `unsupported` for PTX that is not supported, `failed` for
   * a kernel that stopped, for example with a trap.
   */
  readonly kind: 'invalid' | 'unsupported' | 'failed';
  /** The causes, with their places in the PTX. */
  readonly diagnostics: readonly Diagnostic[];
  /** The PTX that the places refer to. */
  readonly source: Source;

  /** Creates an error whose message lists the diagnostics. */
  constructor(kind: KernelError['kind'], source: Source, diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
    this.name = 'KernelError';
    this.kind = kind;
    this.source = source;
    this.diagnostics = diagnostics;
  }

  /** Returns every diagnostic with its code frame. `color` adds ANSI colors. */
  render(color: boolean): string {
    return this.diagnostics.map((diagnostic) => renderDiagnostic(this.source, diagnostic, { color })).join('\n');
  }
}
