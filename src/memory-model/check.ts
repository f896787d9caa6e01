// The verdict of the PTX memory consistency model on a litmus test.
import { missing } from '../base/invariants.ts';
import { isAccess, valueAt } from './event.ts';
import { eachCoherence, finalWrites } from './executions/axioms.ts';
import type { Candidate } from './executions/candidate.ts';
import { eachCandidate } from './executions/enumerate.ts';
import { compareOutcomes, decide, holds, type Observable, type Outcome } from './litmus/condition.ts';
import type { LitmusTest } from './litmus/litmus-test.ts';
import type { Relation } from './relation.ts';
import { partsOf } from './threads/known-writes.ts';
import type { Path } from './threads/thread-paths.ts';

export type Verdict = 'allowed' | 'forbidden';

/** Whether PTX allows an execution whose final state satisfies the test's condition. */
export function verdictOf(test: LitmusTest): Verdict {
  if (test.stated !== undefined) return 'forbidden';
  const found = eachOutcome(test, (outcome) => holds(test.condition, outcome));
  return found ? 'allowed' : 'forbidden';
}

/** Returns all outcomes that PTX allows, in ascending order: the values of the test's observables. */
export function allowedOutcomes(test: LitmusTest): readonly Outcome[] {
  if (test.stated !== undefined) return [test.stated];
  const outcomes = new Map<string, Outcome>();
  eachOutcome(
    test,
    (outcome) => {
      outcomes.set(outcome.join(), outcome);
      return false;
    },
    outcomes,
  );
  return [...outcomes.values()].sort(compareOutcomes);
}

/**
 * Calls `visit` with the outcomes of allowed executions until it returns true. Executions that
 * cannot add an outcome to `known`, or satisfy the condition, are skipped.
 */
function eachOutcome(
  test: LitmusTest,
  visit: (outcome: Outcome) => boolean,
  known?: ReadonlyMap<string, Outcome>,
): boolean {
  const { observables, condition } = test;
  const valuesOf = (paths: readonly Path[]) => observables.map((observable) => registerOf(observable, paths));
  // The observed registers of a thread that waits forever must have their values. If all threads
  // wait forever, there is no final state.
  const isComplete = (paths: readonly Path[]) =>
    !(paths.length === test.threads.length && paths.every(({ waits }) => waits)) &&
    observables.every((observable) => {
      const path = observable.kind === 'register' ? paths[observable.thread] : undefined;
      return observable.kind === 'memory' || path?.waits !== true || path.registers.has(observable.register);
    });
  const isOpen = (paths: readonly Path[]): boolean => {
    const values = valuesOf(paths);
    return known === undefined ? decide(condition, values) !== false : !known.has(values.join());
  };
  const hasMemory = observables.some(({ kind }) => kind === 'memory');
  return eachCandidate(
    test,
    (paths) => isComplete(paths) && isOpen(paths),
    (candidate, paths) => {
      if (hasMemory) {
        const visitFinal = (order: Relation) => finalStates(observables, candidate, paths, order).some(visit);
        return eachCoherence(candidate, visitFinal);
      }
      const outcome = valuesOf(paths).filter((value) => value !== undefined);
      return isOpen(paths) && eachCoherence(candidate, () => true) && visit(outcome);
    },
  );
}

/** Returns the final value of a register; undefined for memory, and if its thread has no path yet. */
function registerOf(observable: Observable, paths: readonly Path[]): bigint | undefined {
  const path = observable.kind === 'register' ? paths[observable.thread] : undefined;
  if (observable.kind !== 'register' || path === undefined) return undefined;
  // A path that skips the instruction leaves the register at its initial value.
  return path.registers.get(observable.register)?.bits ?? 0n;
}

/** The outcomes of an execution. Writes in a data race may reach memory in either order. */
function finalStates(
  observables: readonly Observable[],
  { events }: Candidate,
  paths: readonly Path[],
  coherence: Relation,
): readonly Outcome[] {
  let states: readonly bigint[][] = [[]];
  for (const observable of observables) {
    const values =
      observable.kind === 'register'
        ? [registerOf(observable, paths) ?? missing('the path of a thread')]
        : finalValues(observable.address, observable.bytes);
    states = states.flatMap((state) => values.map((value) => [...state, value]));
  }
  return states;

  function finalValues(address: number, bytes: number): readonly bigint[] {
    let values: readonly bigint[] = [0n];
    for (const part of partsOf(address, bytes, events.filter(isAccess))) {
      const shift = BigInt(8 * (part.address - address));
      const found = finalWrites(events, coherence, part).map((write) => valueAt(write, part));
      values = values.flatMap((low) => [...new Set(found)].map((value) => low | (value << shift)));
    }
    return values;
  }
}
