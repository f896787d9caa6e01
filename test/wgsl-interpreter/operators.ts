// Scalar operators on raw bits, by element type. https://www.w3.org/TR/WGSL/#arithmetic-expr and
// the sections after it.

import { operand, result } from './float.ts';
import type { ScalarName } from './types.ts';

/** Maps raw bits to raw bits. Only the low 32 bits of the result count. */
export type Operation = (a: number, b: number, c: number, d: number) => number;

type Table = Readonly<Record<string, Operation>>;

const truth = (condition: boolean): number => (condition ? 1 : 0);
const float = (of: (a: number, b: number) => number): Operation => {
  return (a, b) => result(of(operand(a), operand(b)));
};
const compareFloats = (of: (a: number, b: number) => boolean): Operation => {
  return (a, b) => truth(of(operand(a), operand(b)));
};

const bits: Table = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => Math.imul(a, b),
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '<<': (a, b) => a << (b & 31),
  '==': (a, b) => truth(a === b),
  '!=': (a, b) => truth(a !== b),
};

const unsigned: Table = {
  ...bits,
  '/': (a, b) => (b === 0 ? a : Math.floor(a / b)),
  '%': (a, b) => (b === 0 ? 0 : a % b),
  '>>': (a, b) => a >>> (b & 31),
  '<': (a, b) => truth(a < b),
  '<=': (a, b) => truth(a <= b),
  '>': (a, b) => truth(a > b),
  '>=': (a, b) => truth(a >= b),
};

// `| 0` reads the bits as signed. The smallest integer divided by -1 is itself, because 2^31 wraps.
const signed: Table = {
  ...bits,
  '/': (a, b) => (b === 0 ? a : Math.trunc((a | 0) / (b | 0))),
  '%': (a, b) => (b === 0 ? 0 : (a | 0) % (b | 0)),
  '>>': (a, b) => (a | 0) >> (b & 31),
  '<': (a, b) => truth((a | 0) < (b | 0)),
  '<=': (a, b) => truth((a | 0) <= (b | 0)),
  '>': (a, b) => truth((a | 0) > (b | 0)),
  '>=': (a, b) => truth((a | 0) >= (b | 0)),
};

const floating: Table = {
  '+': float((a, b) => a + b),
  '-': float((a, b) => a - b),
  '*': float((a, b) => a * b),
  '/': float((a, b) => a / b),
  '%': float((a, b) => a % b),
  '==': compareFloats((a, b) => a === b),
  '!=': compareFloats((a, b) => a !== b),
  '<': compareFloats((a, b) => a < b),
  '<=': compareFloats((a, b) => a <= b),
  '>': compareFloats((a, b) => a > b),
  '>=': compareFloats((a, b) => a >= b),
};

const logical: Table = {
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '==': (a, b) => truth(a === b),
  '!=': (a, b) => truth(a !== b),
};

export const binaryOperators: Readonly<Record<ScalarName, Table>> = {
  u32: unsigned,
  i32: signed,
  f32: floating,
  bool: logical,
};

export const unaryOperators: Readonly<Record<ScalarName, Table>> = {
  u32: { '~': (a) => ~a, '-': (a) => -a },
  i32: { '~': (a) => ~a, '-': (a) => -a },
  f32: { '-': (a) => a ^ 0x80000000 },
  bool: { '!': (a) => a ^ 1 },
};

export const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
export const shifts: ReadonlySet<string> = new Set(['<<', '>>']);

/** AbstractInt operators on values. The caller rejects a fraction or a value beyond 2^53. */
export const abstractOperators: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => Math.trunc(a / b),
  '%': (a, b) => a % b,
  '<<': (a, b) => a * 2 ** b,
  '>>': (a, b) => Math.floor(a / 2 ** b),
  '&': (a, b) => Number(BigInt(a) & BigInt(b)),
  '|': (a, b) => Number(BigInt(a) | BigInt(b)),
  '^': (a, b) => Number(BigInt(a) ^ BigInt(b)),
};
