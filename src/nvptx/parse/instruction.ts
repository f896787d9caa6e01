// Parses instructions.
import { SyntaxFailure } from '../../ptx/diagnostics/reporter.ts';
import { llvmDiagnostics } from '../diagnostics.ts';
import type { Argument, Atomicity, Instruction, Ordering, Value } from '../ir/module.ts';
import { i1, type StructType, type Type, voidType } from '../ir/types.ts';
import { parseAttributes, skipAttributes } from './attributes.ts';
import type { Cursor } from './cursor.ts';
import type { Token } from './lexer.ts';
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
const orderings: ReadonlySet<string> = new Set<Ordering>([
  'unordered',
  'monotonic',
  'acquire',
  'release',
  'acq_rel',
  'seq_cst',
]);
const isOrdering = (text: string): text is Ordering => orderings.has(text);

/** The parts that determine an instruction, without those that each has. */
type Body = Instruction extends infer T
  ? T extends Instruction
    ? Omit<T, 'result' | 'location' | 'flags' | 'span'>
    : never
  : never;

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
    case 'phi':
      return parsePhi(cursor, named);
    case 'br':
      return parseBranch(cursor, named);
    case 'switch':
      return parseSwitch(cursor, named);
    case 'ret': {
      const type = parseType(cursor, named);
      return { op: 'ret', type: voidType, value: type.kind === 'void' ? undefined : parseValue(cursor, named, type) };
    }
    case 'unreachable':
      return { op: 'unreachable', type: voidType };
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
    case 'getelementptr': {
      const element = parseType(cursor, named);
      const pointer = next();
      const indices: Value[] = [];
      while (cursor.is(',') && cursor.look(1).kind !== 'metadata') indices.push(next());
      return { op: 'getelementptr', element, pointer, indices, type: pointer.type };
    }
    case 'alloca':
      return parseAlloca(cursor, named);
    case 'load': {
      const type = parseType(cursor, named);
      const pointer = next();
      return { op: 'load', type, pointer, atomic: parseAtomicity(cursor), align: parseAlign(cursor) };
    }
    case 'store': {
      const value = typed();
      const pointer = next();
      return { op: 'store', type: voidType, value, pointer, atomic: parseAtomicity(cursor), align: parseAlign(cursor) };
    }
    case 'fence': {
      const atomic = parseAtomicity(cursor);
      return atomic === undefined ? cursor.fail('an ordering') : { op: 'fence', type: voidType, atomic };
    }
    case 'atomicrmw': {
      const { text: code } = cursor.expectKind('word', 'an operation');
      const pointer = typed();
      const value = next();
      const atomic = parseAtomicity(cursor);
      if (atomic === undefined) return cursor.fail('an ordering');
      parseAlign(cursor);
      return { op: 'atomicrmw', code, pointer, value, atomic, type: value.type };
    }
    case 'cmpxchg': {
      const pointer = typed();
      const expected = next();
      const value = next();
      const atomic = parseAtomicity(cursor);
      if (atomic === undefined) return cursor.fail('an ordering');
      if (cursor.isKind('word') && isOrdering(cursor.peek.text)) cursor.take();
      parseAlign(cursor);
      const type: StructType = { kind: 'struct', packed: false, fields: [value.type, i1] };
      return { op: 'cmpxchg', pointer, expected, value, atomic, type };
    }
    case 'call':
      return parseCall(cursor, named);
    default:
      throw new SyntaxFailure(llvmDiagnostics.unsupported(opcode, `the instruction \`${text}\``));
  }
}

/** Returns i1, or a vector of i1 for a vector. */
const likeShape = (type: Type): Type =>
  type.kind === 'vector' ? { kind: 'vector', count: type.count, element: i1 } : i1;

function parsePhi(cursor: Cursor, named: NamedTypes): Body {
  const type = parseType(cursor, named);
  const incoming: { value: Value; block: string }[] = [];
  do {
    cursor.expect('[');
    const value = parseValue(cursor, named, type);
    cursor.expect(',');
    incoming.push({ value, block: cursor.expectKind('local', 'a block').text });
    cursor.expect(']');
  } while (cursor.is(',') && cursor.look(1).text === '[' && cursor.accept(','));
  return { op: 'phi', type, incoming };
}

function parseLabel(cursor: Cursor): string {
  cursor.expect('label');
  return cursor.expectKind('local', 'a block').text;
}

function parseBranch(cursor: Cursor, named: NamedTypes): Body {
  if (cursor.is('label')) return { op: 'br', type: voidType, condition: undefined, targets: [parseLabel(cursor)] };
  const condition = parseTypedValue(cursor, named);
  cursor.expect(',');
  const taken = parseLabel(cursor);
  cursor.expect(',');
  return { op: 'br', type: voidType, condition, targets: [taken, parseLabel(cursor)] };
}

function parseSwitch(cursor: Cursor, named: NamedTypes): Body {
  const value = parseTypedValue(cursor, named);
  cursor.expect(',');
  const otherwise = parseLabel(cursor);
  cursor.expect('[');
  const cases: { value: bigint; target: string }[] = [];
  while (!cursor.accept(']')) {
    const key = parseTypedValue(cursor, named);
    cursor.expect(',');
    if (key.kind !== 'int') return cursor.fail('an integer');
    cases.push({ value: key.value, target: parseLabel(cursor) });
  }
  return { op: 'switch', type: voidType, value, otherwise, cases };
}

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

function parseAlloca(cursor: Cursor, named: NamedTypes): Body {
  const allocated = parseType(cursor, named);
  let count: Value | undefined;
  let align = 1;
  let space = 0;
  while (cursor.is(',') && cursor.look(1).kind !== 'metadata') {
    cursor.take();
    if (cursor.accept('align')) align = cursor.count('an alignment');
    else if (cursor.accept('addrspace')) {
      cursor.expect('(');
      space = cursor.count('the number of an address space');
      cursor.expect(')');
    } else count = parseTypedValue(cursor, named);
  }
  return { op: 'alloca', allocated, count, align, type: { kind: 'ptr', space } };
}

/** Parses `syncscope("…") ordering`. */
function parseAtomicity(cursor: Cursor): Atomicity | undefined {
  let scope = '';
  if (cursor.accept('syncscope')) {
    cursor.expect('(');
    scope = cursor.expectKind('string', 'a scope').text;
    cursor.expect(')');
  }
  if (!cursor.isKind('word') || !isOrdering(cursor.peek.text)) return undefined;
  const { text } = cursor.take();
  return isOrdering(text) ? { ordering: text, scope } : undefined;
}

function parseAlign(cursor: Cursor): number | undefined {
  if (!cursor.is(',') || cursor.look(1).text !== 'align') return undefined;
  cursor.take();
  cursor.take();
  return cursor.count('an alignment');
}

const callingConventions = /^(?:[a-z]*cc|cc\d+|ptx_device|ptx_kernel)$/;

function parseCall(cursor: Cursor, named: NamedTypes): Body {
  while (cursor.isKind('word') && callingConventions.test(cursor.peek.text)) cursor.take();
  parseAttributes(cursor, named);
  const type = parseType(cursor, named);
  // A variadic callee has its whole type here.
  cursor.skipGroup('(', ')');
  const callee = parseValue(cursor, named, { kind: 'ptr', space: 0 });
  const args = parseArguments(cursor, named);
  skipAttributes(cursor);
  cursor.skipGroup('[', ']');
  return { op: 'call', type, callee, args };
}

function parseArguments(cursor: Cursor, named: NamedTypes): Argument[] {
  cursor.expect('(');
  const args: Argument[] = [];
  while (!cursor.accept(')')) {
    if (args.length > 0) cursor.expect(',');
    const type = parseType(cursor, named);
    const attributes = parseAttributes(cursor, named);
    if (type.kind === 'metadata') {
      args.push({ value: { kind: 'undefined', type }, attributes });
      skipMetadataOperand(cursor);
    } else args.push({ value: parseValue(cursor, named, type), attributes });
  }
  return args;
}

function skipMetadataOperand(cursor: Cursor): void {
  cursor.take();
  if (cursor.isKind('string')) cursor.take();
  cursor.skipGroup('(', ')');
  cursor.skipGroup('{', '}');
}
