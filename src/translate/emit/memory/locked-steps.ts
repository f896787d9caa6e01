// Indivisible accesses to values of several words, with locks. WGSL has atomics of one word only. So a
// lane acquires a lock, changes the words and releases the lock, all within one iteration of a
// loop. Then a lane never waits for a lane of its own subgroup that holds a lock.
//
// WGSL orders accesses to one word only, so each step depends on the result of the previous one.
// The operations that change the words return the old values. The value that is stored to the lock
// is computed from these, and the old value of the lock determines whether the loop ends.
// docs/design/atomics.md states which of these properties WGSL guarantees.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../../wgsl/tree/nodes.ts';
import type { CellOp } from '../../ir/memory.ts';
import { type Type, widthOf } from '../../ir/types.ts';
import { lockWords } from '../../memory-plan.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import { wordsFrom } from './cell-words.ts';
import type { Memory } from './memories.ts';

/** A kind of access, in any memory. */
export interface Access {
  readonly op: CellOp;
  readonly type: Type;
  readonly signed: boolean;
}

/** Returns the WGSL type of an access's value, low word first: a vector of two or four words. */
export const wholeOf = ({ type }: Pick<Access, 'type'>) => (widthOf(type) === 128 ? w.vec4u : w.vec2u);

/** Builds the new value of an update. */
export function newValue({ op, type, signed }: Access, old: Expr, operand: Expr, replacement: Expr): Expr {
  const helped = (name: 'add64' | 'f64_add' | 'min_u64' | 'max_u64' | 'min_s64' | 'max_s64') =>
    w.helper(name, old.type, old, operand);
  switch (op) {
    case 'add':
      return type === 'f64' ? helped('f64_add') : helped('add64');
    case 'min':
      return helped(signed ? 'min_s64' : 'min_u64');
    case 'max':
      return helped(signed ? 'max_s64' : 'max_u64');
    case 'and':
      return w.and(old, operand);
    case 'or':
      return w.or(old, operand);
    case 'xor':
      return w.xor(old, operand);
    case 'exch':
      return operand;
    case 'cas':
      return w.select(w.builtin('all', 'bool', w.eq(old, operand)), replacement, old);
    default:
      break;
  }
  throw new InternalError(`${op} of a cell of ${type} is not legal`);
}

/**
 * WGSL's atomics that update each word separately. For a sum, the carry is added to the high word.
 */
const wordwise: Readonly<Partial<Record<CellOp, string>>> = {
  add: 'atomicAdd',
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
  exch: 'atomicExchange',
  store: 'atomicExchange',
};

/** Combines the components of a vector from `first` to before `end`. */
function xorOf(vector: Expr, first: number, end: number): Expr {
  const own = w.component(vector, first);
  return first + 1 < end ? w.xor(own, xorOf(vector, first + 1, end)) : own;
}

/** The number of invocations that take turns: the largest subgroup of NVIDIA's GPUs. */
const turns = 32;
/** The number of attempts that all invocations make at once before they take turns. */
const tries = 4;

/**
 * The statements of one access under the lock of its cell. The lock is a version number, odd while
 * the lock is held.
 */
export class LockedSteps {
  private readonly uses: ProgramUses;
  private readonly memory: Memory;
  private readonly words: readonly Expr[];
  private readonly access: Access;
  private readonly whole: ReturnType<typeof wholeOf>;
  private readonly table: Expr;
  private readonly tableWords: number;
  private readonly first: Expr;
  private readonly lock: Expr;
  private readonly old: Expr;
  private readonly wait: Expr;
  private readonly version: Expr;
  private readonly turn: Expr;
  private readonly names = {
    lock: new Name('lock'),
    old: new Name('old'),
    wait: new Name('wait'),
    version: new Name('version'),
    turn: new Name('turn'),
  };

  constructor(uses: ProgramUses, memory: Memory, first: Expr, access: Access) {
    const { names } = this;
    const { space } = memory;
    this.uses = uses;
    this.memory = memory;
    this.access = access;
    this.words = this.wordsFrom(first);
    this.first = first;
    this.tableWords = space === 'workgroup' ? lockWords.shared : lockWords.global;
    this.table =
      space === 'workgroup'
        ? uses.workgroupVariable('shared_locks', w.array(w.atomic(), lockWords.shared))
        : uses.use(uses.locks);
    this.lock = w.ref(names.lock, 'u32');
    this.whole = wholeOf(access);
    this.old = w.ref(names.old, this.whole);
    this.wait = w.ref(names.wait, 'u32');
    this.version = w.ref(names.version, 'u32');
    this.turn = w.ref(names.turn, 'u32');
  }

  write(operands: readonly Expr[]): readonly Stmt[] {
    const { names, old, wait, version } = this;
    const { op } = this.access;
    const isFree = w.eq(w.and(version, w.u32(1)), w.u32(0));
    const attempt = [
      w.define(names.version, this.read(this.lock)),
      w.when(isFree, op === 'load' ? this.readConsistent([w.leave]) : this.update(operands)),
    ];
    const backOff = w.assign(wait, w.helper('back_off', 'u32', wait));
    return [
      w.define(names.lock, this.lockOfCell()),
      w.variable(names.old, this.whole),
      w.variable(names.wait, 'u32', w.u32(0)),
      ...(op === 'load' ? [w.loop([...attempt, backOff])] : this.inTurn(attempt, backOff)),
      ...(op === 'store' ? [] : [w.give(old)]),
    ];
  }

  /**
   * Builds the loop around the attempts to access a cell. All invocations first make a few attempts
   * at once, because locks are rarely contended. Then the invocations of a subgroup take turns.
   * Without turns, under contention, all but one would fail, and all would wait for the longest
   * back-off.
   */
  private inTurn(attempt: readonly Stmt[], backOff: Stmt): readonly Stmt[] {
    const own = this.uses.invocationValue('lock_turn', () => w.and(this.uses.builtin('thread'), w.u32(turns - 1)));
    const isForAll = w.lt(this.turn, w.u32(tries));
    const isOwn = w.eq(this.turn, w.add(own, w.u32(tries)));
    const inner = w.loop([...attempt, w.when(isForAll, [w.leave]), backOff]);
    return [
      w.variable(this.names.turn, 'u32', w.u32(0)),
      w.loop([
        w.when(w.ge(this.turn, w.u32(tries + turns)), [w.leave]),
        w.when(w.either(isForAll, isOwn), [inner]),
        w.assign(this.turn, w.add(this.turn, w.u32(1))),
      ]),
    ];
  }

  /** Ends the loop over turns. */
  private get done(): readonly Stmt[] {
    return [w.assign(this.turn, w.u32(tries + turns)), w.leave];
  }

  /**
   * Returns the index of a cell's lock. The words of 16 bytes share a lock. A multiplication
   * distributes adjacent locks over the table.
   */
  private lockOfCell(): Expr {
    const bits = Math.log2(this.tableWords - 1);
    return w.shr(w.mul(w.shr(this.first, w.u32(2)), w.u32(0x9e37_79b1)), w.u32(32 - bits));
  }

  private read(index: Expr): Expr {
    return w.builtin('atomicLoad', 'u32', w.addressOf(w.index(this.table, index)));
  }

  /**
   * Reads the words, then the lock again. If the lock's version is unchanged, no lane held the lock
   * in between, and `then` is executed. The second reading must follow the first, so its index is
   * computed from the words that were read, with a term that is 0 but that compilers cannot know.
   */
  private readConsistent(then: readonly Stmt[]): readonly Stmt[] {
    const { old, memory } = this;
    const read = w.assign(old, this.load(this.words));
    if (!memory.rereads) return [read, w.when(this.isUnchanged(old), then)];
    // Stores of single words need no lock. If a second load returns the same words, all of them were
    // in memory at one time.
    const [from, locate] = w.local('from', w.add(this.first, this.zeroAfter(old)));
    const [again, reread] = w.local('again', this.load(this.wordsFrom(from)));
    const isSame = w.builtin('all', 'bool', w.eq(again, old));
    return [read, locate, reread, w.when(isSame, [w.when(this.isUnchanged(again), then)])];
  }

  /** Whether no lane has held the lock since the version was read. `seen`: the words read since. */
  private isUnchanged(seen: Expr): Expr {
    return w.eq(this.read(w.add(this.lock, this.zeroAfter(seen))), this.version);
  }

  /** Returns the number 0, which depends on words. */
  private zeroAfter(seen: Expr): Expr {
    return w.and(xorOf(seen, 0, this.words.length), this.read(w.u32(this.tableWords - 1)));
  }

  private wordsFrom(first: Expr): readonly Expr[] {
    return wordsFrom(this.memory, first, widthOf(this.access.type) / 32);
  }

  private load(words: readonly Expr[]): Expr {
    return w.construct(this.whole, ...words.map((word) => w.builtin('atomicLoad', 'u32', w.addressOf(word))));
  }

  private exchange(value: Expr): Expr {
    const parts = this.words.map((word, index) =>
      w.builtin('atomicExchange', 'u32', w.addressOf(word), w.component(value, index)),
    );
    return w.construct(this.whole, ...parts);
  }

  private update(operands: readonly Expr[]): readonly Stmt[] {
    const [operand, replacement] = operands;
    if (operand === undefined) throw new InternalError('a change without an operand');
    if (this.access.op === 'cas') return this.compareAndSwap(operand, replacement ?? operand);
    return this.underLock(this.change(operand));
  }

  /**
   * Performs the change if the lock is still free. `seen`: the old words, which the change itself
   * returns.
   */
  private underLock({ stmts, seen }: { readonly stmts: readonly Stmt[]; readonly seen: Expr }): readonly Stmt[] {
    const { version, lock } = this;
    const place = w.addressOf(w.index(this.table, lock));
    const mine = w.add(version, w.u32(1));
    const [swap, attempt] = w.local('swap', w.builtin('atomicCompareExchangeWeak', 'u32', place, version, mine));
    const exchanged: Expr = { kind: 'member', type: 'bool', base: swap, member: 'exchanged' };
    // The lock's next version is one of two numbers, both even and greater than the current
    // version. The choice depends on the old words.
    const halves = this.words.length / 2;
    const [first, second] = [xorOf(seen, 0, halves), xorOf(seen, halves, this.words.length)];
    const free = w.add(version, w.select(w.eq(first, second), w.u32(4), w.u32(2)));
    return [
      attempt,
      w.when(exchanged, [...stmts, w.when(w.eq(w.builtin('atomicExchange', 'u32', place, free), mine), this.done)]),
    ];
  }

  /**
   * Builds a compare-and-swap. If the words differ from the operand, no lock is needed, provided
   * that no lane has held the lock since before the words were read. If they are equal, the lane
   * acquires the lock and exchanges the words, because no lane has held the lock in between. If the
   * words were read too early nevertheless, the exchange reveals this and is reverted.
   */
  private compareAndSwap(operand: Expr, replacement: Expr): readonly Stmt[] {
    const { old } = this;
    const [seen, declareSeen] = w.localVariable('seen', this.whole, old);
    const differs = w.builtin('any', 'bool', w.ne(old, operand));
    const stmts = [
      w.assign(old, this.exchange(replacement)),
      declareSeen,
      w.when(differs, [w.assign(seen, this.exchange(old))]),
    ];
    return [
      w.assign(old, this.load(this.words)),
      w.when(differs, [w.when(this.isUnchanged(old), this.done)], this.underLock({ stmts, seen })),
    ];
  }

  private change(operand: Expr): { readonly stmts: readonly Stmt[]; readonly seen: Expr } {
    const { old, words } = this;
    const fn = this.access.type === 'f64' && this.access.op === 'add' ? undefined : wordwise[this.access.op];
    if (fn !== undefined) {
      const stmts = words.map((word, index) => {
        const own = w.component(operand, index);
        const carry = w.construct('u32', w.gt(w.swizzle(old, 'x'), w.complement(w.swizzle(operand, 'x'))));
        const value = this.access.op === 'add' && index > 0 ? w.add(own, carry) : own;
        return w.assign(w.component(old, index), w.builtin(fn, 'u32', w.addressOf(word), value));
      });
      return { stmts, seen: old };
    }
    const [changed, change] = w.local('changed', newValue(this.access, old, operand, operand));
    const [seen, declareSeen] = w.localVariable('seen', this.whole, old);
    const stmts = [
      w.assign(old, this.load(words)),
      change,
      declareSeen,
      w.when(w.builtin('any', 'bool', w.ne(changed, old)), [w.assign(seen, this.exchange(changed))]),
    ];
    return { stmts, seen };
  }
}
