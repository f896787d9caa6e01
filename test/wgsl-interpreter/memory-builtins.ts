// Builtins for memory: atomics, barriers, arrayLength, workgroupUniformLoad.

import { raise } from './error.ts';
import { compileAs, pointer } from './expressions.ts';
import type { Lanes, Machine, Step } from './machine.ts';
import { at, atomicKinds, sequence } from './machine.ts';
import type { Operation } from './operators.ts';
import type { Builtin, Env, Expr, Ref } from './program.ts';
import { elementCount, load, memoryIndex, settled } from './references.ts';
import type * as ast from './syntax/ast.ts';
import type { Type } from './types.ts';
import { bool, scalar, typeName, u32, voidType } from './types.ts';

type AtomicOperations = Readonly<Record<'u32' | 'i32', Operation>>;

const both = (operation: Operation): AtomicOperations => ({ u32: operation, i32: operation });

/** (old, value) -> new. */
const atomics: Readonly<Record<string, AtomicOperations>> = {
  atomicAdd: both((old, value) => old + value),
  atomicSub: both((old, value) => old - value),
  atomicAnd: both((old, value) => old & value),
  atomicOr: both((old, value) => old | value),
  atomicXor: both((old, value) => old ^ value),
  atomicExchange: both((_, value) => value),
  atomicMax: { u32: (old, value) => Math.max(old, value), i32: (old, value) => Math.max(old | 0, value | 0) },
  atomicMin: { u32: (old, value) => Math.min(old, value), i32: (old, value) => Math.min(old | 0, value | 0) },
};

interface AtomicPlace {
  readonly ref: Ref;
  readonly slot: number;
  readonly type: Type;
}

function atomicPlace(env: Env, arg: ast.Expression | undefined, node: ast.Node): AtomicPlace {
  if (arg === undefined) return raise(node, 'an atomic needs a pointer');
  const ref = pointer(env, arg);
  if (ref.type.kind !== 'atomic' || ref.root.kind !== 'memory') {
    return raise(node, `${typeName(ref.type)} in ${ref.root.name} is not atomic`);
  }
  return { ref, slot: ref.root.slot, type: scalar(ref.type.element) };
}

function value(env: Env, arg: ast.Expression | undefined, type: Type, node: ast.Node): Expr {
  return compileAs(env, arg ?? raise(node, 'a value is missing'), type);
}

/**
 * Runs the lanes one after the other in ascending order. `modify` receives the old word and may
 * return a new word.
 */
function eachAtomic(
  place: AtomicPlace,
  kind: keyof typeof atomicKinds,
  modify: (m: Machine, lane: number, old: number) => number | undefined,
): (m: Machine, lanes: Lanes) => void {
  return (m, lanes) => {
    const memory = m.memories[place.slot];
    const atomics = m.looked[place.slot]?.atomics;
    for (const lane of lanes) {
      const index = memoryIndex(m, place.ref, place.slot, lane);
      atomics?.set(index, (atomics.get(index) ?? 0) | atomicKinds[kind]);
      const result = modify(m, lane, index < 0 || memory === undefined ? 0 : at(memory, index));
      if (result !== undefined && index >= 0 && memory !== undefined) memory[index] = result;
    }
  };
}

function result(type: Type, register: number, step: Step): Expr {
  return { type, register, borrowed: false, constant: false, impure: false, ...step };
}

function readModifyWrite(operations: AtomicOperations): Builtin {
  return (env, args, node) => {
    const place = atomicPlace(env, args[0], node);
    const operand = value(env, args[1], place.type, node);
    const operation = operations[place.type.kind === 'scalar' && place.type.name === 'i32' ? 'i32' : 'u32'];
    const register = env.program.allocate(1);
    const apply = eachAtomic(place, 'change', (m, lane, old) => {
      m.registers[register * m.size + lane] = old;
      return operation(old, at(m.registers, operand.register * m.size + lane), 0, 0);
    });
    return result(place.type, register, sequence([place.ref.step, operand], apply));
  };
}

const atomicLoad: Builtin = (env, args, node) => loadAtomic(env, atomicPlace(env, args[0], node));

function loadAtomic(env: Env, place: AtomicPlace): Expr {
  const register = env.program.allocate(1);
  const apply = eachAtomic(place, 'load', (m, lane, old) => {
    m.registers[register * m.size + lane] = old;
    return undefined;
  });
  return result(place.type, register, sequence([place.ref.step], apply));
}

const atomicStore: Builtin = (env, args, node) => {
  const place = atomicPlace(env, args[0], node);
  const operand = value(env, args[1], place.type, node);
  const apply = eachAtomic(place, 'store', (m, lane) => at(m.registers, operand.register * m.size + lane));
  return result(voidType, -1, sequence([place.ref.step, operand], apply));
};

const compareExchange: Builtin = (env, args, node) => {
  const place = atomicPlace(env, args[0], node);
  const expected = value(env, args[1], place.type, node);
  const desired = value(env, args[2], place.type, node);
  const register = env.program.allocate(2);
  const apply = eachAtomic(place, 'change', (m, lane, old) => {
    const equal = old === at(m.registers, expected.register * m.size + lane);
    m.registers[register * m.size + lane] = old;
    m.registers[(register + 1) * m.size + lane] = equal ? 1 : 0;
    return equal ? at(m.registers, desired.register * m.size + lane) : undefined;
  });
  const type: Type = {
    kind: 'struct',
    name: `__atomic_compare_exchange_result<${typeName(place.type)}>`,
    members: [
      { name: 'old_value', type: place.type },
      { name: 'exchanged', type: bool },
    ],
  };
  return result(type, register, sequence([place.ref.step, expected, desired], apply));
};

const arrayLength: Builtin = (env, args, node) => {
  const ref = pointer(env, args[0] ?? raise(node, 'arrayLength needs a pointer'));
  if (ref.type.kind !== 'array' || ref.type.count !== null) raise(node, 'arrayLength needs a runtime-sized array');
  const register = env.program.allocate(1);
  const length = elementCount(ref);
  const step = sequence([ref.step], (m) => m.registers.fill(length(m), register * m.size, (register + 1) * m.size));
  return result(u32, register, step);
};

/**
 * Waits for the workgroup's other subgroups. Throws unless every lane of the subgroup reaches the
 * barrier.
 */
function barrier(builtin: string, node: ast.Node, address?: (m: Machine, lanes: Lanes) => number): Step {
  return {
    run: () => raise(node, `${builtin} cannot wait here`),
    *flow(m, lanes) {
      if (lanes.length !== m.all.length) {
        raise(node, `${builtin} in divergent control flow: ${lanes.length} of ${m.all.length} lanes`);
      }
      yield { line: node.line, builtin, ...(address === undefined ? {} : { address: address(m, lanes) }) };
    },
  };
}

const barrierCall: Builtin = (_env, _args, node) => result(voidType, -1, barrier(node.name, node));

/** Does nothing, because workgroup memory is coherent within a subgroup in lockstep. */
const subgroupBarrier: Builtin = () =>
  result(
    voidType,
    -1,
    sequence([], () => undefined),
  );

/** Loads between two barriers. https://www.w3.org/TR/WGSL/#workgroupUniformLoad-builtin */
const workgroupUniformLoad: Builtin = (env, args, node) => {
  const ref = pointer(env, args[0] ?? raise(node, 'workgroupUniformLoad needs a pointer'));
  const { root } = ref;
  if (root.kind !== 'memory') return raise(node, 'workgroupUniformLoad needs a pointer into the workgroup');
  const before = barrier(node.name, node, (m, lanes) => {
    const addresses = new Set([...lanes].map((lane) => memoryIndex(m, ref, root.slot, lane)));
    const [address = -1] = addresses;
    if (addresses.size !== 1) raise(node, 'workgroupUniformLoad: the pointer is not uniform');
    return address;
  });
  const here = settled(ref);
  const loaded =
    ref.type.kind === 'atomic'
      ? loadAtomic(env, { ref: here, slot: root.slot, type: scalar(ref.type.element) })
      : load(env, here, node);
  const step = sequence([ref.step, before, loaded, barrier(node.name, node)], () => undefined);
  return result(loaded.type, loaded.register, step);
};

export const memoryBuiltins: readonly (readonly [string, Builtin])[] = [
  ...Object.entries(atomics).map(([name, operations]) => [name, readModifyWrite(operations)] as const),
  ['atomicLoad', atomicLoad],
  ['atomicStore', atomicStore],
  ['atomicCompareExchangeWeak', compareExchange],
  ['arrayLength', arrayLength],
  ['workgroupBarrier', barrierCall],
  ['storageBarrier', barrierCall],
  ['subgroupBarrier', subgroupBarrier],
  ['workgroupUniformLoad', workgroupUniformLoad],
];
