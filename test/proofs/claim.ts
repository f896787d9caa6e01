import { equal, implies, type Term } from './terms/term.ts';

/** If the condition holds, a result is the expected word. */
export interface Claim {
  readonly condition: Term;
  readonly found: Term;
  readonly expected: Term;
}

export const termOf = ({ condition, found, expected }: Claim): Term => implies(condition, equal(found, expected));
