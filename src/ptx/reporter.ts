// Collects diagnostics, and stops a hopeless parse.
import type { Diagnostic } from './ast.ts';
import { diagnostics } from './diagnostics.ts';

/// More than this helps nobody, and stopping bounds the time spent on text that is no PTX at all.
const maxDiagnostics = 50;

/// Thrown by a parser to give up on a statement; caught where parsing resumes.
export class SyntaxFailure extends Error {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

/// Thrown when there are too many diagnostics.
export class TooManyDiagnostics extends Error {}

export class Reporter {
  readonly diagnostics: Diagnostic[] = [];

  get failed(): boolean {
    return this.diagnostics.some((diagnostic) => diagnostic.severity === 'error');
  }

  /// Throws `TooManyDiagnostics` when the list is full.
  report(diagnostic: Diagnostic): void {
    if (this.diagnostics.length >= maxDiagnostics) {
      this.diagnostics.push(diagnostics.tooMany(diagnostic.span));
      throw new TooManyDiagnostics();
    }
    this.diagnostics.push(diagnostic);
  }
}
