// Conditions on the final state of a litmus test: registers of threads, and memory.
import { at } from '../../base/invariants.ts';

/** A value of the final state that a condition reads. */
export type Observable =
  | { readonly kind: 'register'; readonly thread: number; readonly register: string; readonly text: string }
  | { readonly kind: 'memory'; readonly address: number; readonly bytes: number; readonly text: string };

/** A condition. An atom compares the observable of that number with a constant. */
export type Condition =
  | { readonly kind: 'equal'; readonly observable: number; readonly value: bigint }
  | { readonly kind: 'same'; readonly left: number; readonly right: number }
  | { readonly kind: 'not'; readonly operand: Condition }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Condition[] };

/** The values of the observables, in order. */
export type Outcome = readonly bigint[];

/** Compares two outcomes of a test, for sorting in ascending order. */
export function compareOutcomes(a: Outcome, b: Outcome): number {
  for (const [index, value] of a.entries()) {
    const other = at(b, index, 'a value of an outcome');
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}

/**
 * Whether a final state satisfies a condition. If values are still unknown, the result is undefined
 * unless the others decide it.
 */
export function decide(condition: Condition, values: readonly (bigint | undefined)[]): boolean | undefined {
  switch (condition.kind) {
    case 'equal':
      return compare(values[condition.observable], condition.value);
    case 'same':
      return compare(values[condition.left], values[condition.right]);
    case 'not': {
      const operand = decide(condition.operand, values);
      return operand === undefined ? undefined : !operand;
    }
    case 'and':
    case 'or': {
      const decisive = condition.kind === 'or';
      const operands = condition.operands.map((operand) => decide(operand, values));
      if (operands.includes(decisive)) return decisive;
      return operands.includes(undefined) ? undefined : !decisive;
    }
  }
}

const compare = (left: bigint | undefined, right: bigint | undefined): boolean | undefined =>
  left === undefined || right === undefined ? undefined : left === right;

export const holds = (condition: Condition, outcome: Outcome): boolean => decide(condition, outcome) === true;
