// Constructors of values: literals, elementwise operations, copies, and conversions from abstract
// to concrete types.

import { raise } from './error.ts';
import { toBits } from './float.ts';
import type { Lanes, Machine } from './machine.ts';
import { at, copyRegisters, nothing, sequence } from './machine.ts';
import type { Operation } from './operators.ts';
import type { Env, Expr } from './program.ts';
import { literalExpr } from './program.ts';
import type * as ast from './syntax/ast.ts';
import type { ScalarName, Type } from './types.ts';
import { abstractInt, elementOf, registersOf, sameType, typeName } from './types.ts';

/**
 * Returns a new value computed from operands. `apply` writes `registersOf(type)` registers from
 * `register` on.
 */
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

/**
 * Returns operands that keep their value if a later operand calls a function that assigns their
 * variable.
 */
export function stabilize(env: Env, operands: readonly Expr[]): Expr[] {
  return operands.map((operand, i) => {
    const endangered = operand.borrowed && operands.slice(i + 1).some((later) => later.impure);
    return endangered ? copied(env, operand) : operand;
  });
}

/** Copies the value to new registers. */
export function copied(env: Env, expr: Expr): Expr {
  const register = env.program.allocate(registersOf(expr.type));
  const count = registersOf(expr.type);
  const step = sequence([expr], (m, lanes) => copyRegisters(m, lanes, register, expr.register, count));
  return { type: expr.type, register, borrowed: false, constant: expr.constant, impure: expr.impure, ...step };
}

/**
 * Applies an operation in all lanes. Its operands' registers begin at `a`, `b`, `c` and `d`, its
 * result's at `out`.
 */
type LaneLoop = (registers: Uint32Array, lanes: Lanes, out: number, a: number, b: number, c: number, d: number) => void;

const laneLoops = new Map<Operation, LaneLoop>();

/**
 * Generates a separate loop for each operation from source text. V8 inlines the operation into such
 * a loop. In a shared loop, V8 would call the operation for every lane. A shader spends most of its
 * time here.
 */
function laneLoopOf(operation: Operation): LaneLoop {
  const known = laneLoops.get(operation);
  if (known !== undefined) return known;
  const loop: LaneLoop = new Function(
    'operation',
    `return (registers, lanes, out, a, b, c, d) => {
      const count = lanes.length;
      for (let k = 0; k < count; k++) {
        const lane = lanes[k];
        registers[out + lane] = operation(registers[a + lane], registers[b + lane], registers[c + lane], registers[d + lane]);
      }
    };`,
  )(operation);
  laneLoops.set(operation, loop);
  return loop;
}

/**
 * Applies a scalar operation to each component. Scalars among vectors are broadcast. All shaders
 * share one function per operation.
 */
export function elementwise(env: Env, type: Type, operands: readonly Expr[], operation: Operation): Expr {
  const count = registersOf(type);
  const loop = laneLoopOf(operation);
  return computed(env, type, operands, (target, stable) => {
    const sources = [0, 1, 2, 3].map((i) => stable[i] ?? stable[0]);
    const bases = sources.map((source) => source?.register ?? 0);
    const strides = sources.map((source) => (source !== undefined && registersOf(source.type) > 1 ? 1 : 0));
    const [a = 0, b = 0, c = 0, d = 0] = bases;
    const [strideA = 0, strideB = 0, strideC = 0, strideD = 0] = strides;
    if (count === 1) {
      return ({ registers, size }, lanes) =>
        loop(registers, lanes, target * size, a * size, b * size, c * size, d * size);
    }
    return ({ registers, size }, lanes) => {
      for (let i = 0; i < count; i++) {
        const inA = (a + i * strideA) * size;
        const inB = (b + i * strideB) * size;
        const inC = (c + i * strideC) * size;
        const inD = (d + i * strideD) * size;
        loop(registers, lanes, (target + i) * size, inA, inB, inC, inD);
      }
    };
  });
}

/** Returns a value known at compile time: an AbstractInt. */
export function abstractExpr(value: number): Expr {
  return { type: abstractInt, register: -1, borrowed: false, constant: true, impure: false, value, ...nothing };
}

export function isAbstract(expr: Expr): boolean {
  return elementOf(expr.type) === 'abstract';
}

/** Returns an integer as a literal of a concrete type. Throws if it does not fit. */
export function materialize(env: Env, value: number, name: ScalarName, node: ast.Node): Expr {
  if (name === 'f32') return literalExpr(env, name, toBits(value));
  const [low, high] = name === 'u32' ? [0, 0xffffffff] : [-0x80000000, 0x7fffffff];
  if (name === 'bool' || !Number.isInteger(value) || value < low || value > high) {
    raise(node, `${value} is not a value of type ${name}`);
  }
  return literalExpr(env, name, value);
}

export function expectType(expr: Expr, type: Type, node: ast.Node): Expr {
  if (!sameType(expr.type, type)) raise(node, `expected ${typeName(type)}, found ${typeName(expr.type)}`);
  return expr;
}

/** Whether the register holds one value in all these lanes. */
export function isUniform(m: Machine, lanes: Lanes, register: number): boolean {
  const base = register * m.size;
  const first = at(m.registers, base + (lanes[0] ?? 0));
  return lanes.every((lane) => at(m.registers, base + lane) === first);
}

/** Returns 1 of an integer type, for `++` and `--`. */
export function literalOne(env: Env, type: Type, node: ast.Node): Expr {
  const name = elementOf(type);
  if (type.kind !== 'scalar' || (name !== 'u32' && name !== 'i32')) raise(node, `no ++ or -- for ${typeName(type)}`);
  return literalExpr(env, name, 1);
}
