// Prints a statement on one line, for comments in generated code and for reports.
import type { Source, Statement } from './ast.ts';

/**
 * Returns the source text of an instruction without comments and with single spaces. The text is
 * safe inside a `//` comment.
 */
export function printInstruction(instruction: Pick<Statement, 'span'>, source: Source): string {
  return source.text
    .slice(instruction.span.start, instruction.span.end)
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\r\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
