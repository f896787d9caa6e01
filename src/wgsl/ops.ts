// 32-bit and boolean operations on expressions. What is known at translation time is folded: it reads better, and WGSL
// makes an error of a constant expression that overflows or shifts too far.
import { asI32, asU32, bare, bool, call, i32, infix, u32, u64 } from './cast.ts';
import type { Expr } from './expr.ts';

type Fold = (a: bigint, b: bigint) => bigint;

function word(a: Expr, op: string, b: Expr, fold: Fold): Expr {
  if (a.constant !== undefined && b.constant !== undefined) return u32(fold(a.constant, b.constant));
  return infix(a, op, b, 'u32');
}

const isConstant = (e: Expr, value: bigint): boolean => e.constant === value;
const ONES = 0xffff_ffffn;

/// Sum modulo 2^32.
export function add(a: Expr, b: Expr): Expr {
  if (isConstant(a, 0n)) return asU32(b);
  if (isConstant(b, 0n)) return asU32(a);
  return word(asU32(a), '+', asU32(b), (x, y) => x + y);
}

/// Difference modulo 2^32.
export function sub(a: Expr, b: Expr): Expr {
  if (isConstant(b, 0n)) return asU32(a);
  return word(asU32(a), '-', asU32(b), (x, y) => x - y);
}

/// Product modulo 2^32.
export function mul(a: Expr, b: Expr): Expr {
  if (isConstant(a, 1n)) return asU32(b);
  if (isConstant(b, 1n)) return asU32(a);
  return word(asU32(a), '*', asU32(b), (x, y) => x * y);
}

export function and(a: Expr, b: Expr): Expr {
  if (isConstant(a, 0n) || isConstant(b, 0n)) return u32(0);
  if (isConstant(a, ONES)) return asU32(b);
  if (isConstant(b, ONES)) return asU32(a);
  return word(asU32(a), '&', asU32(b), (x, y) => x & y);
}

export function or(a: Expr, b: Expr): Expr {
  if (isConstant(a, 0n)) return asU32(b);
  if (isConstant(b, 0n)) return asU32(a);
  return word(asU32(a), '|', asU32(b), (x, y) => x | y);
}

export function xor(a: Expr, b: Expr): Expr {
  if (isConstant(a, 0n)) return asU32(b);
  if (isConstant(b, 0n)) return asU32(a);
  if (isConstant(b, ONES)) return not(a);
  return word(asU32(a), '^', asU32(b), (x, y) => x ^ y);
}

export function not(a: Expr): Expr {
  const x = asU32(a);
  if (x.constant !== undefined) return u32(~x.constant);
  return { code: `(~${x.code})`, type: 'u32' };
}

/// The complement of 64 bits.
export function notWide(a: Expr): Expr {
  return a.constant === undefined ? { code: `(~${a.code})`, type: 'vec2<u32>' } : u64(~a.constant);
}

/// Left shift by an amount known to be under 32 (WGSL takes others modulo 32).
export function shiftLeft(a: Expr, amount: Expr): Expr {
  if (isConstant(amount, 0n)) return asU32(a);
  return word(asU32(a), '<<', asU32(amount), (x, n) => x << (n & 31n));
}

/// Logical right shift by an amount known to be under 32.
export function shiftRight(a: Expr, amount: Expr): Expr {
  if (isConstant(amount, 0n)) return asU32(a);
  return word(asU32(a), '>>', asU32(amount), (x, n) => x >> (n & 31n));
}

/// Arithmetic right shift by an amount known to be under 32; an i32.
export function shiftRightSigned(a: Expr, amount: Expr): Expr {
  const [x, n] = [asI32(a), asU32(amount)];
  if (isConstant(n, 0n)) return x;
  if (x.constant !== undefined && n.constant !== undefined) {
    return i32(Number(BigInt.asIntN(32, x.constant) >> (n.constant & 31n)));
  }
  return infix(x, '>>', n, 'i32');
}

/// The low `bits` bits, the rest zero.
export function zeroExtend(a: Expr, bits: number): Expr {
  return and(a, u32(2n ** BigInt(bits) - 1n));
}

/// The low `bits` bits as a signed number; an i32.
export function signExtend(a: Expr, bits: number): Expr {
  if (bits === 32) return asI32(a);
  if (a.constant !== undefined) return i32(Number(BigInt.asIntN(bits, a.constant)));
  return call('extractBits', 'i32', asI32(a), u32(0), u32(bits));
}

export type Relation = '==' | '!=' | '<' | '<=' | '>' | '>=';

/// Whether a relation holds between two numbers.
export const relations: Record<Relation, (a: bigint, b: bigint) => boolean> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/// Compares as unsigned words.
export function compareUnsigned(a: Expr, relation: Relation, b: Expr): Expr {
  const [x, y] = [asU32(a), asU32(b)];
  if (x.constant !== undefined && y.constant !== undefined) return bool(relations[relation](x.constant, y.constant));
  return infix(x, relation, y, 'bool');
}

/// Compares as signed words.
export function compareSigned(a: Expr, relation: Relation, b: Expr): Expr {
  const [x, y] = [asI32(a), asI32(b)];
  if (x.constant !== undefined && y.constant !== undefined) {
    return bool(relations[relation](BigInt.asIntN(32, x.constant), BigInt.asIntN(32, y.constant)));
  }
  return infix(x, relation, y, 'bool');
}

/// Negation of a truth value.
export function negate(a: Expr): Expr {
  if (a.constant !== undefined) return bool(a.constant === 0n);
  const inner = /^!(\w+)$/.exec(bare(a.code))?.[1];
  return inner === undefined ? { code: `(!${a.code})`, type: 'bool' } : { code: inner, type: 'bool' };
}

/// Combines truth values; neither side has effects, so nothing is short-circuited.
export function logic(op: 'and' | 'or' | 'xor', a: Expr, b: Expr): Expr {
  if (a.constant !== undefined && b.constant === undefined) return logic(op, b, a);
  if (b.constant !== undefined) {
    const right = b.constant !== 0n;
    if (op === 'and') return right ? a : bool(false);
    if (op === 'or') return right ? bool(true) : a;
    return right ? negate(a) : a;
  }
  return infix(a, { and: '&', or: '|', xor: '!=' }[op], b, 'bool');
}

/// 0 or 1.
export function bit(condition: Expr): Expr {
  if (condition.constant !== undefined) return u32(condition.constant);
  return call('u32', 'u32', condition);
}

/// The smaller or larger of two unsigned words.
export function extremeUnsigned(name: 'min' | 'max', a: Expr, b: Expr): Expr {
  const [x, y] = [asU32(a), asU32(b)];
  if (x.constant !== undefined && y.constant !== undefined) {
    return x.constant < y.constant === (name === 'min') ? x : y;
  }
  return call(name, 'u32', x, y);
}

/// The smaller or larger of two signed words; an i32.
export function extremeSigned(name: 'min' | 'max', a: Expr, b: Expr): Expr {
  const [x, y] = [asI32(a), asI32(b)];
  if (x.constant !== undefined && y.constant !== undefined) {
    return BigInt.asIntN(32, x.constant) < BigInt.asIntN(32, y.constant) === (name === 'min') ? x : y;
  }
  return call(name, 'i32', x, y);
}
