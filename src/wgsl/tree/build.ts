// Small constructors of WGSL nodes. They derive types from the operands and do not fold constants.
import { at, InternalError } from '../../base/invariants.ts';
import type { HelperName } from '../helpers.ts';
import { type BinaryOp, type Expr, Name, type ScalarType, type Stmt, type WgslType } from './nodes.ts';
import { describe, elementOf, pointedTo, shaped, vector, wider } from './types.ts';

export { array, atomic, pointer, struct, vec2u, vec3u, vec4u, vector } from './types.ts';

// Constants.

export const literal = (type: ScalarType, bits: bigint): Expr => ({ kind: 'literal', type, bits });
export const u32 = (value: number | bigint): Expr => literal('u32', BigInt.asUintN(32, BigInt(value)));
export const i32 = (value: number | bigint): Expr => literal('i32', BigInt.asUintN(32, BigInt(value)));
export const bool = (value: boolean): Expr => literal('bool', value ? 1n : 0n);

/**
 * Returns an f32 constant from its bits. WGSL does not have literals for infinities and NaNs,
 * compilers may flush a subnormal constant, and Tint has merged a constant -0.0 with 0.0. Such a
 * value is therefore the parameter of a prelude function.
 */
export function f32(bits: bigint): Expr {
  const exponent = (bits >> 23n) & 0xffn;
  if (exponent === 255n || (exponent === 0n && bits !== 0n)) return hiddenFloat(bits);
  return literal('f32', bits);
}

/**
 * Returns an f32 that compilers treat as a value that is known only at run time, so that they do
 * not fold operations on it.
 */
const hiddenFloat = (bits: bigint): Expr => helper('f32_of', 'f32', u32(bits));

/** Returns the bits of a literal, or undefined for other expressions. */
export const constantOf = (expr: Expr | undefined): bigint | undefined =>
  expr?.kind === 'literal' ? expr.bits : undefined;

export const ref = (name: Name, type: WgslType): Expr => ({ kind: 'name', type, name });
export const index = (base: Expr, at: Expr): Expr => ({ kind: 'index', type: elementOf(base.type), base, index: at });
export const member = (base: Expr, name: Name, type: WgslType): Expr => ({ kind: 'member', type, base, member: name });

/** Returns the component of a vector with this index. */
export const component = (base: Expr, index: number): Expr => swizzle(base, at('xyzw', index, 'a component'));

/** Returns components of a vector, selected by their letters. */
export function swizzle(base: Expr, letters: string): Expr {
  const of = elementOf(base.type);
  const size = letters.length;
  if (typeof of !== 'string' || size < 1 || size > 4)
    throw new InternalError(`no .${letters} of ${describe(base.type)}`);
  return {
    kind: 'member',
    type: size === 1 ? of : vector(of, size === 2 ? 2 : size === 3 ? 3 : 4),
    base,
    member: letters,
  };
}

// Operators.

const isRelation: Readonly<Record<BinaryOp, boolean>> = {
  '==': true,
  '!=': true,
  '<': true,
  '<=': true,
  '>': true,
  '>=': true,
  '+': false,
  '-': false,
  '*': false,
  '/': false,
  '%': false,
  '&': false,
  '|': false,
  '^': false,
  '<<': false,
  '>>': false,
  '&&': false,
  '||': false,
};

export function binary(op: BinaryOp, left: Expr, right: Expr): Expr {
  const common = op === '<<' || op === '>>' ? left.type : wider(left.type, right.type);
  return { kind: 'binary', type: isRelation[op] ? shaped(common, 'bool') : common, op, left, right };
}

type Two = (a: Expr, b: Expr) => Expr;
export const add: Two = (a, b) => binary('+', a, b);
export const sub: Two = (a, b) => binary('-', a, b);
export const mul: Two = (a, b) => binary('*', a, b);
export const div: Two = (a, b) => binary('/', a, b);
export const rem: Two = (a, b) => binary('%', a, b);
export const and: Two = (a, b) => binary('&', a, b);
export const or: Two = (a, b) => binary('|', a, b);
export const xor: Two = (a, b) => binary('^', a, b);
/** Returns a shift. The shift amount is taken modulo 32; a constant amount must be less than 32. */
export const shl: Two = (a, b) => binary('<<', a, b);
export const shr: Two = (a, b) => binary('>>', a, b);
export const eq: Two = (a, b) => binary('==', a, b);
export const ne: Two = (a, b) => binary('!=', a, b);
export const lt: Two = (a, b) => binary('<', a, b);
export const le: Two = (a, b) => binary('<=', a, b);
export const gt: Two = (a, b) => binary('>', a, b);
export const ge: Two = (a, b) => binary('>=', a, b);
/** `&&` and `||`. */
export const both: Two = (a, b) => binary('&&', a, b);
export const either: Two = (a, b) => binary('||', a, b);

/** Returns `!operand`, or the operand of `operand` if that is itself a negation. */
export const not = (operand: Expr): Expr =>
  operand.kind === 'unary' && operand.op === '!'
    ? operand.operand
    : { kind: 'unary', type: operand.type, op: '!', operand };
export const complement = (operand: Expr): Expr => ({ kind: 'unary', type: operand.type, op: '~', operand });
export const negate = (operand: Expr): Expr => ({ kind: 'unary', type: operand.type, op: '-', operand });
export const deref = (operand: Expr): Expr => ({ kind: 'unary', type: pointedTo(operand.type), op: '*', operand });

/**
 * Returns a pointer to an expression in an address space. Pointers into storage do not have a type
 * that a declaration could use, so only builtins accept them.
 */
export const addressOf = (operand: Expr, space: 'function' | 'private' | 'workgroup' = 'function'): Expr => ({
  kind: 'unary',
  type: { kind: 'pointer', space, to: operand.type },
  op: '&',
  operand,
});

// Calls.

export const builtin = (fn: string, type: WgslType, ...args: readonly Expr[]): Expr => ({
  kind: 'builtin',
  type,
  fn,
  args,
});
/** Returns a call of a builtin function with template parameters. */
export const templated = (
  fn: string,
  type: WgslType,
  templates: readonly (WgslType | 'row_major' | 'col_major')[],
  ...args: readonly Expr[]
): Expr => ({ kind: 'builtin', type, fn, templates, args });
export const helper = (fn: HelperName, type: WgslType, ...args: readonly Expr[]): Expr => ({
  kind: 'helper',
  type,
  fn,
  args,
});
export const call = (fn: Name, type: WgslType, ...args: readonly Expr[]): Expr => ({ kind: 'call', type, fn, args });

/** Returns a conversion (`u32(b)`), or a call of the constructor of a vector or array. */
export const construct = (type: WgslType, ...args: readonly Expr[]): Expr => ({ kind: 'construct', type, args });

/** Returns the same 32 bits with another type. */
export function bitcast(type: ScalarType, operand: Expr): Expr {
  const origin = operand.kind === 'bitcast' ? operand.operand : operand;
  return origin.type === type ? origin : { kind: 'bitcast', type, operand: origin };
}

/**
 * Returns the expression whose value is `then` if the condition is true, and otherwise `otherwise`.
 * Both are evaluated.
 */
export const select = (condition: Expr, then: Expr, otherwise: Expr): Expr =>
  builtin('select', then.type, otherwise, then, condition);

// Statements.

export const define = (name: Name, value: Expr): Stmt => ({ kind: 'let', name, value });
export const variable = (name: Name, type: WgslType, value?: Expr): Stmt => ({ kind: 'var', name, type, value });

/** Returns a new name for a value, and the statement that defines the name. */
export function local(hint: string, value: Expr): readonly [Expr, Stmt] {
  const name = new Name(hint);
  return [ref(name, value.type), define(name, value)];
}

/** Returns a new variable, and the statement that declares it. */
export function localVariable(hint: string, type: WgslType, value?: Expr): readonly [Expr, Stmt] {
  const name = new Name(hint);
  return [ref(name, type), variable(name, type, value)];
}
export const assign = (target: Expr, value: Expr): Stmt => ({ kind: 'assign', target, value });
export const update = (target: Expr, op: '+' | '-' | '&' | '|' | '^', value: Expr): Stmt => ({
  kind: 'assign',
  target,
  value,
  op,
});
export const perform = (effect: Expr): Stmt => ({ kind: 'do', call: effect });
export const when = (condition: Expr, then: readonly Stmt[], otherwise: readonly Stmt[] = []): Stmt => ({
  kind: 'if',
  condition,
  then,
  else: otherwise,
});
export const loop = (body: readonly Stmt[], continuing: readonly Stmt[] = []): Stmt => ({
  kind: 'loop',
  body,
  continuing,
});
export const repeat = (name: Name, count: number, body: readonly Stmt[]): Stmt => ({
  kind: 'repeat',
  name,
  count,
  body,
});
export const leave: Stmt = { kind: 'break' };
export const again: Stmt = { kind: 'continue' };
export const give = (value?: Expr): Stmt => ({ kind: 'return', value });
