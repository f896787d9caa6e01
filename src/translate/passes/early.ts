// Where operations of a block can stand at the earliest.
import { IdMap } from '../ir/id-map.ts';
import { type Definition, type Inst, isDefinition } from '../ir/nodes.ts';

/** Whether an instruction may stand wherever its operands are known. */
export const isMovable = ({ operation: { effect, speculatable }, when }: Inst): boolean =>
  effect === 'pure' && speculatable && when === undefined;

/** The operations, and what is computed of them, each right behind the last thing that it reads: so that stores of results do not part them. */
export function early(insts: readonly Inst[], operations: ReadonlySet<Inst>): readonly Inst[] {
  const times = new IdMap<Definition, number>();
  /** Results of operations, and what is computed of them. */
  const follows = new IdMap<Definition, true>();
  const timed = insts.map((inst, index) => {
    const isOp = operations.has(inst);
    const moves =
      isOp || (isMovable(inst) && inst.args.some((arg) => isDefinition(arg) && follows.get(arg) !== undefined));
    let time = index;
    if (moves) {
      time = -1;
      // Absent: a value from another block, which is there from the start.
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
