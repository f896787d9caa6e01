// Which line of the WGSL comes of which line of the PTX.
import { printInstruction, type Source } from '../../src/ptx/index.ts';

/// Both count from 1.
export interface SourceLine {
  readonly ptxLine: number;
  readonly wgslLine: number;
}

interface Statement {
  readonly text: string;
  readonly line: number;
}

/// The pairs of a program, by line of the WGSL: read from the comments that the translator writes over lowered code.
export function sourceLines(ptx: string, { code }: { readonly code: string }): readonly SourceLine[] {
  const statements = new StatementFinder(statementsOf(ptx));
  const pairs: SourceLine[] = [];
  let current: { line: number; indent: number } | undefined;
  for (const [index, text] of code.split('\n').entries()) {
    const indent = text.length - text.trimStart().length;
    const comment = indent > 0 && text.trimStart().startsWith('// ') ? normalize(text.trim().slice(3)) : undefined;
    if (comment !== undefined) {
      const line = statements.next(comment);
      current = line === undefined ? undefined : { line, indent };
    } else if (current && (indent < current.indent || isFrame(text))) {
      current = undefined;
    }
    if (current && text.trim() !== '') pairs.push({ ptxLine: current.line, wgslLine: index + 1 });
  }
  return pairs;
}

/// Statements as the comments show them, with the line each starts on.
function statementsOf(text: string): Statement[] {
  const source: Source = { file: '', text };
  const found: Statement[] = [];
  let line = 1;
  // Comments keep their length, so that offsets stay.
  const plain = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\r\n]*/g, (comment) => comment.replace(/[^\r\n]/g, ' '));
  let from = 0;
  for (const piece of plain.split(/(?<=[;{}:\n])/)) {
    const start = from + (piece.length - piece.trimStart().length);
    const end = from + piece.length;
    if (piece.trim() !== '') {
      found.push({ text: normalize(printInstruction({ span: { start, end } }, source)), line });
    }
    from = end;
    if (piece.endsWith('\n')) line++;
  }
  return found;
}

const normalize = (text: string): string =>
  text
    .replace(/\/\*.*?\*\/|\/\/.*$/g, ' ')
    .replace(/;\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim();

/// Matches comments to statements in order: the same instruction written five times makes five pairs.
class StatementFinder {
  readonly #lines: readonly number[];
  /// Places of each text, in order, and how many of them lie behind the last match.
  readonly #places = new Map<string, { readonly at: number[]; next: number }>();
  #last = -1;

  constructor(statements: readonly Statement[]) {
    this.#lines = statements.map(({ line }) => line);
    for (const [index, { text }] of statements.entries()) {
      const known = this.#places.get(text);
      if (known) known.at.push(index);
      else this.#places.set(text, { at: [index], next: 0 });
    }
  }

  /// The line of the next such statement after the last match, or else of the first one.
  next(text: string): number | undefined {
    const place = this.#places.get(text);
    if (!place) return undefined;
    const { at } = place;
    if ((at[place.next - 1] ?? -1) > this.#last) place.next = 0;
    while (place.next < at.length && (at[place.next] ?? 0) <= this.#last) place.next++;
    this.#last = at[place.next] ?? at[0] ?? -1;
    return this.#lines[this.#last];
  }
}

/// Loads of inputs and stores of results around a fragment, which have no PTX line.
const isFrame = (text: string): boolean => /\boffset_(in|out)_\w+|\bframe_(thread|word)/.test(text);
