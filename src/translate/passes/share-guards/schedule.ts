// Finds the f32 operations of a block that can share a guard: no other instruction must execute
// between them.
import { at, get } from '../../../base/invariants.ts';
import { maxDegree } from '../../analysis/quanta.ts';
import { forEachOperand, forEachOwnValue } from '../../graph/index.ts';
import { IdMap } from '../../ir/id-map.ts';
import {
  type Block,
  constantOf,
  type Definition,
  edgesOf,
  type Inst,
  isDefinition,
  type Value,
} from '../../ir/nodes.ts';
import { early, isMovable } from '../early.ts';

/**
 * A block's instructions in a new order: groups of consecutive operations, and the instructions
 * between them.
 */
export type Item =
  | { readonly kind: 'inst'; readonly inst: Inst }
  | { readonly kind: 'ops'; readonly ops: readonly Inst[]; readonly degreeOf: (value: Value) => number };

/** The maximum number of operations that wait for a guard. Their operands are live together. */
const maxPending = 256;

/**
 * Returns the items of a block, or undefined if no group gains. `isCandidate` tests whether an
 * operation may be in a group.
 */
export function scheduleBlock(block: Block, isCandidate: (inst: Inst) => boolean): readonly Item[] | undefined {
  const candidates: Inst[] = [];
  let weight = 0;
  for (const inst of block.insts) {
    if (!isCandidate(inst)) continue;
    candidates.push(inst);
    // The guard of a fused multiply-add also tests its operands.
    weight += inst.op === 'ffma' ? 2 : 1;
  }
  return weight < 2 ? undefined : new Scheduler(new Set(candidates)).schedule(block);
}

class Scheduler {
  private readonly items: Item[] = [];
  /** For each waiting value, the number of groups that must precede it. */
  private readonly levels = new IdMap<Definition, number>();
  private readonly degrees = new IdMap<Definition, number>();
  /** For each level, the instructions before the level's group, and the group. */
  private waiting: { readonly others: Inst[]; readonly ops: Inst[] }[] = [];
  private pending = 0;
  private readonly candidates: ReadonlySet<Inst>;

  constructor(candidates: ReadonlySet<Inst>) {
    this.candidates = candidates;
  }

  schedule(block: Block): readonly Item[] {
    for (const inst of early(block.insts, this.candidates)) this.add(inst);
    if (isReadBy(block, (value) => this.isWaiting(value)) || this.pending > 0) this.flush();
    return this.items;
  }

  private isWaiting(value: Value): boolean {
    return isDefinition(value) && this.levels.get(value) !== undefined;
  }

  private add(inst: Inst): void {
    if (this.candidates.has(inst)) {
      this.addOp(inst);
      if (this.pending >= maxPending) this.flush();
      return;
    }
    let waits = false;
    forEachOperand(inst, (value) => {
      waits ||= this.isWaiting(value);
    });
    if (waits && isMovable(inst)) {
      let level = 0;
      for (const arg of inst.args) level = Math.max(level, this.levelBehind(arg));
      this.at(level).others.push(inst);
      for (const result of inst.results) this.levels.set(result, level);
      return;
    }
    if (waits) this.flush();
    this.items.push({ kind: 'inst', inst });
  }

  /** Returns the first level at which an instruction outside groups can read a value. */
  private levelBehind(value: Value): number {
    if (!isDefinition(value)) return 0;
    const level = this.levels.get(value);
    if (level === undefined) return 0;
    return this.degrees.get(value) === undefined ? level : level + 1;
  }

  private addOp(inst: Inst): void {
    let level = 0;
    // Absent: an operand that does not wait.
    for (const arg of inst.args) if (isDefinition(arg)) level = Math.max(level, this.levels.get(arg) ?? 0);
    let degree = this.degreeOf(inst, level);
    if (degree > maxDegree) {
      level = this.waiting.length;
      degree = this.degreeOf(inst, level);
    }
    this.at(level).ops.push(inst);
    this.pending += 1;
    for (const result of inst.results) {
      this.levels.set(result, level);
      this.degrees.set(result, degree);
    }
  }

  private degreeOf({ op, args }: Inst, level: number): number {
    // Absent: an operation with fewer operands.
    const [a = 1, b = 1, c = 0] = args.map((arg) => this.degreeAt(arg, level));
    return op === 'fmul' || op === 'ffma' ? Math.max(a + b, c, 1) : Math.max(a, b, 1);
  }

  /** Returns the degree of a value. A value from outside of the group is one factor. */
  private degreeAt(value: Value, level: number): number {
    if (constantOf(value) !== undefined || !isDefinition(value)) return 0;
    // Absent: a value that no operation of a group computes is one factor.
    return this.levels.get(value) === level ? (this.degrees.get(value) ?? 1) : 1;
  }

  private at(level: number): { readonly others: Inst[]; readonly ops: Inst[] } {
    while (this.waiting.length <= level) this.waiting.push({ others: [], ops: [] });
    return at(this.waiting, level, 'a level');
  }

  private flush(): void {
    for (const { others, ops } of this.waiting) {
      for (const inst of others) this.items.push({ kind: 'inst', inst });
      if (ops.length === 0) continue;
      const degrees = new IdMap<Definition, number>();
      for (const { results } of ops)
        for (const result of results) degrees.set(result, get(this.degrees, result, 'the degree of a result'));
      // Absent: a value from outside is one factor.
      const degreeOf = (value: Value): number => (isDefinition(value) ? (degrees.get(value) ?? 1) : 0);
      this.items.push({ kind: 'ops', ops, degreeOf });
    }
    for (const { others, ops } of this.waiting) {
      for (const { results } of [...others, ...ops]) {
        for (const result of results) {
          this.levels.delete(result);
          this.degrees.delete(result);
        }
      }
    }
    this.waiting = [];
    this.pending = 0;
  }
}

function isReadBy({ end }: Block, test: (value: Value) => boolean): boolean {
  let found = false;
  forEachOwnValue(end, (value) => {
    found ||= test(value);
  });
  return found || edgesOf(end).some(({ args }) => args.some(test));
}
