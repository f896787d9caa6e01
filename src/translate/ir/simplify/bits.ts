// Rules for logic, shifts and bit fields.
import type { BaseBuilder } from '../base-builder.ts';
import { constant, constantOf, sameValue, type Value } from '../nodes.ts';
import { integerOf, onesOf, widthOf } from '../types.ts';
import { argsOf, complementOf, madeBy, type Plain, type Rules, withConstant, zeroBits } from './rule.ts';

const conjunction: Plain = (builder, [a, b]) => {
  if (a === undefined || b === undefined) return undefined;
  if (sameValue(a, b)) return a;
  const bits = constantOf(b);
  if (bits === undefined) return areComplements(a, b) ? constant(a.type, 0n) : absorbed('or', a, b);
  if (bits === 0n) return b;
  // All bits that the mask would clear are known to be zero.
  if (((zeroBits(a) | bits) & onesOf(a.type)) === onesOf(a.type)) return a;
  const [x, inner] = withConstant(a, 'and');
  return x && inner !== undefined ? builder.and(x, constant(a.type, inner & bits)) : undefined;
};

const disjunction: Plain = (builder, [a, b]) => {
  if (a === undefined || b === undefined) return undefined;
  if (sameValue(a, b)) return a;
  const bits = constantOf(b);
  if (bits === undefined) return areComplements(a, b) ? constant(a.type, -1n) : absorbed('and', a, b);
  if (bits === 0n) return a;
  if (bits === onesOf(a.type)) return b;
  const [x, inner] = withConstant(a, 'or');
  return x && inner !== undefined ? builder.or(x, constant(a.type, inner | bits)) : undefined;
};

const areComplements = (a: Value, b: Value): boolean => {
  const [notA, notB] = [complementOf(a), complementOf(b)];
  return (notA !== undefined && sameValue(notA, b)) || (notB !== undefined && sameValue(notB, a));
};

/** Simplifies `x & (x | y)` and `x | (x & y)` to x. */
const absorbed = (op: 'and' | 'or', a: Value, b: Value): Value | undefined => {
  if (madeBy(b, op)?.args.some((arg) => sameValue(arg, a))) return a;
  return madeBy(a, op)?.args.some((arg) => sameValue(arg, b)) ? b : undefined;
};

const difference: Plain = (builder, [a, b]) => {
  if (a === undefined || b === undefined) return undefined;
  if (sameValue(a, b)) return constant(a.type, 0n);
  const bits = constantOf(b);
  if (bits === 0n) return a;
  if (bits !== undefined) {
    const [x, inner] = withConstant(a, 'xor');
    return x && inner !== undefined ? builder.xor(x, constant(a.type, inner ^ bits)) : undefined;
  }
  const [x, y] = argsOf(a, 'xor');
  if (x && y && sameValue(y, b)) return x;
  return x && y && sameValue(x, b) ? y : undefined;
};

type Direction = 'shlw' | 'lshrw' | 'ashrw';

/**
 * Simplifies a shift by a constant amount. An amount less than the width becomes a shift modulo the
 * width; for other amounts, the result is known.
 */
const clamped =
  (modulo: Direction): Plain =>
  (builder, [a, amount]) => {
    if (a === undefined || amount === undefined) return undefined;
    const known = constantOf(a);
    if (known === 0n || (modulo === 'ashrw' && known === onesOf(a.type))) return a;
    const width = widthOf(a.type);
    const bits = constantOf(amount);
    if (bits !== undefined && bits >= BigInt(width)) {
      return modulo === 'ashrw' ? builder.ashrw(a, builder.i32(width - 1)) : constant(a.type, 0n);
    }
    const most = onesOf(amount.type) ^ zeroBits(amount);
    return most < BigInt(width) ? builder.value(modulo, {}, [a, amount]) : undefined;
  };

const modulo =
  (op: Direction): Plain =>
  (builder, [a, amount]) => {
    if (a === undefined || amount === undefined) return undefined;
    const known = constantOf(a);
    if (known === 0n || (op === 'ashrw' && known === onesOf(a.type))) return a;
    const width = BigInt(widthOf(a.type));
    const bits = constantOf(amount);
    // A mask that reduces the amount modulo the width must remain, because a WGSL compiler may omit
    // its own mask.
    if (bits === undefined) return undefined;
    if (bits >= width) return builder.value(op, {}, [a, constant(amount.type, bits % width)]);
    return bits === 0n ? a : byConstant(builder, op, a, bits, width);
  };

function byConstant(builder: BaseBuilder, op: Direction, a: Value, bits: bigint, width: bigint): Value | undefined {
  const ones = onesOf(a.type);
  const [x, inner] = withConstant(a, op);
  if (x && inner !== undefined && inner < width) {
    const total = inner + bits;
    if (total < width) return builder.value(op, {}, [x, builder.i32(total)]);
    return op === 'ashrw' ? builder.ashrw(x, builder.i32(width - 1n)) : constant(a.type, 0n);
  }
  const [left, by] = withConstant(a, 'shlw');
  const [right, back] = withConstant(a, 'lshrw');
  if (op === 'lshrw' && left && by === bits) return builder.and(left, constant(a.type, ones >> bits));
  if (op === 'shlw' && right && back === bits) return builder.and(right, constant(a.type, ones << bits));
  if (op === 'ashrw' && left && by === bits) {
    if (width === 32n) return builder.value('sbfe', {}, [left, builder.i32(0), builder.i32(32n - bits)]);
    if (isIntegerWidth(width - bits)) return signExtended(builder, left, Number(width - bits));
  }
  if (op === 'shlw') return undefined;
  // All bits of the narrower value are shifted out.
  const shifted = op === 'lshrw' && ((zeroBits(a) >> bits) & (ones >> bits)) === ones >> bits;
  return shifted ? constant(a.type, 0n) : undefined;
}

const signExtended = (builder: BaseBuilder, a: Value, bits: number): Value =>
  builder.resize(builder.resize(a, integerOf(bits)), a.type, true);

const isIntegerWidth = (width: bigint): boolean => width === 8n || width === 16n || width === 32n;

/**
 * Simplifies bit fields at known positions. Fields in values of up to 32 bits remain, unless they
 * equal a mask, shift or extension.
 */
const field =
  (signed: boolean): Plain =>
  (builder, [a, position, length]) => {
    const [start, count] = [constantOf(position), constantOf(length)];
    if (a === undefined || count === undefined) return undefined;
    const width = BigInt(widthOf(a.type));
    if ((count & 0xffn) === 0n) return constant(a.type, 0n);
    if (start === undefined) return undefined;
    const from = start & 0xffn;
    if (!signed && from >= width) return constant(a.type, 0n);
    const to = from + (count & 0xffn);
    // A mask that keeps the whole field changes nothing.
    const [masked, mask] = withConstant(a, 'and');
    const bits = ((1n << (to - from)) - 1n) << from;
    if (masked && mask !== undefined && to <= width && (mask & bits) === bits) {
      return builder.value(signed ? 'sbfe' : 'ubfe', {}, [masked, builder.i32(from), builder.i32(to - from)]);
    }
    if (signed) {
      if (to >= width) return builder.ashrw(a, builder.i32(from < width ? from : width - 1n));
      if (width <= 32n) return canonicalField(builder, 'sbfe', a, start, count, from, to);
      if (from === 0n && isIntegerWidth(to)) return signExtended(builder, a, Number(to));
      return builder.ashrw(builder.shlw(a, builder.i32(width - to)), builder.i32(width - (to - from)));
    }
    if (to >= width) return builder.lshrw(a, builder.i32(from));
    if (width <= 32n && from !== 0n) return canonicalField(builder, 'ubfe', a, start, count, from, to);
    return builder.and(builder.lshrw(a, builder.i32(from)), constant(a.type, (1n << (to - from)) - 1n));
  };

function canonicalField(
  builder: BaseBuilder,
  op: 'ubfe' | 'sbfe',
  a: Value,
  start: bigint,
  count: bigint,
  from: bigint,
  to: bigint,
): Value | undefined {
  if (start === from && count === to - from) return undefined;
  return builder.value(op, {}, [a, builder.i32(from), builder.i32(to - from)]);
}

const insertion: Plain = (builder, [value, into, position, length]) => {
  const [start, count] = [constantOf(position), constantOf(length)];
  if (value === undefined || into === undefined || count === undefined) return undefined;
  if ((count & 0xffn) === 0n) return into;
  if (start === undefined) return undefined;
  const width = BigInt(widthOf(value.type));
  const from = start & 0xffn;
  if (from >= width) return into;
  const to = from + (count & 0xffn) < width ? from + (count & 0xffn) : width;
  if (from === 0n && to === width) return value;
  if (width <= 32n) {
    if (start === from && count === to - from) return undefined;
    return builder.value('bfi', {}, [value, into, builder.i32(from), builder.i32(to - from)]);
  }
  const mask = ((1n << (to - from)) - 1n) << from;
  const shifted = builder.and(builder.shlw(value, builder.i32(from)), constant(value.type, mask));
  return builder.or(builder.and(into, constant(value.type, ~mask)), shifted);
};

export const bitRules: Rules = {
  and: conjunction,
  or: disjunction,
  xor: difference,
  shl: clamped('shlw'),
  lshr: clamped('lshrw'),
  ashr: clamped('ashrw'),
  shlw: modulo('shlw'),
  lshrw: modulo('lshrw'),
  ashrw: modulo('ashrw'),
  bitreverse: (_, [a]) => madeBy(a, 'bitreverse')?.args[0],
  ubfe: field(false),
  sbfe: field(true),
  bfi: insertion,
};
