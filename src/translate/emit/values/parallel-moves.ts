// Orders assignments that take place in parallel, so that each reads the old values of the variables.

import type { Span } from '../../../ptx/ast.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { Param } from '../../ir/nodes.ts';
import type { Held } from './held-values.ts';

/** One of the parallel assignments of a block's parameters. */
export interface Move {
  readonly param: Param;
  readonly variable: Held;
  readonly span: Span | undefined;
  value: Expr;
  /** The variables that the value reads. */
  reads: ReadonlySet<Held>;
  /** The number of unassigned values that read the variable. */
  readers: number;
}

export interface MoveWriter {
  assign(move: Move): void;
  /** Names the current value of an expression. */
  copy(value: Expr): Expr;
}

/** Writes all assignments, and removes them from `moves`, whose keys are the variables. */
export function assignInParallel(moves: Map<Held, Move>, { assign, copy }: MoveWriter): void {
  const release = (move: Move, by: number, freed: Move[]) => {
    for (const read of move.reads) {
      const other = moves.get(read);
      if (other === undefined || other === move) continue;
      other.readers += by;
      if (other.readers === 0 && by < 0) freed.push(other);
    }
  };
  for (const move of moves.values()) release(move, 1, []);
  // A variable can be assigned once no remaining assignment reads it.
  const ready = [...moves.values()].filter(({ readers }) => readers === 0).reverse();
  for (;;) {
    for (let move = ready.pop(); move !== undefined; move = ready.pop()) {
      moves.delete(move.variable);
      assign(move);
      release(move, -1, ready);
    }
    // To break a cycle, name one value first.
    const [first] = moves.values();
    if (first === undefined) return;
    const freed: Move[] = [];
    release(first, -1, freed);
    first.value = copy(first.value);
    first.reads = new Set();
    ready.push(...freed);
  }
}
