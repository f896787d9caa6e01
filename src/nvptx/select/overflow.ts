// Selects arithmetic that saturates, and arithmetic that reports an overflow.
import { bitsOf, i1, i64, intType } from '../ir/types.ts';
import { choose } from './choose.ts';
import { constantOf, isNarrow, registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

export function saturateUnsigned(writer: Writer, operation: 'add' | 'sub', a: Scalar, b: Scalar): Scalar {
  const { type } = a;
  const width = registerBits(type);
  const [first, second] = [writer.extended(a, 'zero'), writer.extended(b, 'zero')];
  if (operation === 'sub') {
    const least = writer.compute(`min.u${width}`, type, writer.operand(first), writer.operand(second));
    return writer.compute(`sub.s${width}`, type, writer.operand(first), least.text);
  }
  const all = String(isNarrow(type) ? (1n << BigInt(bitsOf(type))) - 1n : -1);
  const room = writer.compute(`xor.b${width}`, type, writer.operand(first), all);
  const added = writer.compute(`min.u${width}`, type, room.text, writer.operand(second));
  return writer.compute(`add.s${width}`, type, writer.operand(first), added.text);
}

/**
 * Returns the sum or difference. If it overflows, returns instead the largest or smallest number
 * with the sign of the first operand.
 */
export function saturateSigned(writer: Writer, operation: 'add' | 'sub', a: Scalar, b: Scalar): Scalar {
  const { type } = a;
  const bits = bitsOf(type);
  const [sum, overflow] = withOverflow(writer, 's', operation, a, b);
  const least = constantOf(type, 1n << BigInt(bits - 1));
  const greatest = constantOf(type, (1n << BigInt(bits - 1)) - 1n);
  const isBelow = writer.compute(`setp.lt.s${registerBits(type)}`, i1, writer.operand(writer.extended(a, 'sign')), '0');
  return choose(writer, overflow, choose(writer, isBelow, least, greatest), sum);
}

/** Returns the result and whether it overflowed. */
export function withOverflow(
  writer: Writer,
  sign: string,
  operation: string,
  a: Scalar,
  b: Scalar,
): [result: Scalar, overflow: Scalar] {
  if (isNarrow(a.type)) return narrowWithOverflow(writer, sign, operation, a, b);
  const { type } = a;
  const width = registerBits(type);
  const [x, y] = [writer.operand(a), writer.operand(b)];
  if (operation === 'mul') {
    const low = writer.compute(`mul.lo.s${width}`, type, x, y);
    const high = writer.compute(`mul.hi.${sign}${width}`, type, x, y);
    const expected = sign === 'u' ? '0' : writer.compute(`shr.s${width}`, type, low.text, String(width - 1)).text;
    return [low, writer.compute(`setp.ne.s${width}`, i1, high.text, expected)];
  }
  const result = writer.compute(`${operation}.s${width}`, type, x, y);
  if (sign === 'u') {
    const [left, right] = operation === 'add' ? [result.text, x] : [x, y];
    return [result, writer.compute(`setp.lt.u${width}`, i1, left, right)];
  }
  // A sum overflows if both operands have the same sign and the result has the other sign.
  const isSum = operation === 'add';
  const first = writer.compute(`xor.b${width}`, type, isSum ? result.text : x, isSum ? x : y);
  const second = writer.compute(`xor.b${width}`, type, result.text, isSum ? y : x);
  const both = writer.compute(`and.b${width}`, type, first.text, second.text);
  return [result, writer.compute(`setp.lt.s${width}`, i1, both.text, '0')];
}

/**
 * Computes the exact result with more bits. There is an overflow if the exact result differs from
 * its low bits after extension.
 */
function narrowWithOverflow(
  writer: Writer,
  sign: string,
  operation: string,
  a: Scalar,
  b: Scalar,
): [result: Scalar, overflow: Scalar] {
  const bits = bitsOf(a.type);
  if (operation === 'mul' && bits > 32) return writer.unsupported(`a product with overflow on ${bits} bits`);
  const upper = sign === 's' ? 'sign' : 'zero';
  const [x, y] = [a, b].map((scalar) => writer.operand(writer.resized(scalar, 64, upper)));
  const opcode = operation === 'mul' ? 'mul.lo.s64' : `${operation}.s64`;
  const exact = writer.compute(opcode, i64, x ?? '', y ?? '');
  const result = writer.resized(exact, bits, 'zero');
  const extended = writer.resized({ ...result, type: intType(bits), upper: 'any' }, 64, upper);
  return [result, writer.compute('setp.ne.s64', i1, exact.text, writer.operand(extended))];
}
