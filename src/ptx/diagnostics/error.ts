// For callers that want to throw.
import type { Diagnostic, Source } from '../ast.ts';
import { renderDiagnostics } from './render.ts';

/** PTX that is invalid or not supported. The message contains the rendered diagnostics. */
export class PtxError extends Error {
  /** The PTX that the diagnostics refer to. */
  readonly source: Source;
  /** The causes, in the order of their places. */
  readonly diagnostics: readonly Diagnostic[];

  /** Creates an error whose message contains the rendered diagnostics. */
  constructor(source: Source, diagnostics: readonly Diagnostic[]) {
    super(renderDiagnostics(source, diagnostics));
    this.name = 'PtxError';
    this.source = source;
    this.diagnostics = diagnostics;
  }
}
