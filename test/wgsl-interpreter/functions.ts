// Functions of the module. WGSL forbids recursion, so each function has its own registers. A
// function with pointer parameters has an instance for each variable that they point into.

import { raise } from './error.ts';
import { compileAs, pointer } from './expressions.ts';
import type { Statement, Step } from './machine.ts';
import { copyRegisters, nothing, sequence } from './machine.ts';
import type { Binding, CallNode, Env, Expr, FunctionInstance, Program, Ref } from './program.ts';
import { addressInto, variableRef } from './references.ts';
import { compileBlock } from './statements.ts';
import type * as ast from './syntax/ast.ts';
import type { Type } from './types.ts';
import { registersOf, typeName, voidType } from './types.ts';
import { stabilize } from './values.ts';

export function callFunction(env: Env, callee: ast.Function, args: readonly ast.Expression[], node: CallNode): Expr {
  if (args.length !== callee.args.length) raise(node, `${callee.name} expects ${callee.args.length} arguments`);
  const { program } = env;
  const pointers: (Ref | null)[] = [];
  const values: Expr[] = [];
  for (const [i, arg] of args.entries()) {
    const type = callee.args[i]?.type;
    if (type === undefined) continue;
    if (type.kind === 'pointer') {
      const ref = pointer(env, arg);
      pointers.push(ref);
      values.push(pointerValue(program, ref));
    } else {
      pointers.push(null);
      values.push(compileAs(env, arg, program.resolve(type)));
    }
  }
  const instance = instantiate(program, callee, pointers);
  const stable = stabilize(env, values);
  const { result } = instance;
  const register = program.allocate(registersOf(result.type));
  const pass: Step = {
    run(m, lanes) {
      for (const [i, parameter] of instance.parameters.entries()) {
        const from = stable[i];
        if (from !== undefined) copyRegisters(m, lanes, parameter.register, from.register, registersOf(from.type));
      }
    },
  };
  const step = sequence([...stable, pass, statementStep(instance.body)], (m, lanes) =>
    copyRegisters(m, lanes, register, result.register, registersOf(result.type)),
  );
  return { type: result.type, register, borrowed: false, constant: false, impure: true, ...step };
}

/** Returns a pointer's address, which is passed like a u32. */
function pointerValue(program: Program, ref: Ref): Expr {
  const register = program.allocate(1);
  const step = addressInto(ref, register);
  const type: Type = { kind: 'scalar', name: 'u32' };
  return { type, register, borrowed: false, constant: false, impure: ref.impure, ...step };
}

function statementStep(body: Statement): Step {
  const { flow } = body;
  const run: Step['run'] = (m, lanes) => {
    body.run(m, lanes);
  };
  if (flow === undefined) return { run };
  return {
    run,
    *flow(m, lanes) {
      yield* flow(m, lanes);
    },
  };
}

function instantiate(program: Program, callee: ast.Function, pointers: readonly (Ref | null)[]): FunctionInstance {
  const key = [callee.name, ...pointers.map((ref) => (ref === null ? '' : rootKey(ref)))].join('|');
  const known = program.instances.get(key);
  if (known !== undefined) return known;
  if (program.unfinished.has(key)) raise(callee, `${callee.name} is recursive`);
  program.unfinished.add(key);
  const names = new Map<string, Binding>();
  const parameters = callee.args.map((parameter, i) => {
    const ref = pointers[i] ?? null;
    const type = ref === null ? program.resolve(parameter.type) : null;
    const register = program.allocate(type === null ? 1 : registersOf(type));
    if (ref !== null) {
      const place = { ...ref, offset: 0, address: register, constant: false, impure: false, step: nothing };
      names.set(parameter.name, { kind: 'pointer', ref: place });
    } else if (type !== null) {
      const root = { kind: 'registers', base: register, name: parameter.name, writable: false } as const;
      names.set(parameter.name, { kind: 'ref', ref: variableRef(type, root) });
    }
    return { type, register };
  });
  const type = callee.returnType === null ? voidType : program.resolve(callee.returnType);
  const result = { type, register: program.allocate(registersOf(type)) };
  const env: Env = {
    program,
    scope: { names, parent: program.globals },
    result,
    breakSlot: null,
    continueSlot: null,
  };
  const instance = { parameters, result, body: compileBlock(env, callee.body) };
  program.unfinished.delete(key);
  program.instances.set(key, instance);
  return instance;
}

function rootKey(ref: Ref): string {
  const { root } = ref;
  const place = root.kind === 'registers' ? root.base : root.slot;
  return `${root.kind} ${place} ${typeName(ref.type)}`;
}

export interface EntryPoint {
  readonly instance: FunctionInstance;
  readonly parameters: readonly ast.Argument[];
  readonly node: ast.Function;
}

/** Compiles the compute entry point of that name. Throws if it does not exist. */
export function compileEntryPoint(program: Program, name: string): EntryPoint {
  const node = program.functions.get(name);
  if (node === undefined || !node.attributes.some((attribute) => attribute.name === 'compute')) {
    throw new Error(`no compute entry point ${name}`);
  }
  const instance = instantiate(program, node, []);
  return { instance, parameters: node.args, node };
}
