// Selects counts, reversals and rotations of bits.
import { at, missing } from '../../base/invariants.ts';
import { bitsOf, i32, intType, type ScalarType } from '../ir/types.ts';
import { rebuild } from './bits.ts';
import { constantOf, registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

/** Returns the width at which PTX counts or reverses bits: 32 or 64. */
const countedBits = (type: ScalarType): 32 | 64 => (registerBits(type) === 64 ? 64 : 32);

export function countOnes(writer: Writer, a: Scalar): Scalar {
  const wide = writer.resized(writer.extended(a, 'zero'), countedBits(a.type), 'zero');
  const count = writer.compute(`popc.b${countedBits(a.type)}`, i32, writer.inRegister(wide));
  return writer.resized(count, bitsOf(a.type), 'zero');
}

export function countLeadingZeros(writer: Writer, a: Scalar): Scalar {
  const bits = countedBits(a.type);
  const wide = writer.resized(writer.extended(a, 'zero'), bits, 'zero');
  const count = writer.compute(`clz.b${bits}`, i32, writer.inRegister(wide));
  const surplus = bits - bitsOf(a.type);
  const own = surplus === 0 ? count : writer.compute('sub.s32', i32, count.text, String(surplus));
  return writer.resized(own, bitsOf(a.type), 'zero');
}

/**
 * Counts the leading zeros of the reversed bits. For a narrow operand, first sets the bit above its
 * highest bit, so that the result for zero is its width.
 */
export function countTrailingZeros(writer: Writer, a: Scalar): Scalar {
  const bits = countedBits(a.type);
  const type = intType(bits);
  const wide = writer.resized(a, bits, 'zero');
  const own = bitsOf(a.type);
  const marked =
    own < bits ? writer.compute(`or.b${bits}`, type, writer.inRegister(wide), String(1n << BigInt(own))) : wide;
  const reversed = writer.compute(`brev.b${bits}`, type, writer.inRegister(marked));
  return writer.resized(writer.compute(`clz.b${bits}`, i32, reversed.text), own, 'zero');
}

export function reverseBits(writer: Writer, a: Scalar): Scalar {
  const bits = countedBits(a.type);
  const type = intType(bits);
  const reversed = writer.compute(`brev.b${bits}`, type, writer.inRegister(writer.resized(a, bits, 'zero')));
  const surplus = bits - bitsOf(a.type);
  const own = surplus === 0 ? reversed : writer.compute(`shr.u${bits}`, type, reversed.text, String(surplus));
  return writer.resized(own, bitsOf(a.type), 'zero');
}

/** Reverses the bytes of 16, 32, 48 or 64 bits. */
export function swapBytes(writer: Writer, a: Scalar): Scalar {
  const bits = bitsOf(a.type);
  if (bits > 32) {
    const wide = writer.resized(a, 64, 'zero');
    const [low, high] = rebuild(writer, [wide], [i32, i32]);
    const swapped = [high, low].map((half) => swapBytes(writer, half ?? missing('the half')));
    const whole = at(rebuild(writer, swapped, [intType(64)]), 0, 'the whole');
    if (bits === 64) return whole;
    return writer.resized(writer.compute('shr.u64', whole.type, whole.text, String(64 - bits)), bits, 'zero');
  }
  const selector = { 16: '0x4401', 24: '0x4012' }[bits] ?? '0x0123';
  const swapped = writer.compute('prmt.b32', i32, writer.inRegister(writer.resized(a, 32, 'zero')), '0', selector);
  return writer.resized(swapped, bits, 'zero');
}

/**
 * Shifts the concatenation of two operands by an amount modulo their width. Returns the upper part
 * of the result for a left shift, and the lower part for a right shift.
 */
export function funnel(writer: Writer, direction: 'l' | 'r', a: Scalar, b: Scalar, amount: Scalar): Scalar {
  const { type } = a;
  const bits = bitsOf(type);
  if (bits === 32) {
    const text = writer.operand(amount);
    return writer.compute(`shf.${direction}.wrap.b32`, type, writer.inRegister(b), writer.inRegister(a), text);
  }
  const own = modulo(writer, amount, bits);
  const rest =
    own.constant === undefined
      ? writer.compute('sub.s32', i32, String(bits), own.text)
      : constantOf(i32, BigInt(bits) - own.constant);
  const [up, down] = direction === 'l' ? [own, rest] : [rest, own];
  const width = registerBits(type);
  const high = writer.compute(`shl.b${width}`, type, writer.operand(a), up.text);
  const low = writer.compute(`shr.u${width}`, type, writer.operand(writer.extended(b, 'zero')), down.text);
  return writer.compute(`or.b${width}`, type, high.text, low.text);
}

/** Returns a shift amount modulo `bits`, as an i32. */
function modulo(writer: Writer, amount: Scalar, bits: number): Scalar {
  if (amount.constant !== undefined) return constantOf(i32, amount.constant % BigInt(bits));
  if (Number.isInteger(Math.log2(bits)))
    return writer.compute('and.b32', i32, writer.operand(writer.resized(amount, 32, 'zero')), String(bits - 1));
  const width = registerBits(amount.type);
  const rest = writer.compute(
    `rem.u${width}`,
    amount.type,
    writer.operand(writer.extended(amount, 'zero')),
    String(bits),
  );
  return writer.resized(rest, 32, 'zero');
}
