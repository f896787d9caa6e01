// Suites that did not pass everywhere, by the machines on which they did not, and what these machines alone have.

import { groupBy } from '../../base/group-by.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { TraitName } from './machine-traits.ts';
import { type Machine, worstOf } from './merge-results.ts';

/** Suites with one answer to where they did not pass. */
export interface Difference {
  readonly suites: readonly string[];
  /** Machines on which they did not pass. */
  readonly failing: readonly string[];
  /** Machines on which they passed; the others do not have them, or skipped them. */
  readonly passing: readonly string[];
  /** Traits that tell both apart: every failing machine has one of these values, and no passing one. */
  readonly because: readonly { readonly trait: TraitName; readonly values: readonly string[] }[];
}

/** Most suites first. */
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

/** By suite, in the order of their first appearance. A machine that lacks or skipped a suite takes no space in its answer. */
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

/** `vendor amd; driver 24.1`, or '' where nothing tells them apart. */
export function becauseText({ because }: Difference): string {
  return because.map(({ trait, values }) => `${trait} ${values.join(' or ')}`).join('; ');
}
