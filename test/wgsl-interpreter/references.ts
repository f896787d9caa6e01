// Places: members, elements, loads and stores. An address outside its array becomes `outside`,
// which reads as zeros and ignores writes. WGSL allows this for an out-of-bounds access.

import { raise } from './error.ts';
import type { Lanes, Machine, Step } from './machine.ts';
import { at, copyRegisters, nothing, sequence, stepOf } from './machine.ts';
import type { Env, Expr, Ref, Root } from './program.ts';
import type { Type } from './types.ts';
import { memberOffset, memoryWords, registersOf, scalar, sizeOf, strideOf, typeName } from './types.ts';

const outside = 0xffffffff;

type Node = { readonly line: number };

/** Returns a place that consists of a value's registers. */
export function valueRef(expr: Expr): Ref {
  return {
    type: expr.type,
    root: { kind: 'registers', base: expr.register, name: 'value', writable: false },
    offset: 0,
    address: null,
    constant: expr.constant,
    impure: expr.impure,
    step: stepOf(expr),
  };
}

export function variableRef(type: Type, root: Root, constant = false): Ref {
  return { type, root, offset: 0, address: null, constant, impure: false, step: nothing };
}

/** Returns the place without the step that computes its address, which has run already. */
export function settled(ref: Ref): Ref {
  return { ...ref, step: nothing };
}

export function member(ref: Ref, name: string, node: Node): Ref {
  if (ref.type.kind === 'vector') return component(ref, name, node);
  if (ref.type.kind !== 'struct') raise(node, `${typeName(ref.type)} has no member ${name}`);
  const index = ref.type.members.findIndex((each) => each.name === name);
  const type = ref.type.members[index]?.type;
  if (type === undefined) raise(node, `${ref.type.name} has no member ${name}`);
  return { ...ref, type, offset: ref.offset + memberOffset(ref.type, index, ref.root.kind === 'registers') };
}

function component(ref: Ref, name: string, node: Node): Ref {
  const [index = -1] = swizzle(name, node);
  if (ref.type.kind !== 'vector' || name.length !== 1 || index >= ref.type.size) {
    raise(node, `${typeName(ref.type)} has no place ${name}`);
  }
  return { ...ref, type: scalar(ref.type.element), offset: ref.offset + index };
}

/** Returns the component indices of `xyzw` or `rgba` letters. */
export function swizzle(name: string, node: Node): number[] {
  const letters = /^[xyzw]{1,4}$/.test(name) ? 'xyzw' : 'rgba';
  return [...name].map((letter) => {
    const index = letters.indexOf(letter);
    return index < 0 ? raise(node, `${name} is not a swizzle`) : index;
  });
}

/**
 * Returns element `index` of an array or vector. A negative i32 index is out of bounds, like a
 * large one.
 */
export function element(env: Env, ref: Ref, index: Expr, node: Node): Ref {
  const { type } = ref;
  if (type.kind !== 'array' && type.kind !== 'vector') raise(node, `${typeName(type)} cannot be indexed`);
  const packed = ref.root.kind === 'registers';
  const stride = type.kind === 'array' ? strideOf(type, packed) : 1;
  const elementType = type.kind === 'array' ? type.element : scalar(type.element);
  const count = type.kind === 'array' ? type.count : type.size;
  const { program } = env;
  if (index.value !== undefined) {
    if (index.value < 0 || (count !== null && index.value >= count)) {
      raise(node, `index ${index.value} is outside ${typeName(type)}`);
    }
    if (count !== null) return { ...ref, type: elementType, offset: ref.offset + index.value * stride };
  }
  const indexRegister = index.value === undefined ? index.register : program.literal(index.value);
  const address = program.allocate(1);
  const length = elementCount(ref);
  const apply = (m: Machine, lanes: Lanes): void => {
    const { registers, size } = m;
    const limit = length(m);
    for (const lane of lanes) {
      const i = at(registers, indexRegister * size + lane);
      const base = ref.address === null ? 0 : at(registers, ref.address * size + lane);
      registers[address * size + lane] = i >= limit || base === outside ? outside : base + i * stride;
    }
  };
  return {
    ...ref,
    type: elementType,
    address,
    constant: ref.constant && index.constant,
    impure: ref.impure || index.impure,
    step: sequence([ref.step, index], apply),
  };
}

/**
 * Returns the number of elements of an array or vector at run time. A runtime-sized array is the
 * last part of its variable.
 */
export function elementCount(ref: Ref): (m: Machine) => number {
  const { type, root, offset } = ref;
  if (type.kind === 'vector') return () => type.size;
  if (type.kind !== 'array') return () => 1;
  const { count } = type;
  if (count !== null) return () => count;
  if (root.kind === 'registers') return () => 0;
  const stride = strideOf(type, false);
  return (m) => Math.max(0, Math.floor(((m.memories[root.slot]?.length ?? 0) - offset) / stride));
}

/** Returns the first word of a lane's place; `outside` stays `outside`. */
function wordOf(m: Machine, ref: Ref, lane: number): number {
  if (ref.address === null) return ref.offset;
  const address = at(m.registers, ref.address * m.size + lane);
  return address === outside ? outside : address + ref.offset;
}

/** Returns the lane's word in a memory; -1 if out of bounds. */
export function memoryIndex(m: Machine, ref: Ref, slot: number, lane: number): number {
  const word = wordOf(m, ref, lane);
  return word === outside || word + sizeOf(ref.type) > (m.memories[slot]?.length ?? 0) ? -1 : word;
}

/** Returns a word as this subgroup sees it: with its own stores since the last barrier. */
export function readWord({ unseen, memories, looked }: Machine, slot: number, word: number): number {
  looked[slot]?.reads.add(word);
  const own = unseen[slot];
  const stored = own === undefined || own.size === 0 ? undefined : own.get(word);
  return stored ?? memories[slot]?.[word] ?? 0;
}

export function load(env: Env, ref: Ref, node: Node): Expr {
  const { type, root } = ref;
  if (type.kind === 'atomic') raise(node, `${root.name} is atomic: use atomicLoad`);
  if (type.kind === 'array' && type.count === null) raise(node, 'a runtime-sized array is not a value');
  const { constant, impure } = ref;
  if (root.kind === 'registers' && ref.address === null) {
    const register = root.base + ref.offset;
    return { type, register, borrowed: root.writable, constant, impure, ...stepOf(ref.step) };
  }
  const register = env.program.allocate(registersOf(type));
  const words = root.kind === 'memory' ? memoryWords(type) : Array.from({ length: registersOf(type) }, (_, i) => i);
  const apply = (m: Machine, lanes: Lanes): void => {
    const { registers, size } = m;
    for (const lane of lanes) {
      const start = root.kind === 'memory' ? memoryIndex(m, ref, root.slot, lane) : wordOf(m, ref, lane);
      const missing = start === -1 || start === outside;
      for (const [i, word] of words.entries()) {
        let value = 0;
        if (!missing && root.kind === 'memory') value = readWord(m, root.slot, start + word);
        else if (!missing && root.kind === 'registers') value = at(registers, (root.base + start + word) * size + lane);
        registers[(register + i) * size + lane] = value;
      }
    }
  };
  return { type, register, borrowed: false, constant, impure, ...sequence([ref.step], apply) };
}

/** Writes a value's registers to a place whose address is already computed. */
export function store(ref: Ref, register: number, node: Node): (m: Machine, lanes: Lanes) => void {
  const { root, type } = ref;
  if (!root.writable) raise(node, `${root.name} cannot be assigned`);
  const count = registersOf(type);
  if (root.kind === 'registers' && ref.address === null) {
    return (m, lanes) => copyRegisters(m, lanes, root.base + ref.offset, register, count);
  }
  const words = root.kind === 'memory' ? memoryWords(type) : Array.from({ length: count }, (_, i) => i);
  return (m, lanes) => {
    const { registers, size } = m;
    for (const lane of lanes) {
      const start = root.kind === 'memory' ? memoryIndex(m, ref, root.slot, lane) : wordOf(m, ref, lane);
      if (start === -1 || start === outside) continue;
      for (const [i, word] of words.entries()) {
        const value = at(registers, (register + i) * size + lane);
        if (root.kind === 'registers') registers[(root.base + start + word) * size + lane] = value;
        else m.unseen[root.slot]?.set(start + word, value);
      }
    }
  };
}

/**
 * Returns a step that computes the full address of a place into a register, for a pointer argument.
 */
export function addressInto(ref: Ref, register: number): Step {
  return sequence([ref.step], (m, lanes) => {
    for (const lane of lanes) m.registers[register * m.size + lane] = wordOf(m, ref, lane);
  });
}
