// Parses types.
import { unreachable } from '../../base/invariants.ts';
import { SyntaxFailure } from '../../ptx/diagnostics/reporter.ts';
import { llvmDiagnostics } from '../diagnostics.ts';
import { type FloatKind, intType, isScalar, type PointerBytes, pointerTo, type Type, voidType } from '../ir/types.ts';
import { Cursor } from './cursor.ts';
import type { Token } from './lexer.ts';

/** The named types and the data layout of a module. A definition may follow its uses. */
export class NamedTypes {
  /** The size of a pointer in memory, according to the data layout. */
  readonly pointerBytes: PointerBytes;
  private readonly tokens: readonly Token[];
  /** The number of the first token of each definition, or the type once it is parsed. */
  private readonly definitions = new Map<string, number | Type>();

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
    const layout = tokens[tokens.findIndex(({ text }) => text === 'datalayout') + 2]?.text;
    this.pointerBytes = layout?.startsWith('e-p:32:') ? 4 : 8;
    for (const [index, { kind, text, startsLine }] of tokens.entries())
      if (kind === 'local' && startsLine && tokens[index + 2]?.text === 'type') this.definitions.set(text, index + 3);
  }

  get(name: string): Type | undefined {
    const found = this.definitions.get(name);
    if (typeof found !== 'number') return found;
    const type = parseType(new Cursor(this.tokens, found), this);
    this.definitions.set(name, type);
    return type;
  }
}

const floatKinds: ReadonlySet<string> = new Set<FloatKind>(['half', 'bfloat', 'float', 'double']);
const isFloatKind = (text: string): text is FloatKind => floatKinds.has(text);

/** Returns whether a type begins at the next token. */
export function beginsType(cursor: Cursor): boolean {
  const { kind, text } = cursor.peek;
  if (kind === 'local') return true;
  if (kind === 'mark') return text === '<' || text === '[' || text === '{';
  return (
    kind === 'word' && (/^i\d+$/.test(text) || isFloatKind(text) || ['void', 'ptr', 'label', 'metadata'].includes(text))
  );
}

export function parseType(cursor: Cursor, named: NamedTypes): Type {
  const token = cursor.take();
  const { kind, text } = token;
  if (kind === 'local') {
    const type = named.get(text);
    if (type === undefined) throw new SyntaxFailure(llvmDiagnostics.undefinedName(token, `%${text}`));
    return type;
  }
  if (kind === 'word') {
    if (/^i\d+$/.test(text)) return integerType(token);
    if (isFloatKind(text)) return { kind: text };
    if (text === 'ptr') return pointerTo(addressSpace(cursor), named.pointerBytes);
    if (text === 'void') return voidType;
    if (text === 'label' || text === 'metadata') return { kind: text };
  }
  if (kind === 'mark') {
    if (text === '<' && cursor.is('{')) {
      cursor.take();
      const fields = parseFields(cursor, named);
      cursor.expect('>');
      return { kind: 'struct', packed: true, fields };
    }
    if (text === '{') return { kind: 'struct', packed: false, fields: parseFields(cursor, named) };
    if (text === '[' || text === '<') return parseSequence(cursor, named, text);
  }
  throw new SyntaxFailure(llvmDiagnostics.expected(token, 'a type', `\`${text}\``));
}

function integerType(token: Token): Type {
  const bits = Number(token.text.slice(1));
  if (bits <= 64) return intType(bits);
  if (bits <= 128) return { kind: 'wide', bits };
  throw new SyntaxFailure(llvmDiagnostics.unsupported(token, `an integer of ${bits} bits`));
}

/** Parses `addrspace(N)`. Returns 0 if the next token is another one. */
export function addressSpace(cursor: Cursor): number {
  if (!cursor.accept('addrspace')) return 0;
  cursor.expect('(');
  const space = cursor.count('the number of an address space');
  cursor.expect(')');
  return space;
}

function parseFields(cursor: Cursor, named: NamedTypes): Type[] {
  const fields: Type[] = [];
  while (!cursor.accept('}')) {
    if (fields.length > 0) cursor.expect(',');
    fields.push(parseType(cursor, named));
  }
  return fields;
}

function parseSequence(cursor: Cursor, named: NamedTypes, open: '[' | '<'): Type {
  const start = cursor.lastEnd;
  const count = cursor.count('a number of elements');
  cursor.expect('x');
  const element = parseType(cursor, named);
  switch (open) {
    case '[':
      cursor.expect(']');
      return { kind: 'array', count, element };
    case '<':
      cursor.expect('>');
      if (!isScalar(element))
        throw new SyntaxFailure(llvmDiagnostics.expected(cursor.spanFrom(start), 'a scalar', 'an aggregate'));
      return { kind: 'vector', count, element };
    default:
      return unreachable(open, 'bracket');
  }
}
