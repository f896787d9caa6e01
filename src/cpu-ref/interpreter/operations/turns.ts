// Determines the order in which waiting lanes of a warp continue. PTX does not specify which lanes
// execute an instruction without `.sync` together. In the interpreter, as on an H200, these are the
// lanes that no branch has separated, in the same iteration of each loop. Lanes that branch back to
// the head of a loop wait there for the lanes that are still in the iteration.
import { type LoopOrder, loopOrder } from '../../../base/loop-order.ts';
import type { Op } from '../state/state.ts';

const isUnsynchronized = ({ work }: Op): boolean => work.kind === 'warp' && work.warp.membermask === undefined;

function calleesOf({ work }: Op): readonly number[] {
  if (work.kind === 'call') return [work.call.callee];
  return work.kind === 'indirect' ? [...work.calls.values()].map(({ callee }) => callee) : [];
}

/** Returns the functions that contain an instruction without `.sync`, or call such a function. */
function unsynchronizedFunctions(ops: readonly Op[]): ReadonlySet<number> {
  const found = new Set(ops.filter(isUnsynchronized).map(({ fn }) => fn));
  for (let before = -1; found.size > before; ) {
    before = found.size;
    for (const op of ops) if (calleesOf(op).some((callee) => found.has(callee))) found.add(op.fn);
  }
  return found;
}

/** Returns the indices of the instructions in the same function at which lanes may continue. */
function successorsOf(op: Op, pc: number): readonly number[] {
  const { work } = op;
  const rest = op.guard === undefined ? [] : [pc + 1];
  switch (work.kind) {
    case 'branch':
      return [work.target, ...rest];
    case 'indexed':
      return [...work.targets, ...rest];
    case 'return':
    case 'exit':
    case 'trap':
      return rest;
    default:
      return [pc + 1];
  }
}

/**
 * Returns the order in which the waiting lanes of a warp continue. Returns undefined if every warp
 * instruction has `.sync`, because then no lane can observe the order. `starts` contains the index
 * of each function's first instruction.
 */
export function turnsOf(ops: readonly Op[], starts: readonly number[]): LoopOrder | undefined {
  const functions = unsynchronizedFunctions(ops);
  if (functions.size === 0) return undefined;
  const ranks = new Int32Array(ops.length).fill(-1);
  const turns = new Map<number, number>();
  for (const fn of functions) {
    const start = starts[fn] ?? 0;
    const end = starts[fn + 1] ?? ops.length;
    const own = ops.slice(start, end);
    const successors = own.map((op, index) => successorsOf(op, start + index).map((to) => to - start));
    const order = loopOrder(
      own.length,
      0,
      (node) => successors[node] ?? [],
      (node) => {
        const op = own[node];
        return op !== undefined && (isUnsynchronized(op) || calleesOf(op).some((callee) => functions.has(callee)));
      },
    );
    ranks.set(order.ranks, start);
    for (const [head, rank] of order.turns) turns.set(start + head, rank);
  }
  return { ranks, turns };
}
