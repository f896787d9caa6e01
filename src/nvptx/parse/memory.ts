// Parses the instructions on memory.
import type { Atomicity, Body, Ordering, Value } from '../ir/module.ts';
import { i1, pointerTo, type StructType, voidType } from '../ir/types.ts';
import type { Cursor } from './cursor.ts';
import { type NamedTypes, parseType } from './type.ts';
import { parseTypedValue } from './value.ts';

const orderings: ReadonlySet<string> = new Set<Ordering>([
  'unordered',
  'monotonic',
  'acquire',
  'release',
  'acq_rel',
  'seq_cst',
]);
const isOrdering = (text: string): text is Ordering => orderings.has(text);

/** Parses the operands of an instruction of this file. Returns undefined for another opcode. */
export function parseMemory(cursor: Cursor, named: NamedTypes, opcode: string): Body | undefined {
  const typed = (): Value => parseTypedValue(cursor, named);
  const next = (): Value => {
    cursor.expect(',');
    return typed();
  };
  switch (opcode) {
    case 'alloca':
      return parseAlloca(cursor, named);
    case 'getelementptr': {
      const element = parseType(cursor, named);
      const pointer = next();
      const indices: Value[] = [];
      while (cursor.is(',') && cursor.look(1).kind !== 'metadata') indices.push(next());
      return { op: 'getelementptr', element, pointer, indices, type: pointer.type };
    }
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
    case 'fence':
      return { op: 'fence', type: voidType, atomic: requiredAtomicity(cursor) };
    case 'atomicrmw': {
      const { text: code } = cursor.expectKind('word', 'an operation');
      const pointer = typed();
      const value = next();
      const atomic = requiredAtomicity(cursor);
      parseAlign(cursor);
      return { op: 'atomicrmw', code, pointer, value, atomic, type: value.type };
    }
    case 'cmpxchg': {
      const pointer = typed();
      const expected = next();
      const value = next();
      const atomic = requiredAtomicity(cursor);
      if (cursor.isKind('word') && isOrdering(cursor.peek.text)) cursor.take();
      parseAlign(cursor);
      const type: StructType = { kind: 'struct', packed: false, fields: [value.type, i1] };
      return { op: 'cmpxchg', pointer, expected, value, atomic, type };
    }
    default:
      return undefined;
  }
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
  return { op: 'alloca', allocated, count, align, type: pointerTo(space, named.pointerBytes) };
}

function requiredAtomicity(cursor: Cursor): Atomicity {
  return parseAtomicity(cursor) ?? cursor.fail('an ordering');
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
