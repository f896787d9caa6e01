// Values of several words in one step. WGSL's atomics are of words, so lanes take a lock, change the words and give the lock back, all within one iteration
// of a loop: a lane never waits for another of its own subgroup that has a lock. WGSL orders accesses of one word only. So each step needs what the one
// before it gave: words are changed by operations that give their old value, what is stored to the lock is computed from those values, and the loop ends by
// what the lock held. ARCHITECTURE.md says what of this WGSL promises.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../../wgsl/tree/nodes.ts';
import type { CellOp } from '../../ir/memory.ts';
import type { Type } from '../../ir/types.ts';
import { lockWords } from '../../memory-plan.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Memory } from './memories.ts';

/** What is done, whatever the place. */
export interface Access {
  readonly op: CellOp;
  readonly type: Type;
  readonly signed: boolean;
}

/** A value, low word first. */
export const whole = w.vec2u;

/** The value that an update leaves. */
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

/** WGSL's own functions that do their part in each word; for sums, with the carry. */
const wordwise: Readonly<Partial<Record<CellOp, string>>> = {
  add: 'atomicAdd',
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
  exch: 'atomicExchange',
  store: 'atomicExchange',
};

/** Invocations that follow each other: as many as NVIDIA's subgroups have. */
const turns = 32;
/** How often all of them try at the same time before that. */
const tries = 4;

/** The statements of one access under the lock of its cell. A lock counts its holders: it is odd while it is held. */
export class LockedSteps {
  private readonly uses: ProgramUses;
  private readonly words: readonly Expr[];
  private readonly access: Access;
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
    swap: new Name('swap'),
    changed: new Name('changed'),
    seen: new Name('seen'),
    turn: new Name('turn'),
  };

  constructor(uses: ProgramUses, { space }: Memory, first: Expr, words: readonly Expr[], access: Access) {
    const { names } = this;
    this.uses = uses;
    this.words = words;
    this.access = access;
    this.first = first;
    this.tableWords = space === 'workgroup' ? lockWords.shared : lockWords.global;
    this.table =
      space === 'workgroup'
        ? uses.workgroupVariable('shared_locks', w.array(w.atomic(), lockWords.shared))
        : uses.use(uses.locks);
    this.lock = w.ref(names.lock, 'u32');
    this.old = w.ref(names.old, whole);
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
      w.when(isFree, op === 'load' ? this.look([w.leave]) : this.take(operands)),
    ];
    const backOff = w.assign(wait, w.helper('back_off', 'u32', wait));
    return [
      w.define(names.lock, this.lockOfCell()),
      w.variable(names.old, whole),
      w.variable(names.wait, 'u32', w.u32(0)),
      ...(op === 'load' ? [w.loop([...attempt, backOff])] : this.inTurn(attempt, backOff)),
      ...(op === 'store' ? [] : [w.give(old)]),
    ];
  }

  /**
   * All try a few times, as locks are rarely taken. Then the invocations of a subgroup take turns: all but one would take a lock in vain that all want, and
   * wait for the longest of their waits.
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

  /** No turn is left for those who are done. */
  private get done(): readonly Stmt[] {
    return [w.assign(this.turn, w.u32(tries + turns)), w.leave];
  }

  /** All that lies in 16 bytes has one lock; a product spreads neighbours over the table. */
  private lockOfCell(): Expr {
    const bits = Math.log2(this.tableWords - 1);
    return w.shr(w.mul(w.shr(this.first, w.u32(2)), w.u32(0x9e37_79b1)), w.u32(32 - bits));
  }

  private read(index: Expr): Expr {
    return w.builtin('atomicLoad', 'u32', w.addressOf(w.index(this.table, index)));
  }

  /**
   * Reads the words, and the lock again: nobody has had it meanwhile if it is the same. The second reading waits for the words, since its place is
   * computed from them: with a word that is 0, which compilers do not know.
   */
  private look(then: readonly Stmt[]): readonly Stmt[] {
    return [w.assign(this.old, this.load()), w.when(this.isUnchanged(), then)];
  }

  private isUnchanged(): Expr {
    const { old, lock, version } = this;
    const sum = w.xor(w.swizzle(old, 'x'), w.swizzle(old, 'y'));
    const zero = this.read(w.u32(this.tableWords - 1));
    return w.eq(this.read(w.add(lock, w.and(sum, zero))), version);
  }

  private load(): Expr {
    return w.construct(whole, ...this.words.map((word) => w.builtin('atomicLoad', 'u32', w.addressOf(word))));
  }

  private exchange(value: Expr): Expr {
    const parts = this.words.map((word, index) =>
      w.builtin('atomicExchange', 'u32', w.addressOf(word), w.component(value, index)),
    );
    return w.construct(whole, ...parts);
  }

  private take(operands: readonly Expr[]): readonly Stmt[] {
    const [operand, replacement] = operands;
    if (operand === undefined) throw new InternalError('a change without an operand');
    if (this.access.op === 'cas') return this.compareAndSwap(operand, replacement ?? operand);
    return this.underLock(this.change(operand));
  }

  /** The change, if the lock is free still. It gives a vector that is not known before it is done. */
  private underLock({ stmts, seen }: { readonly stmts: readonly Stmt[]; readonly seen: Expr }): readonly Stmt[] {
    const { names, version, lock } = this;
    const place = w.addressOf(w.index(this.table, lock));
    const mine = w.add(version, w.u32(1));
    const swap = w.builtin('atomicCompareExchangeWeak', 'u32', place, version, mine);
    const exchanged: Expr = { kind: 'member', type: 'bool', base: w.ref(names.swap, 'u32'), member: 'exchanged' };
    // Either is even, and more than it was: only whoever knows the old words knows which.
    const [first, second] = [w.swizzle(seen, 'x'), w.swizzle(seen, 'y')];
    const free = w.add(version, w.select(w.eq(first, second), w.u32(4), w.u32(2)));
    return [
      w.define(names.swap, swap),
      w.when(exchanged, [...stmts, w.when(w.eq(w.builtin('atomicExchange', 'u32', place, free), mine), this.done)]),
    ];
  }

  /**
   * Words that differ need no lock, if nobody has had it since before they were read. Words that are equal are exchanged as soon as the lock is taken: nobody
   * has had it then either. Should they have been read too early all the same, the exchange tells, and is taken back.
   */
  private compareAndSwap(operand: Expr, replacement: Expr): readonly Stmt[] {
    const { names, old } = this;
    const seen = w.ref(names.seen, whole);
    const differs = w.builtin('any', 'bool', w.ne(old, operand));
    const stmts = [
      w.assign(old, this.exchange(replacement)),
      w.variable(names.seen, whole, old),
      w.when(differs, [w.assign(seen, this.exchange(old))]),
    ];
    return [
      w.assign(old, this.load()),
      w.when(differs, [w.when(this.isUnchanged(), this.done)], this.underLock({ stmts, seen })),
    ];
  }

  private change(operand: Expr): { readonly stmts: readonly Stmt[]; readonly seen: Expr } {
    const { names, old, words } = this;
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
    const [changed, seen] = [w.ref(names.changed, whole), w.ref(names.seen, whole)];
    const stmts = [
      w.assign(old, this.load()),
      w.define(names.changed, newValue(this.access, old, operand, operand)),
      w.variable(names.seen, whole, old),
      w.when(w.builtin('any', 'bool', w.ne(changed, old)), [w.assign(seen, this.exchange(changed))]),
    ];
    return { stmts, seen };
  }
}
