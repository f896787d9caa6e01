// The exception for callers that do not inspect diagnostics.
import type { Diagnostic, Source } from '../ast.ts';
import { renderDiagnostics } from './render.ts';

/** The error for invalid or unsupported PTX. Its message contains the rendered diagnostics. */
export class PtxError extends Error {
  /** The PTX to which the diagnostics refer. */
  readonly source: Source;
  /** The causes, ordered by their position in the source. */
  readonly diagnostics: readonly Diagnostic[];

  /** Creates an error whose message contains the rendered diagnostics. */
  constructor(source: Source, diagnostics: readonly Diagnostic[]) {
    super(renderDiagnostics(source, diagnostics));
    this.name = 'PtxError';
    this.source = source;
    this.diagnostics = diagnostics;
  }
}
