// Rules for sums, products, quotients and extremes. In commutative operations a constant is the
// last argument. Sums of constants are merged: `(x + 4) - 1` becomes `x + 3`.
import { constant, constantOf, sameValue, type Value } from '../nodes.ts';
import type { OpName } from '../operations.ts';
import { onesOf, widthOf } from '../types.ts';
import { argsOf, exponentOf, madeBy, type Plain, type Rules, withConstant } from './rule.ts';

const sum: Plain = (builder, args) => {
  const a = args[0];
  const b = args[1];
  if (a === undefined || b === undefined) return undefined;
  const bits = constantOf(b);
  if (bits === 0n) return a;
  if (bits !== undefined) {
    const [x, inner] = withConstant(a, 'iadd');
    if (x && inner !== undefined) return builder.iadd(x, constant(a.type, inner + bits));
    const [left, right] = argsOf(a, 'isub');
    const known = constantOf(left);
    return right && known !== undefined ? builder.isub(constant(a.type, known + bits), right) : undefined;
  }
  return sumOfDifference(builder, a, b) ?? sumOfDifference(builder, b, a);
};

/** Simplifies `(x - y) + y` and `-x + y`. */
const sumOfDifference = (builder: Parameters<Plain>[0], difference: Value, y: Value): Value | undefined => {
  const args = madeBy(difference, 'isub')?.args;
  if (args === undefined) return undefined;
  const left = args[0];
  const right = args[1];
  if (left === undefined || right === undefined) return undefined;
  if (sameValue(right, y)) return left;
  return constantOf(left) === 0n ? builder.isub(y, right) : undefined;
};

const difference: Plain = (builder, [a, b]) => {
  if (a === undefined || b === undefined) return undefined;
  if (sameValue(a, b)) return constant(a.type, 0n);
  const bits = constantOf(b);
  if (bits !== undefined) return bits === 0n ? a : builder.iadd(a, constant(a.type, -bits));
  const known = constantOf(a);
  if (known !== undefined) {
    const [x, inner] = withConstant(b, 'iadd');
    if (x && inner !== undefined) return builder.isub(constant(a.type, known - inner), x);
    const [left, right] = argsOf(b, 'isub');
    const other = constantOf(left);
    return right && other !== undefined ? builder.iadd(right, constant(a.type, known - other)) : undefined;
  }
  const [x, y] = argsOf(a, 'iadd');
  if (x && y && sameValue(y, b)) return x;
  if (x && y && sameValue(x, b)) return y;
  const [zero, negated] = argsOf(b, 'isub');
  return negated && constantOf(zero) === 0n ? builder.iadd(a, negated) : undefined;
};

const product: Plain = (builder, args) => {
  const a = args[0];
  const bits = constantOf(args[1]);
  if (a === undefined || bits === undefined) return undefined;
  if (bits === 0n) return constant(a.type, 0n);
  if (bits === 1n) return a;
  if (bits === onesOf(a.type)) return builder.neg(a);
  const [x, inner] = withConstant(a, 'imul');
  return x && inner !== undefined ? builder.imul(x, constant(a.type, inner * bits)) : undefined;
};

const highProduct: Plain = (builder, [a, b]) => {
  const bits = constantOf(b);
  if (a === undefined || bits === undefined) return undefined;
  if (bits < 2n) return constant(a.type, 0n);
  const exponent = exponentOf(bits);
  return exponent === undefined ? undefined : builder.lshrw(a, builder.i32(widthOf(a.type) - exponent));
};

const quotient: Plain = (builder, [a, b]) => {
  const bits = constantOf(b);
  if (a === undefined || bits === undefined) return undefined;
  if (bits === 0n) return constant(a.type, -1n);
  const exponent = exponentOf(bits);
  return exponent === undefined ? undefined : builder.lshrw(a, builder.i32(exponent));
};

const remainder: Plain = (builder, [a, b]) => {
  const bits = constantOf(b);
  if (a === undefined || bits === undefined) return undefined;
  if (bits === 0n) return constant(a.type, -1n);
  return exponentOf(bits) === undefined ? undefined : builder.and(a, constant(a.type, bits - 1n));
};

/**
 * Simplifies a minimum or maximum with a constant at an end of the range: the constant is the
 * result, or changes nothing.
 */
const extreme =
  (op: OpName & ('umin' | 'umax' | 'smin' | 'smax'), least: bigint, most: bigint): Plain =>
  (builder, [a, b]) => {
    if (a === undefined || b === undefined) return undefined;
    if (sameValue(a, b)) return a;
    const bits = constantOf(b);
    if (bits === undefined) return undefined;
    const shifted = BigInt(widthOf(a.type) - 1);
    const ones = onesOf(a.type);
    // The codes of the bounds: -1 is all ones, 1 is the largest signed number, and -2 is the
    // smallest.
    const bound = (sign: bigint) =>
      sign === -1n ? ones : sign === 1n ? ones >> 1n : sign === -2n ? 1n << shifted : 0n;
    if (bits === bound(least)) return b;
    if (bits === bound(most)) return a;
    const inner = madeBy(a, op)?.args[1];
    const x = madeBy(a, op)?.args[0];
    return x && inner?.kind === 'constant' ? builder.value(op, {}, [x, builder.value(op, {}, [inner, b])]) : undefined;
  };

export const arithmeticRules: Rules = {
  iadd: sum,
  isub: difference,
  imul: product,
  umulhi: highProduct,
  smulhi: (_, [a, b]) => (a && constantOf(b) === 0n ? b : undefined),
  udiv: quotient,
  urem: remainder,
  sdiv: (builder, [a, b]) => {
    const bits = constantOf(b);
    if (a === undefined || bits === undefined) return undefined;
    if (bits === 0n) return constant(a.type, -1n);
    if (bits === 1n) return a;
    return bits === onesOf(a.type) ? builder.neg(a) : undefined;
  },
  srem: (_, [a, b]) => {
    const bits = constantOf(b);
    if (a === undefined || bits === undefined) return undefined;
    if (bits === 0n) return constant(a.type, -1n);
    return bits === 1n || bits === onesOf(a.type) ? constant(a.type, 0n) : undefined;
  },
  umin: extreme('umin', 0n, -1n),
  umax: extreme('umax', -1n, 0n),
  smin: extreme('smin', -2n, 1n),
  smax: extreme('smax', 1n, -2n),
};
