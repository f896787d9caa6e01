// Collects diagnostics, and stops a hopeless parse.
import type { Diagnostic } from '../ast.ts';
import { diagnostics } from './diagnostics.ts';

/** More than this is of no use, and stopping bounds the time spent on text that is no PTX at all. */
const maxErrors = 50;
const maxWarnings = 50;

/** Thrown by a parser to give up on a statement; caught where parsing resumes. */
export class SyntaxFailure extends Error {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

/** Thrown when there are too many errors. */
export class TooManyErrors extends Error {}

export class Reporter {
  readonly diagnostics: Diagnostic[] = [];
  private errors = 0;
  private warnings = 0;
  private readonly names = new Set<string>();
  private readonly suggestions = new Map<string, string | undefined>();

  /** What `find` suggests for a name. It looks once for each: an undeclared one may be used everywhere, and is told of once. */
  suggestion(name: string, find: () => string | undefined): string | undefined {
    if (!this.suggestions.has(name)) this.suggestions.set(name, find());
    return this.suggestions.get(name);
  }

  get failed(): boolean {
    return this.errors > 0;
  }

  /** Throws `TooManyErrors` when the list is full. Warnings over the limit are dropped. */
  report(diagnostic: Diagnostic): void {
    if (this.repeats(diagnostic)) return;
    if (diagnostic.severity === 'warning') {
      if (this.warnings++ < maxWarnings) this.diagnostics.push(diagnostic);
      return;
    }
    if (this.errors++ >= maxErrors) {
      this.diagnostics.push(diagnostics.tooMany(diagnostic.span));
      throw new TooManyErrors();
    }
    this.diagnostics.push(diagnostic);
  }

  /** An undeclared name (group 04) is told of once, not at its every use. */
  private repeats({ code, message }: Diagnostic): boolean {
    if (!code.startsWith('PTX04')) return false;
    const known = this.names.has(message);
    this.names.add(message);
    return known;
  }
}
