// Declarations and assignments in functions.

import { raise } from './error.ts';
import { apply, compile, compileAs, concrete, hintOf, isPointer, place, pointer } from './expressions.ts';
import type { Statement } from './machine.ts';
import { copyRegisters, sequence, straight } from './machine.ts';
import { shifts } from './operators.ts';
import type { Env, Expr, Ref } from './program.ts';
import { load, settled, store, valueRef, variableRef } from './references.ts';
import type * as ast from './syntax/ast.ts';
import type { Type } from './types.ts';
import { registersOf, sameType, typeName } from './types.ts';
import { copied, expectType, literalOne } from './values.ts';

export function constant(env: Env, node: ast.Constant): Statement {
  const { value } = node;
  if (value === null) return raise(node, `${node.name} has no value`);
  if (isPointer(env, value)) {
    const ref = pointer(env, value);
    env.scope.names.set(node.name, { kind: 'pointer', ref: settled(ref) });
    return straight(ref.step);
  }
  const isConst = node.kind === 'const';
  if (isConst && node.type === null) {
    const draft = compile(env, value);
    if (draft.value !== undefined) {
      env.scope.names.set(node.name, { kind: 'abstract', value: draft.value });
      return { run: (_, lanes) => lanes };
    }
  }
  let expr = node.type === null ? concrete(env, value) : compileAs(env, value, env.program.resolve(node.type));
  if (expr.type.kind === 'void') raise(node, 'the call does not return a value');
  if (expr.borrowed) expr = copied(env, expr);
  const constant = isConst && expr.constant;
  env.scope.names.set(node.name, { kind: 'ref', ref: variableRef(expr.type, valueRef(expr).root, constant) });
  return straight(expr);
}

export function variable(env: Env, node: ast.Var): Statement {
  const declared = node.type === null ? undefined : env.program.resolve(node.type);
  let value: Expr | undefined;
  if (node.value !== null) {
    value = declared === undefined ? concrete(env, node.value) : compileAs(env, node.value, declared);
  }
  const type: Type = declared ?? value?.type ?? raise(node, `variable ${node.name} needs a type or a value`);
  const count = registersOf(type);
  const base = env.program.allocate(count);
  env.scope.names.set(node.name, {
    kind: 'ref',
    ref: variableRef(type, { kind: 'registers', base, name: node.name, writable: true }),
  });
  return straight(
    sequence(value === undefined ? [] : [value], (m, lanes) => {
      if (value !== undefined) copyRegisters(m, lanes, base, value.register, count);
      else for (let i = base; i < base + count; i++) for (const lane of lanes) m.registers[i * m.size + lane] = 0;
    }),
  );
}

export function assignment(env: Env, node: ast.Assign): Statement {
  if (node.variable.kind === 'variable' && node.variable.name === '_') {
    return isPointer(env, node.value) ? straight(pointer(env, node.value).step) : straight(discarded(env, node.value));
  }
  const target = place(env, node.variable);
  if (node.operator === '=') {
    return write(target, compileAs(env, node.value, target.type), node);
  }
  const operator = node.operator.slice(0, -1);
  const hint = shifts.has(operator) ? 'u32' : hintOf(target.type);
  const operand = concrete(env, node.value, hint);
  return update(env, target, operand, { line: node.line, operator }, node);
}

/**
 * Evaluates the expression of `_ = e`. The expression may lack a value: it may be a whole buffer,
 * named to keep its binding.
 */
function discarded(env: Env, node: ast.Expression): Pick<Expr, 'run' | 'flow'> {
  if (node.kind === 'variable') {
    const ref = place(env, node);
    if (ref.root.kind === 'memory') return ref.step;
  }
  return concrete(env, node);
}

export function increment(env: Env, node: ast.Increment): Statement {
  const target = place(env, node.variable);
  const one = literalOne(env, target.type, node);
  const operator = node.operator === '++' ? '+' : '-';
  return update(env, target, one, { line: node.line, operator }, node);
}

/** Reads, computes and writes; the place is evaluated once. */
function update(
  env: Env,
  target: Ref,
  operand: Expr,
  operation: { readonly line: number; readonly operator: string },
  node: ast.Node,
): Statement {
  const current = load(env, settled(target), node);
  const result = apply(env, operation, operand.impure && current.borrowed ? copied(env, current) : current, operand);
  return write(target, expectType(result, target.type, node), node);
}

function write(target: Ref, value: Expr, node: ast.Node): Statement {
  if (!sameType(target.type, value.type)) {
    raise(node, `cannot assign ${typeName(value.type)} to ${typeName(target.type)}`);
  }
  return straight(sequence([target.step, value], store(target, value.register, node)));
}
