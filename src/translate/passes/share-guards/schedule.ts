// Finds the f32 operations of a block that can share a guard.
import { at } from '../../../base/invariants.ts';
import { maxDegree } from '../../analysis/quanta.ts';
import { IdMap } from '../../ir/id-map.ts';
import { type Block, type Definition, type Inst, isDefinition, type Value } from '../../ir/nodes.ts';
import { inPlace, type Part, runsOf } from '../fast-paths/parts.ts';

/**
 * Consecutive operations that can share a guard. `degreeOf` returns the number of unknown factors
 * that are multiplied in a value.
 */
export interface Ops {
  readonly ops: readonly Inst[];
  readonly degreeOf: (value: Value) => number;
}

/** The maximum number of operations that wait for a guard. */
const maxOps = 256;

/**
 * Returns the parts of a block; undefined if no group reduces the cost. `isCandidate` tests whether
 * an operation may be in a group.
 */
export function scheduleBlock(block: Block, isCandidate: (inst: Inst) => boolean): readonly Part<Ops>[] | undefined {
  const candidates = block.insts.filter(isCandidate);
  // A fused multiply-add counts twice, because its guard also tests its operands.
  const weight = candidates.reduce((sum, { op }) => sum + (op === 'ffma' ? 2 : 1), 0);
  if (weight < 2) return undefined;
  const ops = new Set(candidates);
  return runsOf(block, ops, { maxOps }).flatMap((part): readonly Part<Ops>[] =>
    part.kind === 'inst' ? [part] : new Levels(ops).partsOf(part.group),
  );
}

/**
 * Divides a run into levels. Operations of one level need no other instructions between them. The
 * operations of the next level need instructions that depend on operations of this level.
 */
class Levels {
  private readonly levels = new IdMap<Definition, number>();
  private readonly degrees = new IdMap<Definition, number>();
  /** For each level, the instructions before its operations, and the operations. */
  private readonly found: { readonly others: Inst[]; readonly ops: Inst[] }[] = [];
  private readonly candidates: ReadonlySet<Inst>;

  constructor(candidates: ReadonlySet<Inst>) {
    this.candidates = candidates;
  }

  partsOf(run: readonly Inst[]): readonly Part<Ops>[] {
    for (const inst of run) {
      if (this.candidates.has(inst)) this.addOp(inst);
      else this.add(inst, Math.max(0, ...inst.args.map((arg) => this.levelAfter(arg))), 'others');
    }
    return this.found.flatMap(({ others, ops }, level): readonly Part<Ops>[] => {
      const group = { ops, degreeOf: (value: Value) => this.degreeAt(value, level) };
      return [...inPlace(others), ...(ops.length > 0 ? [{ kind: 'group', group } as const] : [])];
    });
  }

  private addOp(inst: Inst): void {
    // Absent: an operand from outside the run has no level.
    let level = Math.max(0, ...inst.args.map((arg) => (isDefinition(arg) ? (this.levels.get(arg) ?? 0) : 0)));
    if (this.degreeOf(inst, level) > maxDegree) level = this.found.length;
    const degree = this.degreeOf(inst, level);
    this.add(inst, level, 'ops');
    for (const result of inst.results) this.degrees.set(result, degree);
  }

  private add(inst: Inst, level: number, to: 'ops' | 'others'): void {
    while (this.found.length <= level) this.found.push({ others: [], ops: [] });
    at(this.found, level, 'a level')[to].push(inst);
    for (const result of inst.results) this.levels.set(result, level);
  }

  /** Returns the first level at which an instruction outside groups can read a value. */
  private levelAfter(value: Value): number {
    const level = isDefinition(value) ? this.levels.get(value) : undefined;
    if (level === undefined || !isDefinition(value)) return 0;
    return this.degrees.get(value) === undefined ? level : level + 1;
  }

  private degreeOf({ op, args }: Inst, level: number): number {
    // Absent: the operation has fewer operands.
    const [a = 1, b = 1, c = 0] = args.map((arg) => this.degreeAt(arg, level));
    return op === 'fmul' || op === 'ffma' ? Math.max(a + b, c, 1) : Math.max(a, b, 1);
  }

  /** Returns the degree of a value. A value from outside of the group is one factor. */
  private degreeAt(value: Value, level: number): number {
    if (!isDefinition(value)) return 0;
    // Absent: a value that no operation of the group computes is one factor.
    return this.levels.get(value) === level ? (this.degrees.get(value) ?? 1) : 1;
  }
}
