// Selects `llvm.is.fpclass`.
import { bitsOf, type FloatKind, i1, intType, isFloat } from '../ir/types.ts';
import { reinterpret } from './bits.ts';
import { constantOf, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

const fractionBits: Readonly<Record<FloatKind, number>> = { half: 10, bfloat: 7, float: 23, double: 52 };

/** A class of floats: its bits in LLVM's mask, and the range of the bits without the sign. */
interface FloatClass {
  /**
   * The bits of the class for positive numbers, and those for negative numbers. The bits for NaNs
   * are the same for both signs.
   */
  readonly masks: readonly [positive: number, negative: number];
  readonly first: bigint;
  readonly last: bigint;
}

function classesOf(kind: FloatKind, bits: number): FloatClass[] {
  const fraction = BigInt(fractionBits[kind]);
  const infinity = ((1n << (BigInt(bits - 1) - fraction)) - 1n) << fraction;
  const quiet = infinity | (1n << (fraction - 1n));
  const least = 1n << fraction;
  return [
    { masks: [1, 1], first: infinity + 1n, last: quiet - 1n },
    { masks: [2, 2], first: quiet, last: (1n << BigInt(bits - 1)) - 1n },
    { masks: [0x200, 4], first: infinity, last: infinity },
    { masks: [0x100, 8], first: least, last: infinity - 1n },
    { masks: [0x80, 0x10], first: 1n, last: least - 1n },
    { masks: [0x40, 0x20], first: 0n, last: 0n },
  ];
}

/** Returns whether a float is of one of the classes in LLVM's mask. */
export function isOfClass(writer: Writer, value: Scalar, mask: number): Scalar {
  const { type } = value;
  if (!isFloat(type)) return writer.unsupported('the class of an integer');
  const bits = bitsOf(type);
  const word = intType(bits);
  const whole = writer.inRegister(reinterpret(writer, value, word));
  const size = writer.compute(`and.b${bits}`, word, whole, String((1n << BigInt(bits - 1)) - 1n));
  const tests = classesOf(type.kind, bits).flatMap(({ masks: [positive, negative], first, last }) => {
    const [above, below] = [(mask & positive) !== 0, (mask & negative) !== 0];
    if (!above && !below) return [];
    const distance = writer.compute(`sub.s${bits}`, word, size.text, String(first));
    const found = writer.compute(`setp.le.u${bits}`, i1, distance.text, String(last - first));
    if (above && below) return [found];
    const sign = writer.compute(`setp.${above ? 'ge' : 'lt'}.s${bits}`, i1, whole, '0');
    return [writer.compute('and.pred', i1, found.text, sign.text)];
  });
  return tests.reduce(
    (any, test) => (any.constant === 0n ? test : writer.compute('or.pred', i1, any.text, test.text)),
    constantOf(i1, 0n),
  );
}
