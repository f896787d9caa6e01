// A zero that no compiler finds.
import { InternalError } from '../../base/invariants.ts';
import type { Builder } from './builder.ts';
import type { Value } from './nodes.ts';

/**
 * An i32, to be combined by xor with what compilers are not to know: all bits are set in what they must reckon with, so that they know none of the result's.
 * No square has the bits 1 and 4 set: squares are 0, 1 or 4, modulo 8. No compiler is known to know.
 */
export function unknownZero(builder: Builder): Value {
  const [block] = builder.emit('special', { name: '%ctaid.x', type: 'i32' }, []);
  if (block === undefined) throw new InternalError('a special register has a value');
  const square = builder.imul(block, block);
  const never = builder.icmp('eq', builder.and(square, builder.i32(5)), builder.i32(5));
  return builder.select(never, builder.i32(-1), builder.i32(0));
}
