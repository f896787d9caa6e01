// Replaces calls by the bodies of the functions they call: WGSL code that exchanges lanes must be one function,
// so that every lane of the warp is known at every point.
import type {
  CallOperand,
  Instruction,
  Module,
  Operand,
  PtxFunction,
  Register,
  Span,
  Statement,
  Variable,
} from '../ptx/ast.ts';
import { refuse, translateDiagnostics } from './diagnostics.ts';
import { rowNamed } from './ir.ts';

export interface InlinedBody {
  readonly body: readonly Statement[];
  readonly variables: readonly Variable[];
}

/// The body of `entry` with every call expanded. Recursion, indirect calls and functions without a body are refused at the call.
export function inlineCalls(module: Module, entry: PtxFunction): InlinedBody {
  const functions = new Map(module.functions.map((fn) => [fn.name, fn]));
  const variables: Variable[] = [...entry.variables];
  let copies = 0;

  const expand = (fn: PtxFunction, rename: Renaming, active: readonly string[]): Statement[] =>
    fn.body.flatMap((statement) => {
      if (statement.kind !== 'instruction') return [renameStatement(statement, rename)];
      const renamed = renameInstruction(statement, rename);
      if (renamed.row.name === 'ret' && rename.returnLabel !== undefined) {
        return [branchTo(rename.returnLabel, renamed)];
      }
      const callee = renamed.operands.callee;
      return renamed.row.name === 'call' && callee?.kind === 'call' ? expandCall(renamed, callee, active) : [renamed];
    });

  const expandCall = (call: Instruction, operand: CallOperand, active: readonly string[]): Statement[] => {
    const fn = functions.get(operand.callee);
    if (fn === undefined) refuse(translateDiagnostics.noBody(operand.callee), call.span);
    if (active.includes(fn.name)) refuse(translateDiagnostics.recursion(fn.name), call.span);
    copies += 1;
    const rename = renamingFor(fn, copies);
    for (const variable of fn.variables) variables.push(rename.variable(variable));
    const before = fn.params.map((param, index) =>
      passArgument(param, operand.args[index], rename, call.span, variables),
    );
    const after = fn.results.map((result, index) =>
      passResult(result, operand.results[index], rename, call.span, variables),
    );
    const label = rename.returnLabel ?? '';
    const done: Statement = { kind: 'label', name: label, span: call.span };
    const inside = [...before.flat(), ...expand(fn, rename, [...active, fn.name]), done, ...after.flat()];
    if (call.guard === undefined) return inside;
    const skip: Statement = { kind: 'label', name: `${label}$skip`, span: call.span };
    const jump: Instruction = {
      ...(branchTo(`${label}$skip`, call) as Instruction),
      guard: { ...call.guard, negated: !call.guard.negated },
    };
    return [jump, ...inside, skip];
  };

  const body = expand(entry, identity, [entry.name]);
  return { body: body.map(intoLocalMemory(entry)), variables: variables.map(localIfParam) };
}

/// Arguments and results are in `.param` space, which is local memory once the call is gone.
const localIfParam = (variable: Variable): Variable =>
  variable.space === 'param' ? { ...variable, space: 'local' } : variable;

function intoLocalMemory(entry: PtxFunction): (statement: Statement) => Statement {
  const own = new Set(entry.params.map(({ name }) => name));
  const variable = (candidate: Variable) => (own.has(candidate.name) ? candidate : localIfParam(candidate));
  return (statement) => {
    if (statement.kind !== 'instruction') return statement;
    const moved = renameInstruction(statement, { register: (register) => register, variable, label: (label) => label });
    const { a } = moved.operands;
    const local = a?.kind === 'address' && a.base !== null && 'space' in a.base && a.base.space === 'local';
    return local && moved.mods.space?.startsWith('param')
      ? { ...moved, mods: { ...moved.mods, space: 'local' } }
      : moved;
  };
}

interface Renaming {
  readonly register: (register: Register) => Register;
  readonly variable: (variable: Variable) => Variable;
  readonly label: (label: string) => string;
  /// Where `ret` goes; undefined in the kernel itself.
  readonly returnLabel: string | undefined;
  /// Callee parameters that are the caller's variables from here on.
  readonly bound: Map<string, Variable>;
}

const identity: Renaming = {
  register: (register) => register,
  variable: (variable) => variable,
  label: (label) => label,
  returnLabel: undefined,
  bound: new Map(),
};

function renamingFor(fn: PtxFunction, copy: number): Renaming {
  const suffix = `$${fn.name}${copy}`;
  const own = new Set([...fn.variables, ...fn.params, ...fn.results].map((variable) => variable.name));
  const bound = new Map<string, Variable>();
  return {
    register: (register) => ({ ...register, name: `${register.name}${suffix}` }),
    variable: (variable) =>
      bound.get(variable.name) ??
      (own.has(variable.name) ? { ...variable, name: `${variable.name}${suffix}` } : variable),
    label: (label) => `${label}${suffix}`,
    returnLabel: `return${suffix}`,
    bound,
  };
}

function renameStatement(statement: Statement, rename: Renaming): Statement {
  return statement.kind === 'label' ? { ...statement, name: rename.label(statement.name) } : statement;
}

export function renameInstruction(
  instruction: Instruction,
  rename: Pick<Renaming, 'register' | 'variable' | 'label'>,
): Instruction {
  const operands = Object.fromEntries(
    Object.entries(instruction.operands).map(([name, operand]) => [name, renameOperand(operand, rename)]),
  );
  const { guard } = instruction;
  return { ...instruction, operands, guard: guard && { ...guard, register: rename.register(guard.register) } };
}

/// One operand under a renaming.
export function renameOperand(operand: Operand, rename: Pick<Renaming, 'register' | 'variable' | 'label'>): Operand {
  const value = (item: Variable | Operand) =>
    'space' in item ? rename.variable(item) : (renameOperand(item, rename) as never);
  switch (operand.kind) {
    case 'register':
      return { ...operand, register: rename.register(operand.register) };
    case 'symbol':
      return { ...operand, variable: rename.variable(operand.variable) };
    case 'address':
      if (operand.base === null) return operand;
      return {
        ...operand,
        base: 'space' in operand.base ? rename.variable(operand.base) : rename.register(operand.base),
        ...(operand.index && { index: { ...operand.index, register: rename.register(operand.index.register) } }),
      };
    case 'vector':
      return {
        ...operand,
        elements: operand.elements.map((element) => renameOperand(element, rename) as typeof element),
      };
    case 'label':
      return { ...operand, target: rename.label(operand.target) };
    case 'labels':
      return { ...operand, targets: operand.targets.map(rename.label) };
    case 'call':
      return { ...operand, args: operand.args.map(value), results: operand.results.map(value) };
    default:
      return operand;
  }
}

type Argument = CallOperand['args'][number];

/// Binds a parameter to the caller's variable, or copies a register or constant into the callee's.
function passArgument(
  param: Variable | Register,
  arg: Argument | undefined,
  rename: Renaming,
  span: Span,
  variables: Variable[],
): Statement[] {
  if (arg === undefined) return [];
  if ('space' in param) {
    if ('space' in arg) {
      rename.bound.set(param.name, arg);
      return [];
    }
    const own = rename.variable(param);
    variables.push(own);
    return [access('st', own, arg, span)];
  }
  const target: Operand = { kind: 'register', register: rename.register(param), negated: false, span };
  if ('space' in arg) return [access('ld', arg, target, span)];
  return [move(target, arg, param.type, span)];
}

function passResult(
  result: Variable | Register,
  target: CallOperand['results'][number] | undefined,
  rename: Renaming,
  span: Span,
  variables: Variable[],
): Statement[] {
  if (target === undefined) {
    if ('space' in result) variables.push(rename.variable(result));
    return [];
  }
  if ('space' in result) {
    if ('space' in target) {
      rename.bound.set(result.name, target);
      return [];
    }
    const own = rename.variable(result);
    variables.push(own);
    return [access('ld', own, target, span)];
  }
  const source: Operand = { kind: 'register', register: rename.register(result), negated: false, span };
  if ('space' in target) return [access('st', target, source, span)];
  return [move(target, source, result.type, span)];
}

function access(name: 'ld' | 'st', variable: Variable, value: Operand, span: Span): Instruction {
  const address: Operand = { kind: 'address', base: variable, offset: 0, span };
  const operands = name === 'ld' ? { d: value, a: address } : { a: address, b: value };
  return {
    kind: 'instruction',
    row: rowNamed(name),
    mods: { space: 'param', type: variable.type },
    operands,
    guard: undefined,
    span,
  };
}

function move(d: Operand, a: Operand, type: string, span: Span): Instruction {
  return { kind: 'instruction', row: rowNamed('mov'), mods: { type }, operands: { d, a }, guard: undefined, span };
}

function branchTo(target: string, from: Instruction): Statement {
  return {
    kind: 'instruction',
    row: rowNamed('bra'),
    mods: {},
    operands: { target: { kind: 'label', target, span: from.span } },
    guard: from.guard,
    span: from.span,
  };
}
