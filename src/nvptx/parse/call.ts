// Parses calls.
import type { Argument, Body } from '../ir/module.ts';
import { pointerTo } from '../ir/types.ts';
import { parseAttributes, skipAttributes } from './attributes.ts';
import type { Cursor } from './cursor.ts';
import { type NamedTypes, parseType } from './type.ts';
import { parseValue } from './value.ts';

const callingConventions = /^(?:[a-z]*cc|cc\d+|ptx_device|ptx_kernel)$/;

export function parseCall(cursor: Cursor, named: NamedTypes): Body {
  while (cursor.isKind('word') && callingConventions.test(cursor.peek.text)) cursor.take();
  parseAttributes(cursor, named);
  const type = parseType(cursor, named);
  // The type of a variadic callee includes its parameter list.
  cursor.skipGroup('(', ')');
  const callee = parseValue(cursor, named, pointerTo(0, named.pointerBytes));
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
