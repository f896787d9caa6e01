// Limits the work of a proof. The unit is about one term or one node of a diagram. A limit in
// seconds would let verdicts depend on the speed of the machine.

/** Thrown if a proof needs more work than its limit. */
export class OutOfBudget extends Error {}

let left = Number.POSITIVE_INFINITY;

/** Sets the limit of the following work. */
export function setBudget(units: number): void {
  left = units;
}

/** Counts work against the limit. */
export function spend(units = 1): void {
  left -= units;
  if (left < 0) throw new OutOfBudget('the proof needs more work than its limit');
}
