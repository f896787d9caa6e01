// Constant folding: the bits of the results for constant arguments, by operation. Operations that
// the table lacks execute at run time.
import type { Attributes, IntegerRelation, OpName } from './attributes.ts';
import { onesOf, type Type, widthOf } from './types.ts';

type Fold<Op extends OpName> = (
  bits: readonly bigint[],
  types: readonly Type[],
  attrs: Attributes[Op],
) => readonly bigint[] | undefined;

/**
 * Returns the result for two numbers of `width` bits. The caller truncates the result to the width.
 */
type Binary = (a: bigint, b: bigint, width: number, type: Type) => bigint;

const signed = (bits: bigint, width: number): bigint => BigInt.asIntN(width, bits);

type Bits = readonly bigint[];
type Types = readonly Type[];

const binary =
  (compute: Binary) =>
  ([a, b]: Bits, [type]: Types): Bits | undefined => {
    if (a === undefined || b === undefined || type === undefined) return undefined;
    const width = widthOf(type);
    return [BigInt.asUintN(width, compute(a, b, width, type))];
  };

const unary =
  (compute: (a: bigint, width: number) => bigint) =>
  ([a]: Bits, [type]: Types): Bits | undefined =>
    a === undefined || type === undefined ? undefined : [compute(a, widthOf(type))];

/** Returns the folding of a shift by `amount`, after `limit` has reduced the amount. */
const shift =
  (compute: (a: bigint, amount: bigint, width: number) => bigint, limit: (amount: bigint, width: bigint) => bigint) =>
  ([a, amount]: Bits, [type]: Types): Bits | undefined => {
    if (a === undefined || amount === undefined || type === undefined) return undefined;
    const width = widthOf(type);
    return [BigInt.asUintN(width, compute(a, limit(amount, BigInt(width)), width))];
  };

const clamped = (amount: bigint, width: bigint): bigint => (amount < width ? amount : width);
const modulo = (amount: bigint, width: bigint): bigint => amount % width;
const left = (a: bigint, amount: bigint): bigint => a << amount;
const right = (a: bigint, amount: bigint): bigint => a >> amount;
const rightSigned = (a: bigint, amount: bigint, width: number): bigint => signed(a, width) >> amount;

/** For each relation, whether it holds between two numbers of a width. */
export const relate: Readonly<Record<IntegerRelation, (a: bigint, b: bigint, width: number) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  ult: (a, b) => a < b,
  ule: (a, b) => a <= b,
  ugt: (a, b) => a > b,
  uge: (a, b) => a >= b,
  slt: (a, b, width) => signed(a, width) < signed(b, width),
  sle: (a, b, width) => signed(a, width) <= signed(b, width),
  sgt: (a, b, width) => signed(a, width) > signed(b, width),
  sge: (a, b, width) => signed(a, width) >= signed(b, width),
};

function countOnes(bits: bigint): bigint {
  let count = 0n;
  for (let rest = bits; rest > 0n; rest >>= 32n) {
    let word = Number(rest & 0xffff_ffffn);
    for (; word !== 0; word = (word & (word - 1)) >>> 0) count += 1n;
  }
  return count;
}

function reverse(bits: bigint, width: number): bigint {
  let result = 0n;
  for (let index = 0n; index < BigInt(width); index++) result = (result << 1n) | ((bits >> index) & 1n);
  return result;
}

const leadingZeros = (bits: bigint, width: number): bigint =>
  BigInt(bits === 0n ? width : width - bits.toString(2).length);

/** Returns the position and the length of a bit field. PTX uses 8 bits of each. */
const fieldOf = (position: bigint, length: bigint): readonly [bigint, bigint] => [position & 0xffn, length & 0xffn];

const unsignedField: Fold<'ubfe'> = ([a, position, length]) => {
  if (a === undefined || position === undefined || length === undefined) return undefined;
  const [start, count] = fieldOf(position, length);
  return [(a >> start) & ((1n << count) - 1n)];
};

const signedField: Fold<'sbfe'> = ([a, position, length], [type]) => {
  if (a === undefined || position === undefined || length === undefined || type === undefined) return undefined;
  const [start, count] = fieldOf(position, length);
  // Bits above the value are copies of its sign.
  const field = signed(a, widthOf(type)) >> start;
  return [BigInt.asUintN(widthOf(type), BigInt.asIntN(Number(count), field))];
};

const insertField: Fold<'bfi'> = ([field, into, position, length], [type]) => {
  if (field === undefined || into === undefined || position === undefined || length === undefined || !type)
    return undefined;
  const [start, count] = fieldOf(position, length);
  const mask = (((1n << count) - 1n) << start) & onesOf(type);
  return [(into & ~mask) | ((field << start) & mask)];
};

const low = ([a]: Bits, _: Types, { to }: { readonly to: Type }) =>
  a === undefined ? undefined : [BigInt.asUintN(widthOf(to), a)];

export const foldTable: { readonly [Op in OpName]?: Fold<Op> } = {
  iadd: binary((a, b) => a + b),
  isub: binary((a, b) => a - b),
  imul: binary((a, b) => a * b),
  umulhi: binary((a, b, width) => (a * b) >> BigInt(width)),
  smulhi: binary((a, b, width) => (signed(a, width) * signed(b, width)) >> BigInt(width)),
  udiv: binary((a, b, _, type) => (b === 0n ? onesOf(type) : a / b)),
  urem: binary((a, b, _, type) => (b === 0n ? onesOf(type) : a % b)),
  sdiv: binary((a, b, width) => (b === 0n ? -1n : signed(a, width) / signed(b, width))),
  srem: binary((a, b, width) => (b === 0n ? -1n : signed(a, width) % signed(b, width))),
  and: binary((a, b) => a & b),
  or: binary((a, b) => a | b),
  xor: binary((a, b) => a ^ b),
  shl: shift(left, clamped),
  lshr: shift(right, clamped),
  ashr: shift(rightSigned, clamped),
  shlw: shift(left, modulo),
  lshrw: shift(right, modulo),
  ashrw: shift(rightSigned, modulo),
  // biome-ignore lint/complexity/useMathMinMax: these are BigInts
  umin: binary((a, b) => (b < a ? b : a)),
  // biome-ignore lint/complexity/useMathMinMax: these are BigInts
  umax: binary((a, b) => (b > a ? b : a)),
  smin: binary((a, b, width) => (signed(a, width) < signed(b, width) ? a : b)),
  smax: binary((a, b, width) => (signed(a, width) > signed(b, width) ? a : b)),
  popcount: unary(countOnes),
  clz: unary(leadingZeros),
  bitreverse: unary(reverse),
  ubfe: unsignedField,
  sbfe: signedField,
  bfi: insertField,
  icmp: ([a, b], [type], { relation }) =>
    a === undefined || b === undefined || type === undefined
      ? undefined
      : [relate[relation](a, b, widthOf(type)) ? 1n : 0n],
  select: ([condition, then, otherwise]) => {
    const chosen = condition === 1n ? then : otherwise;
    return chosen === undefined ? undefined : [chosen];
  },
  zext: low,
  sext: ([a], [type], { to }) =>
    a === undefined || type === undefined ? undefined : [BigInt.asUintN(widthOf(to), signed(a, widthOf(type)))],
  trunc: low,
  bitcast: low,
  join: ([a, b], [type]) =>
    a === undefined || b === undefined || type === undefined ? undefined : [a | (b << BigInt(widthOf(type)))],
  split: ([a], [type]) => {
    if (a === undefined || type === undefined) return undefined;
    const half = widthOf(type) / 2;
    return [BigInt.asUintN(half, a), a >> BigInt(half)];
  },
};
