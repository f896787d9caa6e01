// Value constructors and conversions. https://www.w3.org/TR/WGSL/#constructor-builtin-function

import { raise } from './error.ts';
import { compile, compileAs, concrete, decide, unify } from './expressions.ts';
import { toBits, toFloat, toI32, toU32 } from './float.ts';
import { copyRegisters, nothing } from './machine.ts';
import type { Operation } from './operators.ts';
import type { Env, Expr } from './program.ts';
import { vectorSize } from './program.ts';
import type * as ast from './syntax/ast.ts';
import type { ScalarName, Type } from './types.ts';
import { elementOf, registersOf, scalar, typeName, vector, withShape } from './types.ts';
import { computed, elementwise, isAbstract } from './values.ts';

const same: Operation = (a) => a;
const isSet: Operation = (a) => (a === 0 ? 0 : 1);

/** `conversions[to][from]`. */
const conversions: Readonly<Record<ScalarName, Readonly<Record<ScalarName, Operation>>>> = {
  u32: { u32: same, i32: same, bool: same, f32: (a) => toU32(toFloat(a)) },
  i32: { u32: same, i32: same, bool: same, f32: (a) => toI32(toFloat(a)) },
  f32: { u32: (a) => toBits(a), i32: (a) => toBits(a | 0), bool: (a) => toBits(a), f32: same },
  bool: { u32: isSet, i32: isSet, bool: same, f32: (a) => (toFloat(a) === 0 ? 0 : 1) },
};

/** Compiles `T(args…)`. `vec3(…)` and `array(…)` infer their element type from the arguments. */
export function construct(
  env: Env,
  written: ast.Type,
  args: readonly ast.Expression[],
  node: ast.Node,
  hint?: ScalarName,
): Expr {
  if (written.kind === 'array' && written.format === null) return inferArray(env, args, node, hint);
  const size = vectorSize(written.name);
  const inferred = size !== undefined && !(written.kind === 'template' && written.format !== null);
  if (inferred) return inferVector(env, size, args, node, hint);
  return constructAs(env, env.program.resolve(written), args, node);
}

/** Compiles `T(args…)` for a known type. */
export function constructAs(env: Env, type: Type, args: readonly ast.Expression[], node: ast.Node): Expr {
  if (args.length === 0) return zero(env, type);
  switch (type.kind) {
    case 'scalar': {
      const [only] = args;
      if (only === undefined || args.length !== 1) raise(node, `${typeName(type)} converts one value`);
      const hint = type.name === 'abstract' || type.name === 'bool' ? undefined : type.name;
      return convert(env, type, concrete(env, only, hint), node);
    }
    case 'vector': {
      const hint = type.element === 'abstract' || type.element === 'bool' ? undefined : type.element;
      const [first] = args;
      if (args.length === 1 && first !== undefined) {
        const only = concrete(env, first, hint);
        return only.type.kind === 'vector'
          ? convert(env, type, only, node)
          : joinVector(env, type.size, type.element, [only], node);
      }
      return joinVector(
        env,
        type.size,
        type.element,
        args.map((arg) => concrete(env, arg, hint)),
        node,
      );
    }
    case 'array':
    case 'struct': {
      const { kind } = type;
      const expected = kind === 'struct' ? type.members.length : type.count;
      if (args.length !== expected) raise(node, `${typeName(type)} needs ${expected} values, not ${args.length}`);
      return join(
        env,
        type,
        args.map((arg, i) => {
          const part = kind === 'struct' ? type.members[i]?.type : type.element;
          return compileAs(env, arg, part ?? raise(node, 'too many values'));
        }),
      );
    }
    default:
      return raise(node, `${typeName(type)} cannot be constructed`);
  }
}

/** Returns a zero value: registers that no code writes. */
function zero(env: Env, type: Type): Expr {
  const register = env.program.allocate(registersOf(type));
  return { type, register, borrowed: false, constant: true, impure: false, ...nothing };
}

function convert(env: Env, type: Type, operand: Expr, node: ast.Node): Expr {
  const to = elementOf(type);
  const from = elementOf(operand.type);
  if (!isScalarName(to) || !isScalarName(from) || registersOf(operand.type) !== registersOf(type)) {
    return raise(node, `no conversion from ${typeName(operand.type)} to ${typeName(type)}`);
  }
  return elementwise(env, type, [operand], conversions[to][from]);
}

function isScalarName(name: ScalarName | 'abstract' | undefined): name is ScalarName {
  return name !== undefined && name !== 'abstract';
}

function inferVector(env: Env, size: number, args: readonly ast.Expression[], node: ast.Node, hint?: ScalarName): Expr {
  const draft = args.map((arg) => compile(env, arg, hint));
  if (draft.length > 0 && draft.every(isAbstract)) {
    // The value stays abstract until the context decides; then it is compiled again with a hint.
    return { ...zero(env, vector(size, 'abstract')), register: -1 };
  }
  const parts = decide(env, args, draft, hint);
  const name = parts[0] === undefined ? undefined : elementOf(parts[0].type);
  if (name === undefined || name === 'abstract') return raise(node, `vec${size} needs values`);
  const [only] = parts;
  if (parts.length === 1 && only?.type.kind === 'vector') return only;
  return joinVector(env, size, name, parts, node);
}

function inferArray(env: Env, args: readonly ast.Expression[], node: ast.Node, hint?: ScalarName): Expr {
  const parts = unify(env, args, hint).map((part, i) => {
    const arg = args[i];
    return isAbstract(part) && arg !== undefined ? concrete(env, arg, hint) : part;
  });
  const [first] = parts;
  if (first === undefined) return raise(node, 'array needs values');
  return join(env, { kind: 'array', element: first.type, count: parts.length }, parts);
}

function joinVector(
  env: Env,
  size: number,
  element: ScalarName | 'abstract',
  parts: readonly Expr[],
  node: ast.Node,
): Expr {
  const [first] = parts;
  if (parts.some((part) => elementOf(part.type) !== element)) {
    raise(node, `vec${size}<${element}> cannot take ${parts.map((part) => typeName(part.type)).join(', ')}`);
  }
  if (first !== undefined && parts.length === 1 && first.type.kind === 'scalar' && element !== 'abstract') {
    return elementwise(env, withShape(vector(size, element), element), [first], same);
  }
  const count = parts.reduce((sum, part) => sum + registersOf(part.type), 0);
  if (count !== size) raise(node, `vec${size} needs ${size} components, not ${count}`);
  return join(env, size === 1 ? scalar(element) : vector(size, element), parts);
}

/** Concatenates the registers of the parts. */
function join(env: Env, type: Type, parts: readonly Expr[]): Expr {
  return computed(env, type, parts, (target, stable) => {
    const copies: (readonly [number, number, number])[] = [];
    let to = target;
    for (const part of stable) {
      const count = registersOf(part.type);
      copies.push([to, part.register, count]);
      to += count;
    }
    return (m, lanes) => {
      for (const [at, from, count] of copies) copyRegisters(m, lanes, at, from, count);
    };
  });
}
