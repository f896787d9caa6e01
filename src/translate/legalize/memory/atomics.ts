// Atomic read-modify-write operations. For words, WGSL has builtins, and compare-and-exchange loops
// can implement the other operations. Updates of several words use locks. If the old value is not
// used, such an update becomes separate updates of each word.
import { compileDiagnostics, refuse } from '../../diagnostics.ts';
import type { Builder } from '../../ir/builder.ts';
import { type AtomicOp, isMbarrierOp } from '../../ir/memory.ts';
import type { InstNamed, Value } from '../../ir/nodes.ts';
import { type Type, widthOf } from '../../ir/types.ts';
import { updateCell } from './cells.ts';
import type { WordPlaces } from './word-places.ts';

type Atomic = InstNamed<'atomic'>;

const wordTypes: Readonly<Partial<Record<Type, readonly AtomicOp[]>>> = {
  i32: ['add', 'min', 'max', 'and', 'or', 'xor', 'exch', 'cas', 'inc', 'dec'],
  f32: ['add'],
};
const halfTypes: Readonly<Partial<Record<Type, readonly AtomicOp[]>>> = {
  i16: ['cas'],
  f16: ['add', 'min', 'max'],
  bf16: ['add', 'min', 'max'],
};
const wideTypes: Readonly<Partial<Record<Type, readonly AtomicOp[]>>> = {
  i64: ['add', 'min', 'max', 'and', 'or', 'xor', 'exch', 'cas'],
  f64: ['add'],
};

/** Replaces an atomic by legal operations. Returns the values of its results. */
export function legalizeAtomic(inst: Atomic, builder: Builder, places: WordPlaces): readonly Value[] {
  const { place, op, type } = inst.attrs;
  const { span } = inst;
  if (place.root.kind === 'param') refuse(compileDiagnostics.notSupported('an atomic on parameter memory'), span);
  const operands = place.indexed ? inst.args.slice(1) : inst.args;
  if (isMbarrierOp(op)) return updateWord(inst, operands, builder, places);
  if (widthOf(type) > 32) {
    const { cells, isPrivate } = places.memoryOf(inst);
    if (cells || isPrivate) {
      if (!wideTypes[type]?.includes(op)) refuse(compileDiagnostics.notSupported(`an atomic ${op} of ${type}`), span);
      return updateCell(inst, op, builder, places);
    }
    const [operand] = operands;
    if (operand) updatePair(inst, op, operand, builder, places);
    return [];
  }
  if (widthOf(type) === 16) {
    if (!halfTypes[type]?.includes(op)) refuse(compileDiagnostics.notSupported(`an atomic ${op} of ${type}`), span);
    return updateHalf(inst, op, operands, builder, places);
  }
  if (!wordTypes[type]?.includes(op)) refuse(compileDiagnostics.notSupported(`an atomic ${op} of ${type}`), span);
  return updateWord(inst, operands, builder, places);
}

function updateWord(inst: Atomic, operands: readonly Value[], builder: Builder, places: WordPlaces): readonly Value[] {
  const { place: word, index } = places.word(inst, 0, 1);
  const options = inst.when ? { when: inst.when, otherwise: inst.otherwise } : {};
  return builder.emit('atomic', { ...inst.attrs, place: word }, index ? [index, ...operands] : operands, {
    ...options,
    hint: inst.results[0]?.hint,
  });
}

/** Updates half of a word, and preserves the other half. */
function updateHalf(
  inst: Atomic,
  op: AtomicOp,
  operands: readonly Value[],
  builder: Builder,
  places: WordPlaces,
): readonly Value[] {
  const { type, order, scope, result } = inst.attrs;
  const { word, shift } = places.part(inst, { mask: 0xffff });
  const wide = (value: Value) => builder.resize(builder.bitcast(value, 'i16'), 'i32');
  const attrs = { place: word.place, type, order, scope, op, result };
  const args = [...(word.index ? [word.index] : []), shift, ...operands.map(wide)];
  const options = inst.when ? { when: inst.when, otherwise: inst.otherwise.map(wide) } : {};
  const hint = inst.results[0]?.hint;
  return builder
    .emit('half', attrs, args, { ...options, hint })
    .map((old) => builder.bitcast(builder.resize(old, 'i16'), type));
}

/**
 * Updates each word separately, and propagates the carry. The final value in memory is exact once
 * all updates have completed.
 */
function updatePair(inst: Atomic, op: AtomicOp, operand: Value, builder: Builder, places: WordPlaces): void {
  const [low, high] = builder.split(operand);
  const first = places.word(inst, 0, 1);
  const second = places.word(inst, 1, 1);
  if (op !== 'add') {
    places.updateAt(inst, first, op, low);
    places.updateAt(inst, second, op, high);
    return;
  }
  const attrs = { ...inst.attrs, place: first.place, type: 'i32', result: true } as const;
  const args = first.index ? [first.index, low] : [low];
  const options = inst.when ? { when: inst.when, otherwise: [builder.i32(0)] } : {};
  const [before] = builder.emit('atomic', attrs, args, options);
  if (before === undefined) return;
  const carry = builder.resize(builder.icmp('ugt', before, builder.not(low)), 'i32');
  places.updateAt(inst, second, 'add', builder.iadd(high, carry));
}
