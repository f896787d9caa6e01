// Parses the instructions that end blocks, and phis.
import type { Body, Value } from '../ir/module.ts';
import { voidType } from '../ir/types.ts';
import type { Cursor } from './cursor.ts';
import { type NamedTypes, parseType } from './type.ts';
import { parseTypedValue, parseValue } from './value.ts';

/** Parses the operands of an instruction of this file. Returns undefined for another opcode. */
export function parseControl(cursor: Cursor, named: NamedTypes, opcode: string): Body | undefined {
  switch (opcode) {
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
    default:
      return undefined;
  }
}

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
