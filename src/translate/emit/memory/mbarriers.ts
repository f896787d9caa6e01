// Mbarriers: two words in shared memory that all threads of the block update.
//
// The first word holds, from the top: the parity of the phase (1 bit), the high 9 bits of the
// expected arrivals per phase, and the pending arrivals of this phase (22 bits). The pending
// arrivals are biased by 2^21, so that early arrivals for the next phase do not borrow from the
// bits above. The second word holds the low 11 bits of the expected arrivals, and the pending bytes
// of this phase (21 bits, biased by 2^20).
//
// While bytes are pending, the phase expects one more arrival. So a phase is complete when no
// arrival is pending. The atomic that removes the last one detects this, and its lane starts the
// next phase.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr, Name, Stmt } from '../../../wgsl/tree/nodes.ts';
import type { MbarrierOp } from '../../ir/memory.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import { mbarrierWords as words } from '../../mbarrier-words.ts';
import type { Emitter } from '../values/emitter.ts';
import { elementOf, type Memory, memoryOf, nameOfMemory } from './memories.ts';
import { wordIndex } from './memory.ts';

type Update = InstNamed<'atomic'>;

export function writeMbarrier(emitter: Emitter, inst: Update, op: MbarrierOp): void {
  const { place } = inst.attrs;
  const [operand] = inst.args.slice(place.indexed ? 1 : 0);
  if (operand === undefined) throw new InternalError('an mbarrier operation without an operand');
  const fn = functionOf(emitter, inst, op);
  const call = w.call(fn, 'u32', wordIndex(emitter, inst, 0), emitter.read(operand));
  const [result] = inst.results;
  if (result && op === 'arrive') emitter.define(result, emitter.name('before', call));
  else emitter.writer.push({ kind: 'do', call });
}

const titles: Readonly<Record<MbarrierOp, string>> = {
  arrive: 'arrive',
  drop: 'expect_fewer',
  transfer: 'expect_bytes',
};

function functionOf({ uses, slot }: Emitter, { attrs }: Update, op: MbarrierOp): Name {
  const { root } = attrs.place;
  const title = `${titles[op]}_${nameOfMemory(uses, root)}`;
  // An arrival always returns a word. If nothing reads it, a call statement discards it.
  const result = op === 'arrive' ? 'u32' : undefined;
  const head = {
    params: [
      ['word', 'u32'],
      ['operand', 'u32'],
    ],
    result,
    comment: 'An mbarrier in two words.',
  } as const;
  return uses.func(`mbarrier ${title} ${JSON.stringify(root)}`, title, head, (word, operand) =>
    new MbarrierSteps(memoryOf({ uses, slot }, root), word)[op](operand),
  );
}

const bits = (value: Expr, mask: number): Expr => w.and(value, w.u32(mask));
const one = (condition: Expr): Expr => w.select(condition, w.u32(1), w.u32(0));

/** The statements of each operation on the mbarrier at a word. */
class MbarrierSteps {
  private readonly first: Expr;
  private readonly second: Expr;

  constructor(memory: Memory, word: Expr) {
    this.first = w.addressOf(elementOf(memory, word));
    this.second = w.addressOf(elementOf(memory, w.add(word, w.u32(1))));
  }

  arrive(count: Expr): readonly Stmt[] {
    const [old, before] = w.local('before', w.builtin('atomicSub', 'u32', this.first, count));
    return [before, ...this.settle(w.sub(old, count)), w.give(old)];
  }

  /**
   * Starts the next phase if no arrival is pending, and the phase after it if all its arrivals were
   * early.
   */
  private settle(left: Expr): readonly Stmt[] {
    const [state, now] = w.localVariable('now', 'u32', left);
    const high = w.shl(bits(w.shr(state, w.u32(words.highShift)), words.highMask), w.u32(words.lowBits));
    const expected = w.or(high, w.shr(w.builtin('atomicLoad', 'u32', this.second), w.u32(words.lowShift)));
    const [next, step] = w.local('step', w.add(w.u32(words.parity), expected));
    return [
      now,
      w.loop([
        w.when(w.ne(bits(state, words.pendingMask), w.u32(words.noArrivals)), [w.leave]),
        step,
        w.assign(state, w.add(w.builtin('atomicAdd', 'u32', this.first, next), next)),
        // After all threads have dropped, no arrival can complete the next phase.
        w.when(w.eq(next, w.u32(words.parity)), [w.leave]),
      ]),
    ];
  }

  /**
   * Builds a drop: decreases the expected arrivals of the next phases. The dropping thread arrives
   * only after this, so the phase cannot complete in between.
   */
  drop(count: Expr): readonly Stmt[] {
    const [low, defineLow] = w.local('low', bits(count, words.lowMask));
    const taken = w.shl(low, w.u32(words.lowShift));
    const [before, takeLow] = w.local('before', w.builtin('atomicSub', 'u32', this.second, taken));
    const borrow = one(w.lt(w.shr(before, w.u32(words.lowShift)), low));
    const [high, defineHigh] = w.local('high', w.add(w.shr(count, w.u32(words.lowBits)), borrow));
    const takeHigh = w.builtin('atomicSub', 'u32', this.first, w.shl(high, w.u32(words.highShift)));
    return [defineLow, takeLow, defineHigh, w.perform(takeHigh)];
  }

  /**
   * Changes the pending bytes. Adds an expected arrival during the change, so that the phase cannot
   * complete. Afterwards the arrival remains only if bytes are pending.
   */
  transfer(count: Expr): readonly Stmt[] {
    const isAny = (value: Expr) => one(w.ne(bits(value, words.bytesMask), w.u32(words.noBytes)));
    const [old, before] = w.local('before', w.builtin('atomicAdd', 'u32', this.second, count));
    const [release, taken] = w.local('taken', w.sub(w.add(w.u32(1), isAny(old)), isAny(w.add(old, count))));
    const [state, held] = w.local('held', w.builtin('atomicSub', 'u32', this.first, release));
    return [
      w.perform(w.builtin('atomicAdd', 'u32', this.first, w.u32(1))),
      before,
      taken,
      held,
      ...this.settle(w.sub(state, release)),
    ];
  }
}
