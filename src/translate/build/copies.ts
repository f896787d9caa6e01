// Asynchronous copies. They complete immediately, which is one of the orders that PTX allows, so
// waits have nothing to do. A later pass may delay their stores (`passes/overlap-copies.ts`).
import { get } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { AsyncUpdateRowName, CopyRowName, TensorRowName } from '../../isa/index.ts';
import type { AddressOperand, Instruction, Operand } from '../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import type { Builder } from '../ir/builder.ts';
import { constant, constantOf, type Value } from '../ir/nodes.ts';
import { type CopyDelay, copyDelays } from './copy-delays.ts';
import type { FunctionBody } from './function-body.ts';
import { locate } from './locate.ts';
import type { Registers } from './registers.ts';
import type { EffectRow } from './row-slots.ts';

const wordBytes = 4;
const weak = { type: 'i32', order: 'weak', scope: undefined } as const;

function addressOf({ operands, span }: Instruction, name: string): AddressOperand {
  const operand = operands[name];
  return operand?.kind === 'address'
    ? operand
    : refuse(compileDiagnostics.notSupported('a copy without an address'), span);
}

function bytesOf({ operands, span }: Instruction): number {
  const { n } = operands;
  return n?.kind === 'immediate'
    ? Number(n.bits)
    : refuse(compileDiagnostics.notSupported('a copy without a size'), span);
}

const delaysOfBodies = new WeakMap<FunctionBody, ReadonlyMap<Instruction, CopyDelay>>();
const delaysIn = (body: FunctionBody) => getOrInsert(delaysOfBodies, body, () => copyDelays(body.blocks));

const copy: EffectRow = () => (registers, instruction) => {
  const count = bytesOf(instruction) / wordBytes;
  const from = locate(registers, addressOf(instruction, 'a'), 'global');
  const words = registers.b.emit('load', { ...weak, place: from.place, count }, from.index);
  const { size } = instruction.operands;
  const kept = size === undefined ? words : cut(registers, words, size);
  const to = locate(registers, addressOf(instruction, 'to'), 'shared');
  const { delay, around } = get(delaysIn(registers.frame.body), instruction, 'the delay of a copy');
  const delays = { delay: delay || undefined, around: around || undefined };
  registers.b.emit('store', { ...weak, place: to.place, count, ...delays }, [...to.index, ...kept]);
};

/**
 * Replaces the bytes of `words` after the first `size` bytes by zeros. If `size` is a predicate, it
 * selects all bytes or none.
 */
function cut(registers: Registers, words: readonly Value[], size: Operand): readonly Value[] {
  const { b } = registers;
  const zero = b.i32(0);
  if (size.kind === 'register' && size.register.type === 'pred') {
    const ignores = registers.read(size, 'i1');
    return words.map((word) => b.select(ignores, zero, word));
  }
  const bytes = registers.read(size, 'i32');
  const whole = wholeWhere(b, bytes, words.length * wordBytes);
  if (whole !== undefined) return words.map((word) => b.select(whole, word, zero));
  // The mask keeps the bytes of the source in the word in which the source ends.
  const bits = b.shlw(b.and(bytes, b.i32(wordBytes - 1)), b.i32(3));
  const mask = b.isub(b.shlw(b.i32(1), bits), b.i32(1));
  return words.map((word, index) => {
    const isWhole = b.icmp('uge', bytes, b.i32((index + 1) * wordBytes));
    const isNone = b.icmp('ule', bytes, b.i32(index * wordBytes));
    return b.select(isWhole, word, b.select(isNone, zero, b.and(word, mask)));
  });
}

/**
 * Returns the condition under which a size is `all`, if conditions select the size between 0 and
 * `all`. Compilers emit such sizes for copies at edges.
 */
function wholeWhere(b: Builder, bytes: Value, all: number): Value | undefined {
  const bits = constantOf(bytes);
  if (bits === 0n || bits === BigInt(all)) return constant('i1', bits === 0n ? 0 : 1);
  const [condition, then, otherwise] = bytes.kind === 'result' && bytes.inst.op === 'select' ? bytes.inst.args : [];
  if (condition === undefined || then === undefined || otherwise === undefined) return undefined;
  const [first, second] = [wholeWhere(b, then, all), wholeWhere(b, otherwise, all)];
  if (first === undefined || second === undefined) return undefined;
  if (constantOf(second) === 0n) return b.and(condition, first);
  return constantOf(first) === 0n ? b.and(b.not(condition), second) : b.select(condition, first, second);
}

/**
 * The builder of instructions that wait for copies. They do nothing, because the copies have
 * already completed.
 */
const nothing: EffectRow = () => () => {};

export const copyBuilds: Readonly<Record<CopyRowName | AsyncUpdateRowName | TensorRowName, EffectRow>> = {
  'cp.async': copy,
  'cp.async.policy': copy,
  'cp.async.commit_group': nothing,
  'cp.async.wait_group': nothing,
  'cp.async.wait_all': nothing,
  // The expansion of bulk copies has already replaced these instructions by loops.
  'cp.async.bulk.load': nothing,
  'cp.async.bulk.move': nothing,
  'cp.async.bulk.store': nothing,
  'cp.reduce.async.bulk.move': nothing,
  'cp.reduce.async.bulk.store': nothing,
  'st.async': nothing,
  'red.async': nothing,
  'cp.async.bulk.prefetch': nothing,
  'cp.async.bulk.commit_group': nothing,
  'cp.async.bulk.wait_group': nothing,
  // Copies to single blocks, and calls, have already replaced these instructions.
  'cp.async.bulk.multicast': nothing,
  'cp.async.bulk.tensor.load': nothing,
  'cp.async.bulk.tensor.load.im2col': nothing,
  'cp.async.bulk.tensor.multicast': nothing,
  'cp.async.bulk.tensor.multicast.im2col': nothing,
  'cp.async.bulk.tensor.store': nothing,
  'cp.async.bulk.tensor.store.im2col': nothing,
  'cp.reduce.async.bulk.tensor': nothing,
  'cp.reduce.async.bulk.tensor.im2col': nothing,
  'cp.async.bulk.prefetch.tensor': nothing,
  'cp.async.bulk.prefetch.tensor.im2col': nothing,
  'tensormap.replace': nothing,
  'tensormap.replace.dimension': nothing,
  'tensormap.replace.mode': nothing,
  'tensormap.cp_fenceproxy': nothing,
};
