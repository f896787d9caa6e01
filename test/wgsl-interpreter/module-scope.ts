// Names: scopes of functions, and the module's variables and constants. A variable or constant is
// compiled at its first use.

import { raise } from './error.ts';
import { compile, compileAs, concrete } from './expressions.ts';
import { at, copyRegisters, sequence } from './machine.ts';
import type { Binding, Env, Expr, Program, Scope } from './program.ts';
import { attribute } from './program.ts';
import { load, valueRef, variableRef } from './references.ts';
import { createMachine } from './state.ts';
import type * as ast from './syntax/ast.ts';
import type { Type } from './types.ts';
import { registersOf, uniformFault } from './types.ts';

export function lookup(env: Env, name: string, node: ast.Node): Binding {
  for (let scope: Scope | null = env.scope; scope !== null; scope = scope.parent) {
    const binding = scope.names.get(name);
    if (binding !== undefined) return binding;
  }
  const declaration = env.program.variables.get(name);
  if (declaration === undefined) raise(node, `${name} is not declared`);
  const binding = declaration.kind === 'var' ? variable(env.program, declaration) : constant(env.program, declaration);
  env.program.globals.names.set(name, binding);
  return binding;
}

function moduleEnv(program: Program): Env {
  return { program, scope: program.globals, result: null, breakSlot: null, continueSlot: null };
}

/** Compiles a `const`, or an `override` with its default. */
function constant(program: Program, node: ast.Constant): Binding {
  if (node.value === null) raise(node, `${node.kind} ${node.name} has no value`);
  const env = moduleEnv(program);
  const isConst = node.kind === 'const';
  let expr: Expr;
  if (node.type !== null) expr = compileAs(env, node.value, program.resolve(node.type));
  else if (isConst) expr = compile(env, node.value);
  else expr = concrete(env, node.value);
  if (expr.value !== undefined) return { kind: 'abstract', value: expr.value };
  if (expr.register < 0) expr = concrete(env, node.value);
  program.initial.push(expr);
  return { kind: 'ref', ref: { ...variableRef(expr.type, valueRef(expr).root), constant: isConst && expr.constant } };
}

function variable(program: Program, node: ast.Var): Binding {
  const space = node.storage;
  if (node.type === null && space !== 'private') raise(node, `variable ${node.name} needs a type`);
  if (space === 'private') return privateVariable(program, node);
  const type = program.resolve(node.type ?? raise(node, 'no type'));
  const slot = program.memories.length;
  if (space === 'workgroup') {
    program.memories.push({ name: node.name, space, writable: true, binding: null, type });
  } else if (space === 'storage' || space === 'uniform') {
    if (attribute(node.attributes, 'group') !== '0') raise(node, `${node.name} must be in bind group 0`);
    const binding = Number.parseInt(attribute(node.attributes, 'binding') ?? raise(node, 'no @binding'), 10);
    const fault = space === 'uniform' ? uniformFault(type) : undefined;
    if (fault !== undefined) raise(node, `uniform ${node.name}: ${fault}`);
    program.memories.push({ name: node.name, space, writable: node.access === 'read_write', binding, type });
  } else {
    raise(node, `variable ${node.name} has no supported address space`);
  }
  const writable = program.memories[slot]?.writable ?? false;
  return { kind: 'ref', ref: variableRef(type, { kind: 'memory', slot, name: node.name, writable }) };
}

function privateVariable(program: Program, node: ast.Var): Binding {
  const env = moduleEnv(program);
  const declared = node.type === null ? undefined : program.resolve(node.type);
  let value: Expr | undefined;
  if (node.value !== null)
    value = declared === undefined ? concrete(env, node.value) : compileAs(env, node.value, declared);
  const type: Type = declared ?? value?.type ?? raise(node, `variable ${node.name} needs a type`);
  const base = program.allocate(registersOf(type));
  const count = registersOf(type);
  program.initial.push(
    sequence(value === undefined ? [] : [value], (m, lanes) => {
      if (value === undefined) m.registers.fill(0, base * m.size, (base + count) * m.size);
      else copyRegisters(m, lanes, base, value.register, count);
    }),
  );
  return { kind: 'ref', ref: variableRef(type, { kind: 'registers', base, name: node.name, writable: true }) };
}

/** Returns the value of a constant in an array count or a workgroup size. */
export function evaluateConstant(program: Program, name: string, node: ast.Node): number {
  const env = moduleEnv(program);
  const binding = lookup(env, name, node);
  if (binding.kind === 'abstract') return binding.value;
  const expr = load(env, binding.ref, node);
  const machine = createMachine(program, {
    size: 1,
    lanes: 1,
    memories: [],
    budget: { steps: 1000 },
    uniformSubgroups: false,
    races: () => false,
  });
  for (const step of [...program.initial, expr]) step.run(machine, machine.all);
  return at(machine.registers, expr.register);
}
