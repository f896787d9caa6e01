// Moves operations of a block as early as possible.
import { IdMap } from '../ir/id-map.ts';
import { type Definition, type Inst, isDefinition } from '../ir/nodes.ts';

/** Whether an instruction may execute anywhere after its operands. */
export const isMovable = ({ operation: { effect, speculatable }, when }: Inst): boolean =>
  effect === 'pure' && speculatable && when === undefined;

/**
 * Moves each of `operations`, and the movable instructions that depend on them, to just after its
 * last operand. Stores of results then no longer separate the operations. Returns the reordered
 * instructions.
 */
export function early(insts: readonly Inst[], operations: ReadonlySet<Inst>): readonly Inst[] {
  const times = new IdMap<Definition, number>();
  /** The results of operations and of the instructions that move with them. */
  const follows = new IdMap<Definition, true>();
  const timed = insts.map((inst, index) => {
    const isOp = operations.has(inst);
    const moves =
      isOp || (isMovable(inst) && inst.args.some((arg) => isDefinition(arg) && follows.get(arg) !== undefined));
    let time = index;
    if (moves) {
      time = -1;
      // Absent: a value from another block, which is available from the start.
      for (const arg of inst.args) if (isDefinition(arg)) time = Math.max(time, times.get(arg) ?? -1);
    }
    for (const result of inst.results) {
      times.set(result, time);
      if (moves) follows.set(result, true);
    }
    return { inst, time };
  });
  return timed.sort((a, b) => a.time - b.time).map(({ inst }) => inst);
}
