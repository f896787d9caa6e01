// Groups the suites that did not pass everywhere by the machines on which they failed. Finds the
// traits that only these machines have.

import { groupBy } from '../../base/group-by.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { TraitName } from './machine-traits.ts';
import { type Machine, worstOf } from './merge-results.ts';

/**
 * Suites with the same outcomes: they failed on the same machines, and passed on the same other
 * machines.
 */
export interface Difference {
  readonly suites: readonly string[];
  /** The machines on which the suites did not pass. */
  readonly failing: readonly string[];
  /**
   * The machines on which the suites passed. All further machines lack the suites or skipped them.
   */
  readonly passing: readonly string[];
  /**
   * The traits that distinguish the failing machines from the passing ones. Every failing machine
   * has one of the values, and no passing machine has any of them.
   */
  readonly because: readonly { readonly trait: TraitName; readonly values: readonly string[] }[];
}

/** Returns the differences. The differences with the most suites are first. */
export function differencesOf(machines: readonly Machine[]): Difference[] {
  const answers = answersOf(machines).filter(({ failing }) => failing.length > 0);
  const alike = groupBy(answers, ({ failing, passing }) =>
    JSON.stringify([failing, passing].map((list) => list.map(({ name }) => name))),
  );
  return [...alike.values()]
    .flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const { failing, passing } = first;
      return [
        {
          suites: group.map(({ id }) => id),
          failing: failing.map(({ name }) => name),
          passing: passing.map(({ name }) => name),
          because: becauseOf(failing, passing),
        },
      ];
    })
    .sort((a, b) => b.suites.length - a.suites.length);
}

interface Answer {
  readonly id: string;
  readonly failing: Machine[];
  readonly passing: Machine[];
}

/**
 * Returns the machines that fail and the machines that pass each suite, in the order of first
 * appearance. A machine that lacks or skipped a suite is in neither list, so that large fleets need
 * little memory.
 */
function answersOf(machines: readonly Machine[]): Answer[] {
  const answers = new Map<string, Answer>();
  for (const machine of machines) {
    for (const [id, results] of machine.results) {
      const answer = getOrInsert(answers, id, () => ({ id, failing: [], passing: [] }));
      const status = worstOf(results)?.status;
      if (status === 'pass') answer.passing.push(machine);
      else if (status !== undefined && status !== 'skipped') answer.failing.push(machine);
    }
  }
  return [...answers.values()];
}

function becauseOf(failing: readonly Machine[], passing: readonly Machine[]): Difference['because'] {
  if (passing.length === 0) return [];
  const traits = new Set(failing.flatMap((machine) => [...machine.traits.keys()]));
  return [...traits].flatMap((trait) => {
    const valuesOf = (list: readonly Machine[]): (string | undefined)[] => list.map((one) => one.traits.get(trait));
    const bad = new Set(valuesOf(failing));
    const isApart = !bad.has(undefined) && valuesOf(passing).every((value) => value !== undefined && !bad.has(value));
    return isApart ? [{ trait, values: [...bad].filter((value) => value !== undefined) }] : [];
  });
}

/** Returns a text such as `vendor amd; driver 24.1`; '' if no trait distinguishes the machines. */
export function becauseText({ because }: Difference): string {
  return because.map(({ trait, values }) => `${trait} ${values.join(' or ')}`).join('; ');
}
