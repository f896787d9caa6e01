// Read-modify-write of one word. WGSL has it for 32-bit integers; the rest are compare-and-exchange loops, and in memory of a lane's own, plain code.
import type { FloatProfile } from '../../base/float-profile.ts';
import * as w from '../../wgsl/tree/build.ts';
import { type Expr, Name } from '../../wgsl/tree/nodes.ts';
import type { AtomicOp } from '../ir/memory.ts';
import type { Type } from '../ir/types.ts';
import type { Writer } from './scope.ts';

export interface WordUpdate {
  readonly op: AtomicOp;
  /// i32 or f32.
  readonly type: Type;
  readonly signed: boolean;
  /// Whether the old value is wanted.
  readonly result: boolean;
  readonly float: FloatProfile['mode'];
  /// Global f32 atomics flush subnormals, shared ones keep them.
  readonly isShared: boolean;
}

/// The new word from the old one and the operands.
type NewWord = (old: Expr, operand: Expr, replacement: Expr) => Expr;

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
const signedExtreme =
  (fn: 'min' | 'max'): NewWord =>
  (old, operand) =>
    w.bitcast('u32', w.builtin(fn, 'i32', signed(old), signed(operand)));

const newWords: Readonly<Record<AtomicOp, NewWord>> = {
  add: w.add,
  min: (old, operand) => w.builtin('min', 'u32', old, operand),
  max: (old, operand) => w.builtin('max', 'u32', old, operand),
  and: w.and,
  or: w.or,
  xor: w.xor,
  exch: (_old, operand) => operand,
  cas: (old, operand, replacement) => w.select(w.eq(old, operand), replacement, old),
  inc: (old, operand) => w.select(w.ge(old, operand), w.u32(0), w.add(old, w.u32(1))),
  dec: (old, operand) => w.select(w.either(w.eq(old, w.u32(0)), w.gt(old, operand)), operand, w.sub(old, w.u32(1))),
};

function floatSum({ float, isShared }: WordUpdate): NewWord {
  return (old, operand) => {
    const [a, b] = [w.bitcast('f32', old), w.bitcast('f32', operand)];
    if (float === 'fast') return w.bitcast('u32', w.add(a, b));
    if (isShared) return w.bitcast('u32', w.helper('f32_add', 'f32', a, b));
    const flushed = (value: Expr) => w.helper('f32_flush', 'f32', value);
    return w.bitcast('u32', w.helper('f32_add_ftz', 'f32', flushed(a), flushed(b)));
  };
}

function newWordOf(update: WordUpdate): NewWord {
  const { op, type } = update;
  if (type === 'f32') {
    if (op !== 'add') throw new Error(`atomic ${op} of ${type} is not legal`);
    return floatSum(update);
  }
  return update.signed && (op === 'min' || op === 'max') ? signedExtreme(op) : newWords[op];
}

function builtinOf({ op, type, signed: isSigned }: WordUpdate): string | undefined {
  const isExtreme = op === 'min' || op === 'max';
  return type === 'f32' || (isExtreme && isSigned) ? undefined : builtins[op];
}

/// Updates a word that other lanes see. The old value, where it is wanted.
export function updateAtomic(
  writer: Writer,
  word: Expr,
  update: WordUpdate,
  operand: Expr,
  replacement?: Expr,
): Expr | undefined {
  const pointer = w.addressOf(word);
  const fn = builtinOf(update);
  if (fn !== undefined) {
    const call = w.builtin(fn, 'u32', pointer, operand);
    if (update.result) return call;
    writer.push({ kind: 'do', call });
    return undefined;
  }
  if (update.op === 'cas') {
    if (replacement === undefined) throw new Error('a compare-and-swap without a new value');
    return compareAndSwap(writer, pointer, operand, replacement);
  }
  const newWord = newWordOf(update);
  return updateLoop(writer, pointer, (old) => newWord(old, operand, operand));
}

/// Updates a word that no other lane sees.
export function updatePrivate(
  writer: Writer,
  word: Expr,
  update: WordUpdate,
  operand: Expr,
  replacement?: Expr,
): Expr | undefined {
  const name = new Name('old');
  const old = w.ref(name, 'u32');
  writer.push({ kind: 'let', name, value: word });
  writer.push({ kind: 'assign', target: word, value: newWordOf(update)(old, operand, replacement ?? operand) });
  return old;
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
function compareAndSwap(writer: Writer, pointer: Expr, expected: Expr, value: Expr): Expr {
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

function updateLoop(writer: Writer, pointer: Expr, update: (old: Expr) => Expr): Expr {
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
