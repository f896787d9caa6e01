// Parses the attributes of parameters, arguments, functions and calls.
import type { Attributes } from '../ir/module.ts';
import type { Type } from '../ir/types.ts';
import type { Cursor } from './cursor.ts';
import { type NamedTypes, parseType } from './type.ts';

/** Attributes that a parameter or result may have before its value. */
const words = new Set(
  `zeroext signext noext inreg byval sret byref preallocated inalloca elementtype noalias nocapture captures nofree nest
  returned nonnull dereferenceable dereferenceable_or_null swiftself swiftasync swifterror immarg noundef nofpclass align
  allocalign allocptr readnone readonly writeonly dead_on_unwind dead_on_return range initializes writable alignstack`.split(
    /\s+/,
  ),
);

/** Parses the attributes of a parameter, argument or result. */
export function parseAttributes(cursor: Cursor, named: NamedTypes): Attributes {
  let byval: Type | undefined;
  let align: number | undefined;
  let isGridConstant = false;
  for (;;) {
    if (cursor.isKind('string') || cursor.isKind('attributes')) {
      isGridConstant ||= cursor.take().text === 'nvvm.grid_constant';
      if (cursor.accept('=')) cursor.take();
    } else if (cursor.isKind('word') && words.has(cursor.peek.text)) {
      const { text } = cursor.take();
      if (text === 'byval') {
        cursor.expect('(');
        byval = parseType(cursor, named);
        cursor.expect(')');
      } else if (text === 'align' && cursor.isKind('number')) align = cursor.count('an alignment');
      else if (text === 'align' || cursor.is('(')) cursor.skipGroup('(', ')');
    } else return { byval, align, isGridConstant };
  }
}

/**
 * Skips attributes: words with optional groups, strings, and references to attribute groups. Stops
 * at any other token or line. Returns the numbers of the attribute groups.
 */
export function skipAttributes(cursor: Cursor): number[] {
  const groups: number[] = [];
  for (;;) {
    if (cursor.peek.startsLine) return groups;
    if (cursor.isKind('attributes')) groups.push(Number(cursor.take().text));
    else if (cursor.isKind('string') || cursor.isKind('word')) {
      const { text } = cursor.take();
      if (cursor.accept('=')) cursor.take();
      if (text === 'align' || text === 'addrspace') {
        if (cursor.isKind('number')) cursor.take();
      }
      cursor.skipGroup('(', ')');
    } else return groups;
  }
}
