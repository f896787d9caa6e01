// Groups the f64 operations of a block that can execute together, without other effects between
// them.

import { get } from '../../../base/invariants.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import { usersOf } from '../../graph/users.ts';
import { type Block, constantOf, type Func, type Inst, type Result, type Value } from '../../ir/nodes.ts';
import { escapingFrom, hasGroups, inPlace, type Part, type Parts, runsOf } from '../../passes/fast-paths/parts.ts';
import { type Repeat, repeatOf } from './double-repeats.ts';

/** Operations, and the instructions that compute operands from their results, in a valid order. */
export interface DoubleGroup {
  readonly members: readonly Inst[];
  /** The results that are used outside the group. */
  readonly escaping: readonly Result[];
  /** The repetition, if the members repeat the same sequence. */
  readonly repeat: Repeat | undefined;
}

type DoublePart = Part<DoubleGroup>;

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
 * changes of the sign.
 */
const between: ReadonlySet<HelperName> = new Set<HelperName>([
  ...(['f64_neg', 'f64_abs', 'f64_min', 'f64_max', 'f64_saturate', 'f64_is_nan', 'f64_ordered'] as const),
  ...(['f64_eq', 'f64_ne', 'f64_lt', 'f64_le'] as const),
]);

/** The minimum number of operations of a group. A smaller group gains nothing. */
const leastOps = 2;
/**
 * The maximum number of operations of a group. A larger group becomes a loop if it repeats a
 * sequence. Otherwise each operation checks its own operands, because the group's code would be
 * large.
 */
const mostOps = 16;

/** Returns the operands of an operation, as low and high words. */
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
 * Returns the operation's function for ordinary values. Returns undefined for other instructions,
 * and if an operand is a constant that is not ordinary.
 */
export function ordinaryOf(inst: Inst): HelperName | undefined {
  const name = inst.op === 'helper' && inst.when === undefined ? ordinary.get(inst.attrs.name) : undefined;
  if (name === undefined) return undefined;
  return pairsOf(inst).every(([low, high]) => isOrdinary(low, high) !== false) ? name : undefined;
}

export const nameOf = (inst: Inst): string => (inst.op === 'helper' ? inst.attrs.name : inst.op);

/** Returns the parts of the blocks that contain groups. */
export function doubleParts(func: Func): Parts<DoubleGroup> {
  const found = new Map<Block, readonly DoublePart[]>();
  let users: ReturnType<typeof usersOf> | undefined;
  for (const block of func.blocks) {
    const ops = new Set(block.insts.filter((inst) => ordinaryOf(inst) !== undefined));
    if (ops.size < leastOps) continue;
    users ??= usersOf(func);
    const parts = new Grouping(block, ops, users).parts();
    if (hasGroups(parts)) found.set(block, parts);
  }
  return found;
}

class Grouping {
  private readonly block: Block;
  private readonly ops: ReadonlySet<Inst>;
  private readonly users: ReturnType<typeof usersOf>;

  constructor(block: Block, ops: ReadonlySet<Inst>, users: ReturnType<typeof usersOf>) {
    this.block = block;
    this.ops = ops;
    this.users = users;
  }

  parts(): readonly DoublePart[] {
    const places = new Map(this.block.insts.map((inst, place) => [inst, place]));
    const canWait = (inst: Inst): boolean => inst.op !== 'helper' || between.has(inst.attrs.name);
    return runsOf(this.block, this.ops, { canWait }).flatMap((part): readonly DoublePart[] => {
      if (part.kind === 'inst') return [part];
      // Move instructions that no operation needs after the group.
      const members = this.neededIn(part.group);
      const after = part.group.filter((inst) => !members.has(inst));
      // Restore the kernel's order, in which repeated sequences are visible.
      const placeOf = (inst: Inst): number => get(places, inst, 'the place of an instruction');
      return [...this.partsOf([...members].sort((a, b) => placeOf(a) - placeOf(b))), ...inPlace(after)];
    });
  }

  private neededIn(run: readonly Inst[]): ReadonlySet<Inst> {
    const members = new Set<Inst>();
    const needed = new Set<Value>();
    for (const inst of run.toReversed()) {
      if (!this.ops.has(inst) && !inst.results.some((result) => needed.has(result))) continue;
      members.add(inst);
      for (const arg of inst.args) needed.add(arg);
    }
    return members;
  }

  /**
   * Splits a list of operations into parts. A few operations are one group. Many operations become
   * the repeated sequence, and the parts before and after it.
   */
  private partsOf(list: readonly Inst[]): readonly DoublePart[] {
    const count = this.countIn(list);
    if (count >= leastOps && count <= mostOps) return [this.groupOf(list, undefined)];
    const repeat = count > mostOps ? repeatOf(list) : undefined;
    if (repeat === undefined) return inPlace(list);
    const end = repeat.start + repeat.turns * repeat.operands.length;
    const turns = list.slice(repeat.start, end);
    const perTurn = this.countIn(turns) / repeat.turns;
    if (perTurn > mostOps || perTurn * repeat.turns <= mostOps) return inPlace(list);
    return [
      ...this.partsOf(list.slice(0, repeat.start)),
      this.groupOf(turns, repeat),
      ...this.partsOf(list.slice(end)),
    ];
  }

  private countIn(list: readonly Inst[]): number {
    return list.filter((inst) => this.ops.has(inst)).length;
  }

  private groupOf(members: readonly Inst[], repeat: Repeat | undefined): DoublePart {
    return { kind: 'group', group: { members, escaping: escapingFrom(members, this.users), repeat } };
  }
}
