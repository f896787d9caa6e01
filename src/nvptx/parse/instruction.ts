// Parses instructions.
import { SyntaxFailure } from '../../ptx/diagnostics/reporter.ts';
import { llvmDiagnostics } from '../diagnostics.ts';
import type { Body, Instruction, Value } from '../ir/module.ts';
import { i1, type Type } from '../ir/types.ts';
import { parseCall } from './call.ts';
import { parseControl } from './control.ts';
import type { Cursor } from './cursor.ts';
import type { Token } from './lexer.ts';
import { parseMemory } from './memory.ts';
import { type NamedTypes, parseType } from './type.ts';
import { parseTypedValue, parseValue } from './value.ts';

const binaries = new Set(
  'add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem'.split(' '),
);
const casts = new Set(
  'trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast addrspacecast'.split(
    ' ',
  ),
);
const flagWords = new Set(
  `nuw nsw exact disjoint nneg samesign inbounds nusw volatile atomic weak tail musttail notail
  fast nnan ninf nsz arcp contract afn reassoc`.split(/\s+/),
);
/** Parses an instruction with its result, flags and metadata. */
export function parseInstruction(cursor: Cursor, named: NamedTypes): Instruction {
  const { start } = cursor.peek;
  let result: string | undefined;
  if (cursor.isKind('local')) {
    result = cursor.take().text;
    cursor.expect('=');
  }
  const leading = parseFlags(cursor);
  const opcode = cursor.expectKind('word', 'an instruction');
  const flags = new Set([...leading, ...parseFlags(cursor)]);
  const body = parseBody(cursor, named, opcode);
  const location = parseMetadata(cursor);
  return {
    ...body,
    result: body.type.kind === 'void' ? undefined : result,
    location,
    flags,
    span: cursor.spanFrom(start),
  };
}

function parseFlags(cursor: Cursor): string[] {
  const flags: string[] = [];
  for (;;) {
    if (cursor.isKind('word') && flagWords.has(cursor.peek.text)) flags.push(cursor.take().text);
    else if (cursor.is('inrange') || cursor.is('nofpclass')) {
      cursor.take();
      cursor.skipGroup('(', ')');
    } else return flags;
  }
}

/** Parses `, !kind !node` pairs. Returns the number of the `!dbg` node. */
function parseMetadata(cursor: Cursor): number | undefined {
  let location: number | undefined;
  while (cursor.is(',') && cursor.look(1).kind === 'metadata') {
    cursor.take();
    const kind = cursor.take().text;
    const node = cursor.take();
    if (kind === 'dbg' && /^\d+$/.test(node.text)) location = Number(node.text);
    else cursor.skipGroup('{', '}');
    cursor.skipGroup('(', ')');
  }
  return location;
}

function parseBody(cursor: Cursor, named: NamedTypes, opcode: Token): Body {
  const { text } = opcode;
  const typed = (): Value => parseTypedValue(cursor, named);
  const next = (): Value => {
    cursor.expect(',');
    return typed();
  };
  if (binaries.has(text)) {
    const left = typed();
    cursor.expect(',');
    return { op: 'binary', code: text, type: left.type, left, right: parseValue(cursor, named, left.type) };
  }
  if (casts.has(text)) {
    const value = typed();
    cursor.expect('to');
    return { op: 'cast', code: text, value, type: parseType(cursor, named) };
  }
  switch (text) {
    case 'fneg': {
      const value = typed();
      return { op: 'unary', code: text, value, type: value.type };
    }
    case 'freeze': {
      const value = typed();
      return { op: 'freeze', value, type: value.type };
    }
    case 'icmp':
    case 'fcmp': {
      const code = cursor.expectKind('word', 'a comparison').text;
      const left = typed();
      cursor.expect(',');
      const right = parseValue(cursor, named, left.type);
      return { op: 'compare', code: `${text} ${code}`, left, right, type: likeShape(left.type) };
    }
    case 'select': {
      const condition = typed();
      const left = next();
      return { op: 'select', condition, left, right: next(), type: left.type };
    }
    case 'extractelement': {
      const value = typed();
      if (value.type.kind !== 'vector') return cursor.fail('a vector');
      return { op: 'extractelement', value, index: next(), type: value.type.element };
    }
    case 'insertelement': {
      const value = typed();
      const element = next();
      return { op: 'insertelement', value, element, index: next(), type: value.type };
    }
    case 'shufflevector':
      return parseShuffle(cursor, typed(), next, named);
    case 'extractvalue': {
      const value = typed();
      const indices = parseIndices(cursor);
      return { op: 'extractvalue', value, indices, type: walk(cursor, value.type, indices) };
    }
    case 'insertvalue': {
      const value = typed();
      const element = next();
      return { op: 'insertvalue', value, element, indices: parseIndices(cursor), type: value.type };
    }
    case 'call':
      return parseCall(cursor, named);
    default: {
      const body = parseMemory(cursor, named, text) ?? parseControl(cursor, named, text);
      if (body !== undefined) return body;
      throw new SyntaxFailure(llvmDiagnostics.unsupported(opcode, `the instruction \`${text}\``));
    }
  }
}

/** Returns the type of a comparison's result: i1, or a vector of i1 for vectors. */
const likeShape = (type: Type): Type =>
  type.kind === 'vector' ? { kind: 'vector', count: type.count, element: i1 } : i1;

function parseShuffle(cursor: Cursor, left: Value, next: () => Value, named: NamedTypes): Body {
  const right = next();
  cursor.expect(',');
  const { span, ...type } = { ...parseType(cursor, named), span: cursor.peek };
  if (type.kind !== 'vector' || left.type.kind !== 'vector')
    throw new SyntaxFailure(llvmDiagnostics.expected(span, 'a vector', type.kind));
  const value = parseValue(cursor, named, type);
  const mask = Array.from({ length: type.count }, (_, index) => {
    if (value.kind === 'zero') return 0;
    const element = value.kind === 'aggregate' ? value.elements[index] : undefined;
    return element?.kind === 'int' ? Number(element.value) : element?.kind === 'zero' ? 0 : undefined;
  });
  return {
    op: 'shufflevector',
    left,
    right,
    mask,
    type: { kind: 'vector', count: type.count, element: left.type.element },
  };
}

function parseIndices(cursor: Cursor): number[] {
  const indices: number[] = [];
  while (cursor.is(',') && cursor.look(1).kind === 'number') {
    cursor.take();
    indices.push(cursor.count('an index'));
  }
  return indices;
}

function walk(cursor: Cursor, type: Type, indices: readonly number[]): Type {
  let current = type;
  for (const index of indices) {
    if (current.kind === 'struct') current = current.fields[index] ?? cursor.fail('an index of a field');
    else if (current.kind === 'array') current = current.element;
    else return cursor.fail('an aggregate');
  }
  return current;
}
