// Answers of several executors to one launch: which agree, and which one stands alone.

import { groupBy } from '../../base/group-by.ts';
import type { LaunchOutputs } from '../../base/launch.ts';

/** What an executor, or the reference, left in the buffers. */
export interface Answer {
  readonly name: string;
  readonly outputs: LaunchOutputs;
}

/** The same at one place. */
export interface PlaceAnswer {
  readonly name: string;
  /** Bits in hexadecimal, or what stands in their place. */
  readonly value: string;
}

/**
 * A sentence on a disagreement: the one that differs from all others, or which agree. '' where all agree, and between two, of which
 * neither stands more alone than the other.
 */
export function agreementOf(answers: readonly PlaceAnswer[]): string {
  const groups = groupsOf(answers);
  if (answers.length < 3 || groups.length < 2) return '';
  if (groups.length === answers.length) return 'no two agree';
  const [largest = [], ...rest] = groups;
  const agreeing = `${listOf(largest)} agree`;
  const [single = []] = rest;
  if (rest.length === 1 && single.length === 1) return `${listOf(single)} stands alone: ${agreeing}`;
  return [
    agreeing,
    ...rest.map((group) => (group.length === 1 ? `${listOf(group)} differs` : `so do ${listOf(group)}`)),
  ].join(', ');
}

/** Names by value, the largest group first. */
function groupsOf(answers: readonly PlaceAnswer[]): string[][] {
  const groups = groupBy(answers, ({ value }) => value);
  return [...groups.values()].map((group) => group.map(({ name }) => name)).sort((a, b) => b.length - a.length);
}

function listOf(names: readonly string[]): string {
  const [last = '', ...others] = [...names].reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`;
}
