// Builtins that depend on several components, or on operands of several types.

import { raise } from './error.ts';
import { compileAs, concrete, unify } from './expressions.ts';
import { floatOfHalf, halfOfFloat, toBits, toFloat } from './float.ts';
import { at } from './machine.ts';
import type { Operation } from './operators.ts';
import { binaryOperators } from './operators.ts';
import type { Builtin, CallNode, Env, Expr } from './program.ts';
import type * as ast from './syntax/ast.ts';
import type { Type } from './types.ts';
import { bool, elementOf, f32, i32, registersOf, scalar, typeName, u32, vector } from './types.ts';
import { computed, elementwise, expectType } from './values.ts';

function two(args: readonly ast.Expression[], node: CallNode): [ast.Expression, ast.Expression] {
  const [first, second] = args;
  if (first === undefined || second === undefined) return raise(node, `${node.name} expects two arguments`);
  return [first, second];
}

const chosen: Operation = (a, b, c) => (c === 0 ? a : b);

/** Implements `select(f, t, condition)`, component by component for a vector condition. */
const select: Builtin = (env, args, node, hint) => {
  const [ifFalse, ifTrue] = unify(env, two(args, node), hint);
  const condition = concrete(env, args[2] ?? raise(node, 'select expects three arguments'));
  if (ifFalse === undefined || ifTrue === undefined) return raise(node, 'select expects three arguments');
  // If the values are still abstract, they become i32.
  const no = elementOf(ifFalse.type) === 'abstract' ? concrete(env, two(args, node)[0], 'i32') : ifFalse;
  const yes = elementOf(ifTrue.type) === 'abstract' ? concrete(env, two(args, node)[1], 'i32') : ifTrue;
  expectType(yes, no.type, node);
  if (elementOf(condition.type) !== 'bool') raise(node, `select by ${typeName(condition.type)}`);
  if (condition.type.kind === 'vector' && registersOf(condition.type) !== registersOf(no.type)) {
    raise(node, 'select: the condition has another number of components');
  }
  return elementwise(env, no.type, [no, yes, condition], chosen);
};

/** Returns a builtin that combines the components of one value. A scalar is its own result. */
function across(initial: number, operation: Operation): Builtin {
  return (env, args, node) => {
    const operand = concrete(env, args[0] ?? raise(node, `${node.name} expects an argument`));
    if (elementOf(operand.type) !== 'bool') raise(node, `${node.name} expects bools`);
    return fold(env, bool, [operand], initial, (total, m, lane, [from = 0], i) =>
      operation(total, at(m.registers, (from + i) * m.size + lane), 0, 0),
    );
  };
}

type Term = (
  total: number,
  m: { readonly registers: Uint32Array; readonly size: number },
  lane: number,
  registers: readonly number[],
  index: number,
) => number;

/** Folds the components of vectors into a scalar, in order. */
function fold(env: Env, type: Type, operands: readonly Expr[], initial: number, term: Term): Expr {
  const count = operands[0] === undefined ? 0 : registersOf(operands[0].type);
  return computed(env, type, operands, (target, stable) => {
    const registers = stable.map((operand) => operand.register);
    return (m, lanes) => {
      for (const lane of lanes) {
        let total = initial;
        for (let i = 0; i < count; i++) total = term(total, m, lane, registers, i) >>> 0;
        m.registers[target * m.size + lane] = total;
      }
    };
  });
}

const dot: Builtin = (env, args, node, hint) => {
  const [a, b] = unify(env, two(args, node), hint);
  if (a === undefined || b === undefined) return raise(node, 'dot expects two vectors');
  expectType(b, a.type, node);
  const name = elementOf(a.type);
  if (name === undefined || name === 'abstract') return raise(node, `dot of ${typeName(a.type)}`);
  const { '+': add, '*': multiply } = binaryOperators[name];
  if (add === undefined || multiply === undefined) return raise(node, `dot of ${typeName(a.type)}`);
  return fold(env, scalar(name), [a, b], 0, (total, m, lane, [x = 0, y = 0], i) => {
    const left = at(m.registers, (x + i) * m.size + lane);
    const right = at(m.registers, (y + i) * m.size + lane);
    return add(total, multiply(left, right, 0, 0) >>> 0, 0, 0);
  });
};

const unsignedByte = (value: number, i: number): number => (value >>> (8 * i)) & 0xff;
const signedByte = (value: number, i: number): number => ((value >>> (8 * i)) << 24) >> 24;

function packedDot(type: Type, byte: (value: number, i: number) => number): Builtin {
  const sum: Operation = (a, b) => {
    let total = 0;
    for (let i = 0; i < 4; i++) total += byte(a, i) * byte(b, i);
    return total;
  };
  return (env, args, node) =>
    elementwise(
      env,
      type,
      two(args, node).map((arg) => compileAs(env, arg, u32)),
      sum,
    );
}

function unpack(element: 'u32' | 'i32', byte: (value: number, i: number) => number): Builtin {
  return (env, args, node) => {
    const operand = compileAs(env, args[0] ?? raise(node, `${node.name} expects a u32`), u32);
    return computed(env, vector(4, element), [operand], (target, [from]) => (m, lanes) => {
      for (let i = 0; i < 4; i++) {
        for (const lane of lanes) {
          const value = at(m.registers, (from?.register ?? 0) * m.size + lane);
          m.registers[(target + i) * m.size + lane] = byte(value, i);
        }
      }
    });
  };
}

function pack(element: 'u32' | 'i32'): Builtin {
  return (env, args, node) => {
    const operand = compileAs(env, args[0] ?? raise(node, `${node.name} expects a vec4`), vector(4, element));
    return fold(env, u32, [operand], 0, (total, m, lane, [from = 0], i) => {
      return total | ((at(m.registers, (from + i) * m.size + lane) & 0xff) << (8 * i));
    });
  };
}

const unpackHalves: Builtin = (env, args, node) => {
  const operand = compileAs(env, args[0] ?? raise(node, 'unpack2x16float expects a u32'), u32);
  return computed(env, vector(2, 'f32'), [operand], (target, [from]) => (m, lanes) => {
    for (const lane of lanes) {
      const word = at(m.registers, (from?.register ?? 0) * m.size + lane);
      m.registers[target * m.size + lane] = toBits(floatOfHalf(word & 0xffff));
      m.registers[(target + 1) * m.size + lane] = toBits(floatOfHalf(word >>> 16));
    }
  });
};

/** Implements `pack2x16float`. NaNs become 0x7fff, as on NVIDIA's GPUs. */
const packHalves: Builtin = (env, args, node) => {
  const operand = compileAs(env, args[0] ?? raise(node, 'pack2x16float expects a vec2f'), vector(2, 'f32'));
  return fold(env, u32, [operand], 0, (total, m, lane, [from = 0], i) => {
    return total | (halfOfFloat(toFloat(at(m.registers, (from + i) * m.size + lane))) << (16 * i));
  });
};

/**
 * Returns the fraction in [0.5, 1) and the exponent of an f32. A zero, infinity or NaN is its own
 * fraction.
 */
const frexp: Builtin = (env, args, node) => {
  const operand = compileAs(env, args[0] ?? raise(node, 'frexp expects an f32'), f32);
  const type: Type = {
    kind: 'struct',
    name: '__frexp_result_f32',
    members: [
      { name: 'fract', type: f32 },
      { name: 'exp', type: i32 },
    ],
  };
  return computed(env, type, [operand], (target, [from]) => (m, lanes) => {
    for (const lane of lanes) {
      const bits = at(m.registers, (from?.register ?? 0) * m.size + lane);
      const value = toFloat(bits);
      const isPlain = value === 0 || !Number.isFinite(value);
      // log2 in double is exact enough: its floor can only be off by one, next to a power of two.
      let exponent = isPlain ? 0 : Math.floor(Math.log2(Math.abs(value))) + 1;
      if (!isPlain && Math.abs(value) / 2 ** exponent >= 1) exponent++;
      if (!isPlain && Math.abs(value) / 2 ** exponent < 0.5) exponent--;
      m.registers[target * m.size + lane] = isPlain ? bits : toBits(value / 2 ** exponent);
      m.registers[(target + 1) * m.size + lane] = exponent;
    }
  });
};

export const valueBuiltins: readonly (readonly [string, Builtin])[] = [
  ['select', select],
  ['any', across(0, (a, b) => a | b)],
  ['all', across(1, (a, b) => a & b)],
  ['dot', dot],
  ['dot4U8Packed', packedDot(u32, unsignedByte)],
  ['dot4I8Packed', packedDot(i32, signedByte)],
  ['unpack4xU8', unpack('u32', unsignedByte)],
  ['unpack4xI8', unpack('i32', signedByte)],
  ['pack4xU8', pack('u32')],
  ['pack4xI8', pack('i32')],
  ['unpack2x16float', unpackHalves],
  ['pack2x16float', packHalves],
  ['frexp', frexp],
];
