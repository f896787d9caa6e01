// Parses metadata: nodes and named nodes.
import type { Metadata } from '../ir/module.ts';
import { Cursor } from './cursor.ts';
import { tokenize } from './lexer.ts';

/** Returns the metadata nodes of a module. Other parts of the module may be invalid. */
export function parseMetadata(text: string): ReadonlyMap<number, Metadata> {
  const cursor = new Cursor(tokenize(text.match(/^!\d+ = .*$/gm)?.join('\n') ?? '')); // There may be no metadata.
  const parser = new MetadataParser();
  while (cursor.isKind('metadata')) parser.statement(cursor);
  return parser.nodes;
}

export class MetadataParser {
  readonly nodes = new Map<number, Metadata>();
  /** The operands of named nodes: numbers of nodes. */
  readonly named = new Map<string, readonly number[]>();

  /** Parses `!name = !{…}`, `!3 = distinct !DILocation(…)` and `!3 = !{…}`. */
  statement(cursor: Cursor): void {
    const name = cursor.take().text;
    cursor.expect('=');
    cursor.accept('distinct');
    if (!cursor.isKind('metadata')) return void operand(cursor);
    const kind = cursor.take().text;
    const fields = new Map<string, string>();
    const operands: string[] = [];
    const close = cursor.accept('{') ? '}' : cursor.accept('(') ? ')' : undefined;
    if (close === undefined) return cursor.fail('a metadata node');
    while (!cursor.accept(close)) {
      cursor.accept(',');
      if (cursor.is(close)) continue;
      if (cursor.isKind('label')) {
        const field = cursor.take().text;
        fields.set(field, operand(cursor));
      } else operands.push(operand(cursor));
    }
    if (/^\d+$/.test(name)) this.nodes.set(Number(name), { kind, fields, operands });
    else {
      const numbers = operands.map(Number).filter((node) => !Number.isNaN(node));
      this.named.set(name, numbers);
    }
  }
}

/** Parses an operand of a node. Returns its text: the number of a node, a name or a constant. */
function operand(cursor: Cursor): string {
  const texts: string[] = [];
  do {
    const token = cursor.take();
    texts.push(token.text);
    cursor.skipGroup('(', ')');
    cursor.skipGroup('{', '}');
  } while (!cursor.is(',') && !cursor.is(')') && !cursor.is('}') && !cursor.isKind('end') && !atStatement(cursor));
  return texts.join(' ');
}

const atStatement = (cursor: Cursor): boolean => cursor.isKind('metadata') && cursor.look(1).text === '=';
