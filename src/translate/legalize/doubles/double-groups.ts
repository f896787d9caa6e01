// Groups the f64 operations of a block that can execute together, without other effects between
// them.

import { get } from '../../../base/invariants.ts';
import { allOf } from '../../../base/maps.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import { forEachOperand } from '../../graph/index.ts';
import { usersOf } from '../../graph/users.ts';
import { type Block, constantOf, type Func, type Inst, type Result, type Value } from '../../ir/nodes.ts';
import { early, isMovable } from '../../passes/early.ts';
import { type Repeat, repeatOf } from './double-repeats.ts';

/** Operations, and the instructions that compute operands from their results, in a valid order. */
export interface DoubleGroup {
  readonly members: readonly Inst[];
  /** The results that are used outside the group. */
  readonly escaping: readonly Result[];
  /** Defined if the members repeat the same sequence. */
  readonly repeat: Repeat | undefined;
}

/** A part of a block. */
export type DoublePart =
  | { readonly kind: 'inst'; readonly inst: Inst }
  | { readonly kind: 'group'; readonly group: DoubleGroup };

/** For each operation, its function for ordinary values. */
const ordinary: ReadonlyMap<HelperName, HelperName> = new Map([
  ['f64_add', 'f64_ordinary_add'],
  ['f64_sub', 'f64_ordinary_sub'],
  ['f64_mul', 'f64_ordinary_mul'],
  ['f64_fma', 'f64_ordinary_fma'],
  ['f64_div', 'f64_ordinary_div'],
  ['f64_sqrt', 'f64_ordinary_sqrt'],
]);

/**
 * Small functions that may occur between the operations of a group: selections, comparisons and
 * sign changes.
 */
const between: ReadonlySet<HelperName> = new Set<HelperName>([
  ...(['f64_neg', 'f64_abs', 'f64_min', 'f64_max', 'f64_saturate', 'f64_is_nan', 'f64_ordered'] as const),
  ...(['f64_eq', 'f64_ne', 'f64_lt', 'f64_le'] as const),
]);

/** A smaller group gains nothing. */
const leastOps = 2;
/**
 * A larger group becomes a loop if it repeats a sequence. Otherwise each operation checks its own
 * operands, because the group's code would be large.
 */
const mostOps = 16;

/** The operands of an operation, as low and high words. */
export const pairsOf = ({ args }: Inst): readonly (readonly [low: Value, high: Value])[] =>
  Array.from({ length: args.length / 2 }, (_, at) => args.slice(at * 2, at * 2 + 2) as unknown as [Value, Value]);

/** Whether a constant is zero or normal; undefined if the value is not a constant. */
export function isOrdinary(low: Value, high: Value): boolean | undefined {
  const [below, above] = [constantOf(low), constantOf(high)];
  if (below === undefined || above === undefined) return undefined;
  const exponent = (above >> 20n) & 0x7ffn;
  return exponent === 0n ? below === 0n && (above & 0xfffffn) === 0n : exponent !== 0x7ffn;
}

/**
 * The operation's function for ordinary values; undefined for other instructions, and if an operand
 * is a constant that is not ordinary.
 */
export function ordinaryOf(inst: Inst): HelperName | undefined {
  const name = inst.op === 'helper' && inst.when === undefined ? ordinary.get(inst.attrs.name) : undefined;
  if (name === undefined) return undefined;
  return pairsOf(inst).every(([low, high]) => isOrdinary(low, high) !== false) ? name : undefined;
}

/** The parts of the blocks that contain groups. */
export function doubleParts(func: Func): ReadonlyMap<Block, readonly DoublePart[]> {
  const found = new Map<Block, readonly DoublePart[]>();
  let users: ReturnType<typeof usersOf> | undefined;
  for (const block of func.blocks) {
    const ops = new Set(block.insts.filter((inst) => ordinaryOf(inst) !== undefined));
    if (ops.size < leastOps) continue;
    users ??= usersOf(func);
    const parts = new Grouping(ops, users).partsOf(block);
    if (parts.some(({ kind }) => kind === 'group')) found.set(block, parts);
  }
  return found;
}

class Grouping {
  private readonly ops: ReadonlySet<Inst>;
  private readonly users: ReturnType<typeof usersOf>;
  private readonly parts: DoublePart[] = [];
  /** Operations, and instructions that depend on them. */
  private waiting: Inst[] = [];
  private readonly results = new Set<Value>();
  private readonly places = new Map<Inst, number>();

  constructor(ops: ReadonlySet<Inst>, users: ReturnType<typeof usersOf>) {
    this.ops = ops;
    this.users = users;
  }

  partsOf(block: Block): readonly DoublePart[] {
    block.insts.forEach((inst, at) => {
      this.places.set(inst, at);
    });
    for (const inst of early(block.insts, this.ops)) this.add(inst);
    this.flush();
    return this.parts;
  }

  private add(inst: Inst): void {
    const isOperation = this.ops.has(inst);
    let waits = isOperation;
    forEachOperand(inst, (value) => {
      waits ||= this.results.has(value);
    });
    const canWait = isMovable(inst) && (isOperation || inst.op !== 'helper' || between.has(inst.attrs.name));
    if (waits && !canWait) this.flush();
    if (!waits || !canWait) {
      this.parts.push({ kind: 'inst', inst });
      return;
    }
    this.waiting.push(inst);
    for (const result of inst.results) this.results.add(result);
  }

  private flush(): void {
    const members = new Set<Inst>();
    const needed = new Set<Value>();
    // Instructions that no operation needs go after the group.
    for (const inst of [...this.waiting].reverse()) {
      if (!this.ops.has(inst) && !inst.results.some((result) => needed.has(result))) continue;
      members.add(inst);
      for (const arg of inst.args) needed.add(arg);
    }
    // Restores the kernel's order, in which repeated sequences are visible.
    const placeOf = (inst: Inst): number => get(this.places, inst, 'the place of an instruction');
    this.addParts([...members].sort((a, b) => placeOf(a) - placeOf(b)));
    for (const inst of this.waiting) if (!members.has(inst)) this.parts.push({ kind: 'inst', inst });
    this.waiting = [];
    this.results.clear();
  }

  /**
   * Adds one group for a few operations. For many, adds the repeated sequence, and the parts before
   * and after it.
   */
  private addParts(list: readonly Inst[]): void {
    const count = this.countIn(list);
    if (count >= leastOps && count <= mostOps) {
      this.parts.push({ kind: 'group', group: this.groupOf(list, undefined) });
      return;
    }
    const repeat = count > mostOps ? repeatOf(list) : undefined;
    const end = repeat ? repeat.start + repeat.turns * repeat.operands.length : 0;
    const turns = repeat ? list.slice(repeat.start, end) : [];
    const perTurn = repeat ? this.countIn(turns) / repeat.turns : 0;
    if (repeat === undefined || perTurn > mostOps || perTurn * repeat.turns <= mostOps) {
      for (const inst of list) this.parts.push({ kind: 'inst', inst });
      return;
    }
    this.addParts(list.slice(0, repeat.start));
    this.parts.push({ kind: 'group', group: this.groupOf(turns, repeat) });
    this.addParts(list.slice(end));
  }

  private countIn(list: readonly Inst[]): number {
    return list.filter((inst) => this.ops.has(inst)).length;
  }

  private groupOf(list: readonly Inst[], repeat: Repeat | undefined): DoubleGroup {
    const members = new Set(list);
    const isOutside = (result: Result): boolean =>
      allOf(this.users, result).some((user) => user.kind === 'end' || !members.has(user.inst));
    return { members: list, escaping: list.flatMap(({ results }) => results.filter(isOutside)), repeat };
  }
}
