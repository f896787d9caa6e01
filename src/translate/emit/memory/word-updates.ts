// Read-modify-write operations on one word or half a word. WGSL has some of these operations for
// 32-bit integers. The other operations are compare-and-exchange loops or, in private memory, plain
// code.

import type { FloatProfile } from '../../../base/float-profile.ts';
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { Writer } from '../../../wgsl/tree/writer.ts';
import type { AtomicOp } from '../../ir/memory.ts';
import type { Type } from '../../ir/types.ts';
import { observed } from '../program/ordered-accesses.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Memory } from './memories.ts';

export interface WordUpdate {
  readonly op: AtomicOp;
  /** The type of the value: i32 or f32; for a half of a word, i16, f16 or bf16. */
  readonly type: Type;
  readonly signed: boolean;
  /** Whether an instruction reads the old value. */
  readonly result: boolean;
  readonly float: FloatProfile['mode'];
  /**
   * Whether subnormals are preserved. Global f32 atomics flush them; shared f32 atomics and bulk
   * reductions preserve them.
   */
  readonly keepsSubnormals: boolean;
}

/** The operands of an update, each a name or a literal. */
export interface UpdateOperands {
  readonly operand: Expr;
  /** The new value of a `cas`. */
  readonly replacement: Expr | undefined;
  /** For an operation on half a word, the first bit of the half. */
  readonly shift: Expr | undefined;
}

/** Computes the new value from the old value and the operands. */
type NewValue = (old: Expr, operand: Expr, replacement: Expr) => Expr;

/** The WGSL builtin for each operation; undefined if WGSL lacks the operation. */
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
  (fn: 'min' | 'max'): NewValue =>
  (old, operand) =>
    w.bitcast('u32', w.builtin(fn, 'i32', signed(old), signed(operand)));

const newWords: Readonly<Record<AtomicOp, NewValue>> = {
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

function floatSum({ float, keepsSubnormals }: WordUpdate): NewValue {
  return (old, operand) => {
    const [a, b] = [w.bitcast('f32', old), w.bitcast('f32', operand)];
    if (float === 'fast') return w.bitcast('u32', w.add(a, b));
    if (keepsSubnormals) return w.bitcast('u32', w.helper('f32_add', 'f32', a, b));
    const flushed = (value: Expr) => w.helper('f32_flush', 'f32', value);
    return w.bitcast('u32', w.helper('f32_add_ftz', 'f32', flushed(a), flushed(b)));
  };
}

/**
 * Returns the function that computes the new f16 or bf16 value of a sum, minimum, maximum or
 * compare-and-swap.
 */
function halfValue({ op, type, float }: WordUpdate): NewValue {
  const infinity = w.u32(type === 'f16' ? 0x7c00 : 0x7f80);
  if (op === 'cas') return newWords.cas;
  if (op === 'min') return (old, operand) => w.helper('half_min', 'u32', old, operand, infinity);
  if (op === 'max') return (old, operand) => w.helper('half_max', 'u32', old, operand, infinity);
  if (op !== 'add') throw new InternalError(`atomic ${op} of ${type} is not legal`);
  if (type === 'f16') return (old, operand) => w.helper('f16_add', 'u32', old, operand);
  return (old, operand) => {
    const [a, b] = [w.helper('bf16_to_f32', 'f32', old), w.helper('bf16_to_f32', 'f32', operand)];
    return w.helper('bf16_from_f32', 'u32', float === 'fast' ? w.add(a, b) : w.helper('f32_add', 'f32', a, b));
  };
}

const halfAt = (word: Expr, shift: Expr): Expr => w.and(w.shr(word, shift), w.u32(0xffff));

function newWordOf(update: WordUpdate, { operand, replacement, shift }: UpdateOperands): (old: Expr) => Expr {
  const { op, type } = update;
  if (shift !== undefined) {
    const value = halfValue(update);
    return (old) => {
      const others = w.and(old, w.complement(w.shl(w.u32(0xffff), shift)));
      return w.or(others, w.shl(value(halfAt(old, shift), operand, replacement ?? operand), shift));
    };
  }
  const value = ((): NewValue => {
    if (type === 'f32') {
      if (op !== 'add') throw new InternalError(`atomic ${op} of ${type} is not legal`);
      return floatSum(update);
    }
    return update.signed && (op === 'min' || op === 'max') ? signedExtreme(op) : newWords[op];
  })();
  return (old) => value(old, operand, replacement ?? operand);
}

function builtinOf({ op, type, signed: isSigned }: WordUpdate): string | undefined {
  const isExtreme = op === 'min' || op === 'max';
  return type !== 'i32' || (isExtreme && isSigned) ? undefined : builtins[op];
}

/** Updates a word of a memory. Returns the old value if an instruction reads it. */
export function updateWord(
  uses: ProgramUses,
  writer: Writer,
  memory: Memory,
  word: Expr,
  update: WordUpdate,
  operands: UpdateOperands,
): Expr | undefined {
  const isOrdered = memory.zero !== undefined;
  const wanted = isOrdered ? { ...update, result: true } : update;
  const old = (memory.atomic ? updateAtomic : updatePrivate)(writer, word, wanted, operands);
  const whole = old && operands.shift ? halfAt(old, operands.shift) : old;
  const given = isOrdered && whole ? observed(uses, whole) : whole;
  if (!isOrdered || update.result) return given;
  if (given) writer.push(w.perform(given));
  return undefined;
}

function updateAtomic(writer: Writer, word: Expr, update: WordUpdate, operands: UpdateOperands): Expr | undefined {
  const { operand, replacement } = operands;
  const pointer = w.addressOf(word);
  const fn = builtinOf(update);
  if (fn !== undefined) {
    const call = w.builtin(fn, 'u32', pointer, operand);
    if (update.result) return call;
    writer.push({ kind: 'do', call });
    return undefined;
  }
  if (update.op === 'cas' && update.type === 'i32') {
    if (replacement === undefined) throw new InternalError('a compare-and-swap without a new value');
    return compareAndSwap(writer, pointer, operand, replacement);
  }
  return updateLoop(writer, pointer, newWordOf(update, operands));
}

function updatePrivate(writer: Writer, word: Expr, update: WordUpdate, operands: UpdateOperands): Expr {
  const [old, define] = w.local('old', word);
  writer.push(define);
  writer.push(w.assign(word, newWordOf(update, operands)(old)));
  return old;
}

const exchange = (pointer: Expr, expected: Expr, value: Expr): Expr =>
  w.builtin('atomicCompareExchangeWeak', 'u32', pointer, expected, value);

const part = (swap: Expr, member: 'old_value' | 'exchanged'): Expr => ({
  kind: 'member',
  type: member === 'exchanged' ? 'bool' : 'u32',
  base: swap,
  member,
});

/** Writes a compare-and-swap. It is a loop, because the weak exchange may fail spuriously. */
function compareAndSwap(writer: Writer, pointer: Expr, expected: Expr, value: Expr): Expr {
  const [old, declare] = w.localVariable('old', 'u32');
  const [swap, attempt] = w.local('swap', exchange(pointer, expected, value));
  const done = w.either(part(swap, 'exchanged'), w.ne(old, expected));
  writer.push(declare);
  writer.push(w.loop([attempt, w.assign(old, part(swap, 'old_value')), w.when(done, [w.leave])]));
  return old;
}

function updateLoop(writer: Writer, pointer: Expr, update: (old: Expr) => Expr): Expr {
  const [old, declare] = w.localVariable('old', 'u32', w.builtin('atomicLoad', 'u32', pointer));
  const [swap, attempt] = w.local('swap', exchange(pointer, old, update(old)));
  writer.push(declare);
  writer.push(w.loop([attempt, w.when(part(swap, 'exchanged'), [w.leave]), w.assign(old, part(swap, 'old_value'))]));
  return old;
}
