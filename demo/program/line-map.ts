// Which lines of the WGSL come of which line of the PTX: read from the comments that the translator writes over lowered code.
import { printInstruction, type Source } from '../../src/ptx/index.ts';

export interface LineMap {
  /// By line of the PTX, from 1: lines of the WGSL, from 1.
  readonly toWgsl: ReadonlyMap<number, readonly number[]>;
  readonly toPtx: ReadonlyMap<number, number>;
}

interface Statement {
  readonly text: string;
  readonly line: number;
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
export function mapLines(ptx: string, wgsl: string): LineMap {
  const statements = statementsOf(ptx);
  const toWgsl = new Map<number, number[]>();
  const toPtx = new Map<number, number>();
  let last = -1;
  let current: { line: number; indent: number } | undefined;
  for (const [index, text] of wgsl.split('\n').entries()) {
    const indent = text.length - text.trimStart().length;
    const comment = indent > 0 && text.trimStart().startsWith('// ') ? normalize(text.trim().slice(3)) : undefined;
    if (comment !== undefined) {
      const at = nextMatch(statements, comment, last);
      if (at >= 0) last = at;
      const line = statements[at]?.line;
      current = line === undefined ? undefined : { line, indent };
    } else if (current && (indent < current.indent || isFrame(text))) {
      current = undefined;
    }
    if (!current || text.trim() === '') continue;
    toPtx.set(index + 1, current.line);
    toWgsl.set(current.line, [...(toWgsl.get(current.line) ?? []), index + 1]);
  }
  return { toWgsl, toPtx };
}

/// Loads of inputs and stores of results around a fragment, which have no PTX line.
const isFrame = (text: string): boolean => /\boffset_(in|out)_\w+|\bframe_(thread|word)/.test(text);

function nextMatch(statements: readonly Statement[], text: string, last: number): number {
  const later = statements.findIndex((statement, index) => index > last && statement.text === text);
  return later >= 0 ? later : statements.findIndex((statement) => statement.text === text);
}
