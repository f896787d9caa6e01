// Mbarriers: initialization, arrivals, transferred bytes, and tests of a phase. A copy completes
// before later instructions, so arrivals after copies never wait.
import { missing } from '../../base/invariants.ts';
import type { MbarrierRowName, Mods } from '../../isa/index.ts';
import type { Instruction } from '../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import type { MbarrierOp } from '../ir/memory.ts';
import type { Value } from '../ir/nodes.ts';
import { mbarrierWords as words } from '../mbarrier-words.ts';
import { type Location, locate } from './locate.ts';
import type { Registers } from './registers.ts';
import type { EffectRow } from './row-slots.ts';

/**
 * The attributes of accesses to an mbarrier. Each update of a word is atomic, and visible to
 * the whole block.
 */
const step = { type: 'i32', order: 'relaxed', scope: 'cta' } as const;

/** Returns the place of the mbarrier object. Generic addresses must refer to shared memory. */
function objectOf(registers: Registers, { operands, span }: Instruction, { space }: Mods): Location {
  const { a } = operands;
  if (a?.kind !== 'address') return refuse(compileDiagnostics.notSupported('an mbarrier without an address'), span);
  const { place, index } = locate(registers, a, 'shared');
  const isGeneric = space === undefined && a.base !== null && !('space' in a.base);
  if (!isGeneric) return { place, index };
  const direction = { space: 'shared', direction: 'from-generic' } as const;
  return { place, index: index.map((address) => registers.b.value('cvta', direction, [address])) };
}

function update(registers: Registers, { place, index }: Location, op: MbarrierOp, operand: Value): Value | undefined {
  const attrs = { ...step, place, op, signed: false, noftz: false, result: op === 'arrive' };
  return registers.b.emit('atomic', attrs, [...index, operand])[0];
}

const second = ({ place, index }: Location): Location => ({ place: { ...place, offset: place.offset + 4 }, index });

function look(registers: Registers, { place, index }: Location): Value {
  const [value] = registers.b.emit('load', { ...step, place, count: 1, mbarrier: true }, index);
  return value ?? missing('the result of a load');
}

const wordOf = (registers: Registers, { operands }: Instruction, name: string): Value | undefined => {
  const operand = operands[name];
  return operand && registers.read(operand, 'i32');
};

const init: EffectRow = (mods) => (registers, instruction) => {
  const { b } = registers;
  const { place, index } = objectOf(registers, instruction, mods);
  const count = wordOf(registers, instruction, 'n') ?? missing('the count of an mbarrier');
  const high = b.shlw(b.lshrw(count, b.i32(words.lowBits)), b.i32(words.highShift));
  const low = b.shlw(b.and(count, b.i32(words.lowMask)), b.i32(words.lowShift));
  const first = b.iadd(b.iadd(high, count), b.i32(words.noArrivals));
  b.emit('store', { ...step, place, count: 2, mbarrier: true }, [...index, first, b.or(low, b.i32(words.noBytes))]);
};

const arrive =
  (drops: boolean): EffectRow =>
  (mods) =>
  (registers, instruction) => {
    const { b } = registers;
    const object = objectOf(registers, instruction, mods);
    // Absent: without a count, one thread arrives.
    const count = wordOf(registers, instruction, 'n') ?? b.i32(1);
    const bytes = wordOf(registers, instruction, 'tx');
    if (bytes) update(registers, object, 'transfer', bytes);
    if (drops) update(registers, object, 'drop', count);
    const { d } = instruction.operands;
    const after = d?.kind === 'register' ? look(registers, second(object)) : undefined;
    const before = update(registers, object, 'arrive', count);
    if (before && after) registers.write(d, b.join(before, after), false);
  };

const transfer =
  (sign: 1 | -1): EffectRow =>
  (mods) =>
  (registers, instruction) => {
    const { b } = registers;
    const object = objectOf(registers, instruction, mods);
    const bytes = wordOf(registers, instruction, 'tx') ?? missing('the bytes of a transfer');
    update(registers, object, 'transfer', sign === 1 ? bytes : b.isub(b.i32(0), bytes));
  };

/**
 * Builds a test of an mbarrier's phase. It reads the object before the yield. So writes that
 * precede the observed arrivals are visible after the yield, in all of WGSL's memory.
 */
const test: EffectRow = (mods) => (registers, instruction) => {
  const { b } = registers;
  const seen = look(registers, objectOf(registers, instruction, mods));
  b.emit('barrier', { kind: 'yield', counted: false }, []);
  const { d, state, parity } = instruction.operands;
  const now = b.lshrw(seen, b.i32(words.parityShift));
  const asked = state
    ? b.lshrw(b.resize(registers.read(state, 'i64'), 'i32'), b.i32(words.parityShift))
    : b.and(parity ? registers.read(parity, 'i32') : b.i32(0), b.i32(1));
  registers.write(d, b.icmp('ne', now, asked), false);
};

const pendingCount: EffectRow =
  () =>
  (registers, { operands }) => {
    const { b } = registers;
    const { d, state } = operands;
    if (state === undefined) return;
    const [before, after] = b.split(registers.read(state, 'i64'));
    const pending = b.isub(b.and(before, b.i32(words.pendingMask)), b.i32(words.noArrivals));
    const expectsBytes = b.icmp('ne', b.and(after, b.i32(words.bytesMask)), b.i32(words.noBytes));
    registers.write(d, b.isub(pending, b.resize(expectsBytes, 'i32')), false);
  };

const nothing: EffectRow = () => () => {};

const behindCopies: EffectRow = (mods) => (registers, instruction) => {
  // Without `.noinc`, the instruction first adds a pending arrival and then arrives, so it changes
  // nothing.
  if (mods.noinc === undefined) return;
  update(registers, objectOf(registers, instruction, mods), 'arrive', registers.b.i32(1));
};

export const mbarrierBuilds: Readonly<Record<MbarrierRowName, EffectRow>> = {
  'mbarrier.init': init,
  'mbarrier.inval': nothing,
  'mbarrier.arrive': arrive(false),
  'mbarrier.arrive.noComplete': arrive(false),
  'mbarrier.arrive.expect_tx': arrive(false),
  'mbarrier.arrive_drop': arrive(true),
  'mbarrier.arrive_drop.noComplete': arrive(true),
  'mbarrier.arrive_drop.expect_tx': arrive(true),
  'mbarrier.expect_tx': transfer(1),
  'mbarrier.complete_tx': transfer(-1),
  'mbarrier.test_wait': test,
  'mbarrier.test_wait.parity': test,
  'mbarrier.try_wait': test,
  'mbarrier.try_wait.parity': test,
  'mbarrier.pending_count': pendingCount,
  'cp.async.mbarrier.arrive': behindCopies,
};
