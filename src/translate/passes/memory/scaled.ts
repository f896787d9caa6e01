// Values in units of a power of two. The constant part is separate, so that accesses to neighboring
// words share the rest of the index.
import type { Builder } from '../../ir/builder.ts';
import { constant, type Value } from '../../ir/nodes.ts';

/** A value in units: `base + constant`, modulo 2^32. */
export interface Scaled {
  readonly base: Value | undefined;
  readonly constant: number;
}

export const constantOnly = (value: number): Scaled => ({ base: undefined, constant: value | 0 });

/** Returns a constant mask shifted right by `level` bits; 0 if the mask is not constant. */
export const maskOf = (mask: Value | undefined, level: number): number =>
  mask?.kind === 'constant'
    ? Number(BigInt.asUintN(32, BigInt.asIntN(mask.type === 'i64' ? 64 : 33, mask.bits) >> BigInt(level)))
    : 0;

/** Returns the sum as one value. */
export function whole(builder: Builder, { base, constant: number }: Scaled): Value {
  if (base === undefined) return constant('i32', number);
  return number === 0 ? base : builder.iadd(base, builder.i32(number));
}

export function sum(builder: Builder, a: Scaled, b: Scaled, sign: 1 | -1): Scaled {
  const number = (a.constant + sign * b.constant) | 0;
  if (b.base === undefined) return { base: a.base, constant: number };
  if (a.base === undefined) return { base: sign === 1 ? b.base : builder.neg(b.base), constant: number };
  return { base: sign === 1 ? builder.iadd(a.base, b.base) : builder.isub(a.base, b.base), constant: number };
}

export function times(builder: Builder, { base, constant: number }: Scaled, factor: number): Scaled {
  const scaled = Math.imul(number, factor);
  // A multiple of 2^32 has no bits in an index. A shift by 32 would keep the value.
  if (base === undefined || factor % 2 ** 32 === 0) return constantOnly(scaled);
  if (factor === 1) return { base, constant: scaled };
  const bits = Math.log2(factor);
  if (factor > 0 && Number.isInteger(bits)) return { base: builder.shlw(base, builder.i32(bits)), constant: scaled };
  return { base: builder.imul(base, builder.i32(factor)), constant: scaled };
}
