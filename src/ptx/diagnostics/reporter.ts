// Collects diagnostics and limits their number.
import type { Diagnostic } from '../ast.ts';
import { diagnostics } from './part.ts';

/** The maximum number of errors. It limits the time for text that is not PTX. */
const maxErrors = 50;
const maxWarnings = 50;

/**
 * Thrown to abandon a statement. The parser catches this error and continues at the next statement.
 */
export class SyntaxFailure extends Error {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

/** Thrown when the maximum number of errors is exceeded. */
export class TooManyErrors extends Error {}

export class Reporter {
  readonly diagnostics: Diagnostic[] = [];
  private errors = 0;
  private warnings = 0;
  private readonly names = new Set<string>();
  private readonly suggestions = new Map<string, string | undefined>();

  /**
   * Returns the suggestion of `find` for a name. Caches the suggestion, because an undeclared name
   * may occur many times.
   */
  suggestion(name: string, find: () => string | undefined): string | undefined {
    if (!this.suggestions.has(name)) this.suggestions.set(name, find());
    return this.suggestions.get(name);
  }

  get failed(): boolean {
    return this.errors > 0;
  }

  /**
   * Adds a diagnostic. Throws `TooManyErrors` if the list of errors is full. Does not add warnings
   * that exceed the maximum.
   */
  report(diagnostic: Diagnostic): void {
    if (this.repeats(diagnostic)) return;
    if (diagnostic.severity === 'warning') {
      if (this.warnings++ < maxWarnings) this.diagnostics.push(diagnostic);
      return;
    }
    if (this.errors++ >= maxErrors) {
      this.diagnostics.push(diagnostics().tooMany(diagnostic.span));
      throw new TooManyErrors();
    }
    this.diagnostics.push(diagnostic);
  }

  /** Whether the same diagnostic of a name (group 04) was already reported. */
  private repeats({ code, message }: Diagnostic): boolean {
    if (!code.startsWith('PTX04')) return false;
    const known = this.names.has(message);
    this.names.add(message);
    return known;
  }
}
