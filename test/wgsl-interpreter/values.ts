// Building values: literals, elementwise operations, copies, and the meeting of abstract and concrete types.

import type * as ast from 'wgsl_reflect/wgsl_reflect.module.js';
import { raise } from './error.ts';
import { toBits } from './float.ts';
import type { Lanes, Machine } from './machine.ts';
import { at, copyRegisters, nothing, sequence } from './machine.ts';
import type { Operation } from './operators.ts';
import type { Env, Expr } from './program.ts';
import { literalExpr } from './program.ts';
import type { ScalarName, Type } from './types.ts';
import { abstractInt, elementOf, registersOf, sameType, typeName } from './types.ts';

/// A new value made from operands: `apply` writes `registersOf(type)` registers from `register` on.
export function computed(
  env: Env,
  type: Type,
  operands: readonly Expr[],
  apply: (register: number, operands: readonly Expr[]) => (m: Machine, lanes: Lanes) => void,
): Expr {
  const register = env.program.allocate(registersOf(type));
  const stable = stabilize(env, operands);
  return {
    type,
    register,
    borrowed: false,
    constant: operands.every((operand) => operand.constant),
    impure: operands.some((operand) => operand.impure),
    ...sequence(stable, apply(register, stable)),
  };
}

/// Operands that keep their value although a later one calls a function that may assign their variable.
export function stabilize(env: Env, operands: readonly Expr[]): Expr[] {
  return operands.map((operand, i) => {
    const endangered = operand.borrowed && operands.slice(i + 1).some((later) => later.impure);
    return endangered ? copied(env, operand) : operand;
  });
}

/// The value in registers of its own.
export function copied(env: Env, expr: Expr): Expr {
  const register = env.program.allocate(registersOf(expr.type));
  const count = registersOf(expr.type);
  const step = sequence([expr], (m, lanes) => copyRegisters(m, lanes, register, expr.register, count));
  return { type: expr.type, register, borrowed: false, constant: expr.constant, impure: expr.impure, ...step };
}

/// Applies a scalar operation to each component; scalars among vectors are broadcast.
export function elementwise(env: Env, type: Type, operands: readonly Expr[], operation: Operation): Expr {
  const count = registersOf(type);
  return computed(env, type, operands, (target, stable) => {
    const sources = [0, 1, 2, 3].map((i) => stable[i] ?? stable[0]);
    const bases = sources.map((source) => source?.register ?? 0);
    const strides = sources.map((source) => (source !== undefined && registersOf(source.type) > 1 ? 1 : 0));
    const [a = 0, b = 0, c = 0, d = 0] = bases;
    const [strideA = 0, strideB = 0, strideC = 0, strideD = 0] = strides;
    const few = stable.length <= 2;
    return (m, lanes) => {
      const { registers, size } = m;
      for (let i = 0; i < count; i++) {
        const out = (target + i) * size;
        const inA = (a + i * strideA) * size;
        const inB = (b + i * strideB) * size;
        const inC = (c + i * strideC) * size;
        const inD = (d + i * strideD) * size;
        for (let k = 0; k < lanes.length; k++) {
          const lane = lanes[k] ?? 0;
          const x = at(registers, inA + lane);
          const y = at(registers, inB + lane);
          registers[out + lane] = few
            ? operation(x, y, 0, 0)
            : operation(x, y, at(registers, inC + lane), at(registers, inD + lane));
        }
      }
    };
  });
}

/// A value known when compiling: an AbstractInt.
export function abstractExpr(value: number): Expr {
  return { type: abstractInt, register: -1, borrowed: false, constant: true, impure: false, value, ...nothing };
}

export function isAbstract(expr: Expr): boolean {
  return elementOf(expr.type) === 'abstract';
}

/// An integer as a literal of a concrete type. Throws when it does not fit.
export function materialize(env: Env, value: number, name: ScalarName, node: ast.Node): Expr {
  if (name === 'f32') return literalExpr(env, name, toBits(value));
  const [low, high] = name === 'u32' ? [0, 0xffffffff] : [-0x80000000, 0x7fffffff];
  if (name === 'bool' || !Number.isInteger(value) || value < low || value > high) {
    raise(node, `${value} is no value of type ${name}`);
  }
  return literalExpr(env, name, value);
}

export function expectType(expr: Expr, type: Type, node: ast.Node): Expr {
  if (!sameType(expr.type, type)) raise(node, `expected ${typeName(type)}, found ${typeName(expr.type)}`);
  return expr;
}

/// Whether the register holds one value in all the lanes.
export function isUniform(m: Machine, lanes: Lanes, register: number): boolean {
  const base = register * m.size;
  const first = at(m.registers, base + (lanes[0] ?? 0));
  return lanes.every((lane) => at(m.registers, base + lane) === first);
}

/// 1 of an integer type, for `++` and `--`.
export function literalOne(env: Env, type: Type, node: ast.Node): Expr {
  const name = elementOf(type);
  if (type.kind !== 'scalar' || (name !== 'u32' && name !== 'i32')) raise(node, `no ++ or -- for ${typeName(type)}`);
  return literalExpr(env, name, 1);
}
