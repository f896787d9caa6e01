// Builds a zero that compilers cannot fold.
import { InternalError } from '../../base/invariants.ts';
import type { Builder } from './builder.ts';
import type { Value } from './nodes.ts';

/**
 * Returns an i32 zero to combine by xor with values that compilers must not know. A compiler must
 * assume that any bit of the zero may be set, so it knows no bit of the xor. The zero depends on
 * the fact that no square has bits 0 and 2 set: squares are 0, 1 or 4 modulo 8. No known compiler
 * uses this fact.
 */
export function unknownZero(builder: Builder): Value {
  const [block] = builder.emit('special', { name: '%ctaid.x', type: 'i32' }, []);
  if (block === undefined) throw new InternalError('a special register must have a value');
  const square = builder.imul(block, block);
  const never = builder.icmp('eq', builder.and(square, builder.i32(5)), builder.i32(5));
  return builder.select(never, builder.i32(-1), builder.i32(0));
}
