// Atomic read-modify-write of words. WGSL has it for 32-bit integers; the rest are compare-and-exchange loops.
import * as w from '../../wgsl/tree/build.ts';
import { type Expr, Name } from '../../wgsl/tree/nodes.ts';
import type { AtomicOp } from '../ir/memory.ts';
import type { InstNamed } from '../ir/nodes.ts';
import type { Emitter } from './emitter.ts';
import { genericStore } from './generic.ts';
import { memoryOf } from './memories.ts';
import { wordAt } from './memory.ts';

type Atomic = InstNamed<'atomic'>;

/// WGSL's own functions.
const builtins: Readonly<Record<AtomicOp, string | undefined>> = {
  add: 'atomicAdd',
  min: 'atomicMin',
  max: 'atomicMax',
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
  exch: 'atomicExchange',
  cas: undefined,
  inc: undefined,
  dec: undefined,
};

const signed = (value: Expr): Expr => w.bitcast('i32', value);
const extreme =
  (fn: 'min' | 'max') =>
  (old: Expr, operand: Expr): Expr =>
    w.bitcast('u32', w.builtin(fn, 'i32', signed(old), signed(operand)));

type Update = (old: Expr, operand: Expr) => Expr;

/// The new word of a compare-and-exchange loop from the old one and the operand.
const loops: Readonly<Partial<Record<AtomicOp, Update>>> = {
  min: extreme('min'),
  max: extreme('max'),
  inc: (old, operand) => w.select(w.ge(old, operand), w.u32(0), w.add(old, w.u32(1))),
  dec: (old, operand) => w.select(w.either(w.eq(old, w.u32(0)), w.gt(old, operand)), operand, w.sub(old, w.u32(1))),
};

/// Global f32 atomics flush subnormals, shared ones keep them.
function floatSum(emitter: Emitter, { attrs: { place } }: Atomic): Update {
  const { mode } = emitter.uses.options.float;
  const isShared = place.root.kind === 'array';
  return (old, operand) => {
    const [a, b] = [w.bitcast('f32', old), w.bitcast('f32', operand)];
    if (mode === 'fast') return w.bitcast('u32', w.add(a, b));
    if (isShared) return w.bitcast('u32', w.helper('f32_add', 'f32', a, b));
    const flushed = (value: Expr) => w.helper('f32_flush', 'f32', value);
    return w.bitcast('u32', w.helper('f32_add_ftz', 'f32', flushed(a), flushed(b)));
  };
}

function builtinOf({ attrs: { op, type, signed: isSigned } }: Atomic): string | undefined {
  const isExtreme = op === 'min' || op === 'max';
  return (type === 'f32' && op === 'add') || (isExtreme && isSigned) ? undefined : builtins[op];
}

export function writeAtomic(emitter: Emitter, inst: Atomic): void {
  const { place, op, type } = inst.attrs;
  const { writer } = emitter;
  const [operand, replacement] = inst.args.slice(place.indexed ? 1 : 0);
  const [result] = inst.results;
  if (operand === undefined) throw new Error('an atomic without an operand');
  const value = emitter.name('operand', w.bitcast('u32', emitter.read(operand)));
  if (place.root.kind === 'generic') {
    writePartOfWord(emitter, inst, value);
    return;
  }
  const target = wordAt(emitter, inst, memoryOf(emitter, place.root), 0);
  const pointer = w.addressOf(target);
  const fn = builtinOf(inst);
  const define = (old: Expr) => {
    if (result) emitter.define(result, type === 'f32' ? w.bitcast('f32', old) : old);
  };
  if (fn !== undefined) {
    const call = w.builtin(fn, 'u32', pointer, value);
    if (result) define(call);
    else writer.push({ kind: 'do', call });
    return;
  }
  if (op === 'cas') {
    if (replacement === undefined) throw new Error('a compare-and-swap without a new value');
    define(compareAndSwap(
      emitter,
      pointer,
      value,
      emitter.name('replacement', w.bitcast('u32', emitter.read(replacement))),
    ));
    return;
  }
  const update = type === 'f32' ? floatSum(emitter, inst) : loops[op];
  if (update === undefined) throw new Error(`atomic ${op} of ${type} is not legal`);
  define(updateLoop(emitter, pointer, (old) => update(old, value)));
}

/// Stores of less than a word: bits are cleared by an `and`, then set by an `or`.
function writePartOfWord(emitter: Emitter, { attrs: { op }, args: [address] }: Atomic, value: Expr): void {
  if (address === undefined || (op !== 'and' && op !== 'or')) throw new Error(`a generic atomic ${op} is not legal`);
  const at = emitter.read(address);
  if (op === 'and') genericStore(emitter, at, w.complement(value), w.u32(0));
  else genericStore(emitter, at, w.u32(0), value);
}

const exchange = (pointer: Expr, expected: Expr, value: Expr): Expr =>
  w.builtin('atomicCompareExchangeWeak', 'u32', pointer, expected, value);

const part = (swap: Name, letter: 'old_value' | 'exchanged'): Expr => ({
  kind: 'member',
  type: letter === 'exchanged' ? 'bool' : 'u32',
  base: w.ref(swap, 'u32'),
  member: letter,
});

/// The weak exchange may fail without a reason.
function compareAndSwap({ writer }: Emitter, pointer: Expr, expected: Expr, value: Expr): Expr {
  const [name, swap] = [new Name('old'), new Name('swap')];
  const old = w.ref(name, 'u32');
  writer.push({ kind: 'var', name, type: 'u32', value: undefined });
  const body = writer.nest(() => {
    writer.push({ kind: 'let', name: swap, value: exchange(pointer, expected, value) });
    writer.push({ kind: 'assign', target: old, value: part(swap, 'old_value') });
    const done = w.either(part(swap, 'exchanged'), w.ne(old, expected));
    writer.push({ kind: 'if', condition: done, then: [w.leave], else: [] });
  });
  writer.push({ kind: 'loop', body, continuing: [] });
  return old;
}

function updateLoop({ writer }: Emitter, pointer: Expr, update: (old: Expr) => Expr): Expr {
  const [name, swap] = [new Name('old'), new Name('swap')];
  const old = w.ref(name, 'u32');
  writer.push({ kind: 'var', name, type: 'u32', value: w.builtin('atomicLoad', 'u32', pointer) });
  const body = writer.nest(() => {
    writer.push({ kind: 'let', name: swap, value: exchange(pointer, old, update(old)) });
    writer.push({ kind: 'if', condition: part(swap, 'exchanged'), then: [w.leave], else: [] });
    writer.push({ kind: 'assign', target: old, value: part(swap, 'old_value') });
  });
  writer.push({ kind: 'loop', body, continuing: [] });
  return old;
}
