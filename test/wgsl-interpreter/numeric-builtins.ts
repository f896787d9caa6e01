// Builtins that apply to each component. https://www.w3.org/TR/WGSL/#numeric-builtin-functions

import { raise } from './error.ts';
import { concrete, unify } from './expressions.ts';
import { fma, operand, result, roundEven, toBits, toFloat } from './float.ts';
import type { Operation } from './operators.ts';
import type { CallNode, Env, Expr } from './program.ts';
import type * as ast from './syntax/ast.ts';
import type { ScalarName } from './types.ts';
import { elementOf, typeName } from './types.ts';
import { elementwise, expectType } from './values.ts';

export interface ElementwiseBuiltin {
  /** `T` is the result's type. `u32` and `i32` do not depend on T. */
  readonly parameters: readonly ('T' | 'u32' | 'i32')[];
  readonly operations: Readonly<Partial<Record<ScalarName, Operation>>>;
}

const unary = (operations: ElementwiseBuiltin['operations']): ElementwiseBuiltin => ({ parameters: ['T'], operations });
const integers = (operation: Operation): ElementwiseBuiltin => unary({ u32: operation, i32: operation });
const floats = (of: (a: number) => number): ElementwiseBuiltin => unary({ f32: (a) => result(of(operand(a))) });

function leadingZeros(a: number): number {
  return Math.clz32(a);
}

function trailingZeros(a: number): number {
  return a === 0 ? 32 : 31 - Math.clz32(a & -a);
}

function countOnes(a: number): number {
  let count = 0;
  for (let rest = a; rest !== 0; rest = (rest & (rest - 1)) >>> 0) count++;
  return count;
}

function reverse(a: number): number {
  let out = 0;
  for (let i = 0; i < 32; i++) out = (out << 1) | ((a >>> i) & 1);
  return out;
}

/** Returns the bits [offset, offset + count) of a word, both clamped to the word. */
function field(offset: number, count: number): { from: number; mask: number; length: number } {
  const from = Math.min(offset, 32);
  const length = Math.min(count, 32 - from);
  return { from, length, mask: length === 32 ? 0xffffffff : (1 << length) - 1 };
}

function extractUnsigned(a: number, offset: number, count: number): number {
  const { from, length, mask } = field(offset, count);
  return length === 0 ? 0 : (a >>> from) & mask;
}

function extractSigned(a: number, offset: number, count: number): number {
  const { from, length } = field(offset, count);
  return length === 0 ? 0 : (a << (32 - from - length)) >> (32 - length);
}

function insert(a: number, bits: number, offset: number, count: number): number {
  const { from, length, mask } = field(offset, count);
  return length === 0 ? a : (a & ~(mask << from)) | ((bits & mask) << from);
}

/**
 * Returns `min` or `max` on bits. -0 is less than +0. If one operand is a NaN, the result is the
 * other operand. Subnormal operands are flushed as in arithmetic.
 */
const extremeOf =
  (of: (x: number, y: number) => number) =>
  (a: number, b: number): number => {
    const [x, y] = [operand(a), operand(b)];
    if (Number.isNaN(x)) return Number.isNaN(y) ? b : result(y);
    return Number.isNaN(y) || Object.is(of(x, y), x) ? result(x) : result(y);
  };
const minFloat = extremeOf(Math.min);
const maxFloat = extremeOf(Math.max);

const minimum = {
  u32: (a: number, b: number) => Math.min(a, b),
  i32: (a: number, b: number) => Math.min(a | 0, b | 0),
};
const maximum = {
  u32: (a: number, b: number) => Math.max(a, b),
  i32: (a: number, b: number) => Math.max(a | 0, b | 0),
};
const two = (operations: ElementwiseBuiltin['operations']): ElementwiseBuiltin => ({
  parameters: ['T', 'T'],
  operations,
});
const three = (operations: ElementwiseBuiltin['operations']): ElementwiseBuiltin => ({
  parameters: ['T', 'T', 'T'],
  operations,
});

/** Float functions. They compute in double and round, which is more exact than WGSL requires. */
const floatFunctions: Readonly<Record<string, (a: number) => number>> = {
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  round: roundEven,
  sqrt: Math.sqrt,
  inverseSqrt: (a) => 1 / Math.sqrt(a),
  fract: (a) => a - Math.floor(a),
  saturate: (a) => Math.min(Math.max(a, 0), 1),
  exp: Math.exp,
  exp2: (a) => 2 ** a,
  log: Math.log,
  log2: Math.log2,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
};

export const elementwiseBuiltins: ReadonlyMap<string, ElementwiseBuiltin> = new Map<string, ElementwiseBuiltin>([
  ...Object.entries(floatFunctions).map(([name, of]): [string, ElementwiseBuiltin] => [name, floats(of)]),
  ['countOneBits', integers(countOnes)],
  ['countLeadingZeros', integers(leadingZeros)],
  ['countTrailingZeros', integers(trailingZeros)],
  ['firstTrailingBit', integers((a) => (a === 0 ? -1 : trailingZeros(a)))],
  [
    'firstLeadingBit',
    unary({
      u32: (a) => (a === 0 ? -1 : 31 - leadingZeros(a)),
      // The highest bit that differs from the sign bit.
      i32: (a) => 31 - leadingZeros((a | 0) < 0 ? ~a : a),
    }),
  ],
  ['reverseBits', integers(reverse)],
  ['abs', unary({ u32: (a) => a, i32: (a) => Math.abs(a | 0), f32: (a) => a & 0x7fffffff })],
  ['sign', unary({ i32: (a) => Math.sign(a | 0), f32: (a) => toBits(Math.sign(toFloat(a))) })],
  ['min', two({ ...minimum, f32: minFloat })],
  ['max', two({ ...maximum, f32: maxFloat })],
  [
    'clamp',
    three({
      u32: (e, low, high) => Math.min(Math.max(e, low), high),
      i32: (e, low, high) => Math.min(Math.max(e | 0, low | 0), high | 0),
      f32: (e, low, high) => minFloat(maxFloat(e, low), high),
    }),
  ],
  ['fma', three({ f32: (a, b, c) => result(fma(operand(a), operand(b), operand(c))) })],
  ['pow', two({ f32: (a, b) => toBits(toFloat(a) ** toFloat(b)) })],
  ['atan2', two({ f32: (a, b) => toBits(Math.atan2(toFloat(a), toFloat(b))) })],
  ['step', two({ f32: (edge, x) => toBits(toFloat(edge) <= toFloat(x) ? 1 : 0) })],
  [
    'mix',
    three({
      f32: (a, b, t) => toBits(Math.fround(toFloat(a) * (1 - toFloat(t))) + Math.fround(toFloat(b) * toFloat(t))),
    }),
  ],
  ['extractBits', { parameters: ['T', 'u32', 'u32'], operations: { u32: extractUnsigned, i32: extractSigned } }],
  ['insertBits', { parameters: ['T', 'T', 'u32', 'u32'], operations: { u32: insert, i32: insert } }],
  ['ldexp', { parameters: ['T', 'i32'], operations: { f32: (a, e) => toBits(scale(toFloat(a), e | 0)) } }],
]);

/**
 * Returns a * 2^exponent. The power and the product are exact in a double, so the only rounding is
 * the later conversion to f32.
 */
function scale(a: number, exponent: number): number {
  const bounded = Math.min(Math.max(exponent, -600), 600);
  return a * 2 ** bounded;
}

export function callElementwise(
  env: Env,
  builtin: ElementwiseBuiltin,
  args: readonly ast.Expression[],
  node: CallNode,
  hint?: ScalarName,
): Expr {
  const { parameters, operations } = builtin;
  if (args.length !== parameters.length) raise(node, `${node.name} expects ${parameters.length} arguments`);
  const onlyFloat = operations.u32 === undefined && operations.i32 === undefined;
  const own = unify(
    env,
    args.filter((_, i) => parameters[i] === 'T'),
    onlyFloat ? 'f32' : hint,
  ).values();
  const exprs = args.map((arg, i) => {
    const kind = parameters[i];
    if (kind === 'u32' || kind === 'i32') return concrete(env, arg, kind);
    return own.next().value ?? raise(node, 'an argument is missing');
  });
  const [first] = exprs;
  if (first === undefined) return raise(node, `${node.name} needs an argument`);
  const value =
    elementOf(first.type) === 'abstract' ? concrete(env, args[0] ?? raise(node, 'no argument'), 'i32') : first;
  const name = elementOf(value.type);
  const operation = name === undefined || name === 'abstract' ? undefined : operations[name];
  if (operation === undefined) return raise(node, `${node.name} does not take ${typeName(value.type)}`);
  for (const [i, expr] of exprs.entries()) {
    const kind = parameters[i];
    if (i === 0) continue;
    if (kind === 'T') expectType(expr, value.type, node);
    else if (elementOf(expr.type) !== kind) raise(node, `${node.name}: argument ${i + 1} must be ${kind}`);
  }
  return elementwise(env, value.type, [value, ...exprs.slice(1)], operation);
}
