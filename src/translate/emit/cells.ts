// Values of several words in one step. WGSL's atomics are of words, so lanes take a lock, change the words and give the lock back, all within one iteration
// of a loop: a lane never waits for another of its own subgroup that has a lock. WGSL orders accesses of one word only. So each step needs what the one
// before it gave: words are changed by operations that give their old value, what is stored to the lock is computed from those values, and the loop ends by
// what the lock held. ARCHITECTURE.md says what of this WGSL promises.
import * as w from '../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../wgsl/tree/nodes.ts';
import type { CellOp } from '../ir/memory.ts';
import { cellValues } from '../ir/memory.ts';
import type { InstNamed } from '../ir/nodes.ts';
import type { Type } from '../ir/types.ts';
import { lockWords } from '../memory-plan.ts';
import { loadAtomic, storeAtomic } from './block-exchange.ts';
import type { Emitter } from './emitter.ts';
import { byWindow } from './generic.ts';
import { elementOf, type LaneOfProgram, type Memory, memoryOf, nameOfMemory } from './memories.ts';
import { wordIndex } from './memory.ts';
import type { ProgramUses } from './program-uses.ts';

type Cell = InstNamed<'cell'>;

/// What is done, whatever the place.
interface Access {
  readonly op: CellOp;
  readonly type: Type;
  readonly signed: boolean;
}

const letters = ['x', 'y'] as const;
/// A value, low word first.
const whole = w.vec2u;

export function writeCell(emitter: Emitter, inst: Cell): void {
  const { place, op, type, signed } = inst.attrs;
  const { uses, writer } = emitter;
  const operands = inst.args.slice(place.indexed ? 1 : 0).map((arg) => w.bitcast('u32', emitter.read(arg)));
  const values = Array.from({ length: cellValues(op) }, (_, value) =>
    w.construct(whole, ...operands.slice(value * 2, (value + 1) * 2)),
  );
  const isGeneric = place.root.kind === 'generic';
  const [address] = inst.args;
  const at = isGeneric && address ? w.shr(emitter.read(address), w.u32(2)) : wordIndex(emitter, inst, 0);
  const lane = isGeneric || isPrivate(emitter, inst) ? [emitter.slots > 1 ? emitter.slot : w.u32(0)] : [];
  const fn = functionOf(uses, inst, { op, type, signed });
  const call = w.call(fn, op === 'store' ? 'u32' : whole, at, ...values, ...lane);
  if (inst.results.length === 0) {
    writer.push({ kind: 'do', call });
    return;
  }
  const old = emitter.name(op === 'load' ? 'loaded' : 'old', call);
  inst.results.forEach((result, index) => {
    emitter.define(result, w.swizzle(old, letters[index] ?? 'x'));
  });
}

const isPrivate = ({ uses }: Emitter, { attrs: { place } }: Cell): boolean =>
  place.root.kind === 'array' && uses.options.memory.arrays[place.root.array]?.space === 'local';

/// What the function is called: `add_u64`, `load_b64`.
function titleOf({ op, type, signed }: Access): string {
  const letter = type === 'f64' ? 'f' : op === 'min' || op === 'max' ? (signed ? 's' : 'u') : op === 'add' ? 'u' : 'b';
  return `${op}_${letter}64`;
}

/// The function that does it in a memory: of the cell's first word, the operands, and the lane's slot where that matters.
function functionOf(uses: ProgramUses, inst: Cell, access: Access): Name {
  const { root } = inst.attrs.place;
  const title = `${titleOf(access)}_${nameOfMemory(uses, root)}`;
  return uses.once(`cell ${title} ${JSON.stringify(root)}`, () => {
    const [index, slot] = [new Name('word'), new Name('s')];
    const values = ['operand', 'replacement'].slice(0, cellValues(access.op)).map((hint) => new Name(hint));
    const operands = values.map((name) => w.ref(name, whole));
    const lane: LaneOfProgram = { uses, slots: uses.slots, slot: w.ref(slot, 'u32') };
    const word = w.ref(index, 'u32');
    const at = (memory: Memory, first: Expr) => stepsIn(uses, memory, first, access, operands);
    const body =
      root.kind === 'generic' ? byWindow(lane, word, access.op !== 'store', at) : at(memoryOf(lane, root), word);
    const takesSlot = root.kind === 'generic' || memoryOf(lane, root).space === 'private';
    const name = new Name(title);
    uses.declarations.push({
      kind: 'function',
      name,
      params: [
        { name: index, type: 'u32' },
        ...values.map((value) => ({ name: value, type: whole })),
        ...(takesSlot ? [{ name: slot, type: 'u32' as const }] : []),
      ],
      result: access.op === 'store' ? undefined : whole,
      body,
      comment: '64 bits in one step, by the lock of the words they lie in.',
    });
    return name;
  });
}

function stepsIn(
  uses: ProgramUses,
  memory: Memory,
  word: Expr,
  access: Access,
  operands: readonly Expr[],
): readonly Stmt[] {
  const words = [elementOf(memory, word), elementOf(memory, w.add(word, w.u32(1)))];
  if (memory.cells) return new LockedSteps(uses, memory, word, words, access).write(operands);
  return plainSteps(uses, memory, words, access, operands);
}

/// Memory of a lane's own, or whose values of several words nobody changes while others look.
function plainSteps(
  uses: ProgramUses,
  memory: Memory,
  words: readonly Expr[],
  access: Access,
  operands: readonly Expr[],
): readonly Stmt[] {
  const { op } = access;
  const { atomic } = memory;
  const load = (word: Expr) => (atomic ? loadAtomic(uses, memory, word) : word);
  const put = (value: Expr) =>
    words.map((word, index) => {
      const part = w.swizzle(value, letters[index] ?? 'x');
      return atomic ? storeAtomic(uses, memory, word, part) : w.assign(word, part);
    });
  const [operand, replacement] = operands;
  if (op === 'store') return operand ? put(operand) : [];
  const name = new Name('old');
  const old = w.ref(name, whole);
  const before = w.define(name, w.construct(whole, ...words.map(load)));
  if (op === 'load' || operand === undefined) return [before, w.give(old)];
  const changed = new Name('changed');
  return [
    before,
    w.define(changed, newValue(access, old, operand, replacement ?? operand)),
    ...put(w.ref(changed, whole)),
    w.give(old),
  ];
}

/// The value that an update leaves.
function newValue({ op, type, signed }: Access, old: Expr, operand: Expr, replacement: Expr): Expr {
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
  throw new Error(`${op} of a cell of ${type} is not legal`);
}

/// WGSL's own functions that do their part in each word; for sums, with the carry.
const wordwise: Readonly<Partial<Record<CellOp, string>>> = {
  add: 'atomicAdd',
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
  exch: 'atomicExchange',
  store: 'atomicExchange',
};

/// Invocations that follow each other: as many as NVIDIA's subgroups have.
const turns = 32;

/// The statements of one access under the lock of its cell. A lock counts its holders: it is odd while it is held.
class LockedSteps {
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
  private readonly names = {
    lock: new Name('lock'),
    old: new Name('old'),
    wait: new Name('wait'),
    version: new Name('version'),
    swap: new Name('swap'),
    changed: new Name('changed'),
    seen: new Name('seen'),
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
  }

  write(operands: readonly Expr[]): readonly Stmt[] {
    const { names, old, wait, version } = this;
    const { op } = this.access;
    const isFree = w.eq(w.and(version, w.u32(1)), w.u32(0));
    const attempt = op === 'load' ? this.look(w.leave) : this.take(operands);
    const body = [
      w.define(names.version, this.read(this.lock)),
      w.when(isFree, attempt),
      w.assign(wait, w.helper('back_off', 'u32', wait)),
    ];
    return [
      w.define(names.lock, this.lockOfCell()),
      w.variable(names.old, whole),
      w.variable(names.wait, 'u32', w.u32(0)),
      op === 'load' ? w.loop(body) : this.inTurn(w.loop(body)),
      ...(op === 'store' ? [] : [w.give(old)]),
    ];
  }

  /// Invocations of a subgroup would all but one take the lock in vain, and wait for the longest waits among them: they take turns.
  private inTurn(stmt: Stmt): Stmt {
    const own = this.uses.invocationValue('lock_turn', () => w.and(this.uses.builtin('thread'), w.u32(turns - 1)));
    const turn = new Name('turn');
    return { kind: 'repeat', name: turn, count: turns, body: [w.when(w.eq(w.ref(turn, 'u32'), own), [stmt])] };
  }

  /// All that lies in 16 bytes has one lock; a product spreads neighbours over the table.
  private lockOfCell(): Expr {
    const bits = Math.log2(this.tableWords - 1);
    return w.shr(w.mul(w.shr(this.first, w.u32(2)), w.u32(0x9e37_79b1)), w.u32(32 - bits));
  }

  private read(index: Expr): Expr {
    return w.builtin('atomicLoad', 'u32', w.addressOf(w.index(this.table, index)));
  }

  /// Reads the words, and the lock again: nobody has had it meanwhile if it is the same. The second reading waits for the words, since its place is
  /// computed from them: with a word that is 0, which compilers do not know.
  private look(then: Stmt): readonly Stmt[] {
    const { old, lock, version } = this;
    const sum = w.xor(w.swizzle(old, 'x'), w.swizzle(old, 'y'));
    const zero = this.read(w.u32(this.tableWords - 1));
    return [w.assign(old, this.load()), w.when(w.eq(this.read(w.add(lock, w.and(sum, zero))), version), [then])];
  }

  private load(): Expr {
    return w.construct(whole, ...this.words.map((word) => w.builtin('atomicLoad', 'u32', w.addressOf(word))));
  }

  private take(operands: readonly Expr[]): readonly Stmt[] {
    const { names, version, lock } = this;
    const place = w.addressOf(w.index(this.table, lock));
    const mine = w.add(version, w.u32(1));
    const swap = w.builtin('atomicCompareExchangeWeak', 'u32', place, version, mine);
    const exchanged: Expr = { kind: 'member', type: 'bool', base: w.ref(names.swap, 'u32'), member: 'exchanged' };
    const { stmts, seen } = this.change(operands);
    // Either is even, and more than it was: only whoever knows the old words knows which.
    const [first, second] = [w.swizzle(seen, 'x'), w.swizzle(seen, 'y')];
    const free = w.add(version, w.select(w.eq(first, second), w.u32(4), w.u32(2)));
    return [
      ...(this.access.op === 'cas'
        ? this.look(w.when(w.builtin('any', 'bool', w.ne(this.old, operands[0] ?? this.old)), [w.leave]))
        : []),
      w.define(names.swap, swap),
      w.when(exchanged, [...stmts, w.when(w.eq(w.builtin('atomicExchange', 'u32', place, free), mine), [w.leave])]),
    ];
  }

  /// The change, and a vector that is not known before it is done.
  private change(operands: readonly Expr[]): { readonly stmts: readonly Stmt[]; readonly seen: Expr } {
    const { names, old, words } = this;
    const [operand, replacement] = operands;
    if (operand === undefined) throw new Error('a change without an operand');
    const fn = this.access.type === 'f64' && this.access.op === 'add' ? undefined : wordwise[this.access.op];
    if (fn !== undefined) {
      const stmts = words.map((word, index) => {
        const letter = letters[index] ?? 'x';
        const own = w.swizzle(operand, letter);
        const carry = w.construct('u32', w.gt(w.swizzle(old, 'x'), w.complement(w.swizzle(operand, 'x'))));
        const value = this.access.op === 'add' && index > 0 ? w.add(own, carry) : own;
        return w.assign(w.swizzle(old, letter), w.builtin(fn, 'u32', w.addressOf(word), value));
      });
      return { stmts, seen: old };
    }
    const [changed, seen] = [w.ref(names.changed, whole), w.ref(names.seen, whole)];
    const exchanges = words.map((word, index) =>
      w.builtin('atomicExchange', 'u32', w.addressOf(word), w.swizzle(changed, letters[index] ?? 'x')),
    );
    const stmts = [
      w.assign(old, this.load()),
      w.define(names.changed, newValue(this.access, old, operand, replacement ?? operand)),
      w.variable(names.seen, whole, old),
      w.when(w.builtin('any', 'bool', w.ne(changed, old)), [w.assign(seen, w.construct(whole, ...exchanges))]),
    ];
    return { stmts, seen };
  }
}
