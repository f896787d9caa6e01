// For callers that want to throw.
import type { Diagnostic, Source } from '../ast.ts';
import { renderDiagnostics } from './render.ts';

/** PTX that could not be used. The message holds the rendered diagnostics. */
export class PtxError extends Error {
  readonly source: Source;
  readonly diagnostics: readonly Diagnostic[];

  constructor(source: Source, diagnostics: readonly Diagnostic[]) {
    super(renderDiagnostics(source, diagnostics));
    this.name = 'PtxError';
    this.source = source;
    this.diagnostics = diagnostics;
  }
}
