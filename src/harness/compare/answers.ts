// Compares the answers of several executors to one launch: which answers agree, and which one
// differs from all others.

import { groupBy } from '../../base/group-by.ts';
import type { LaunchOutputs } from '../../base/launch.ts';

/** The buffers that an executor, or the reference, returned. */
export interface Answer {
  readonly name: string;
  readonly outputs: LaunchOutputs;
}

/** The value that one executor returned for one element or lane. */
export interface PlaceAnswer {
  readonly name: string;
  /** The bits in hexadecimal, or a text if the executor returned no bits. */
  readonly value: string;
}

/**
 * Describes a disagreement in a sentence: the answer that differs from all others, or the answers
 * that agree. Returns '' if all answers agree. Returns '' also for two answers, because neither is
 * more likely to be right.
 */
export function agreementOf(answers: readonly PlaceAnswer[]): string {
  const groups = groupsOf(answers);
  if (answers.length < 3 || groups.length < 2) return '';
  if (groups.length === answers.length) return 'no two agree';
  const [largest = [], ...rest] = groups;
  const agreeing = `${listOf(largest)} agree`;
  const [single = []] = rest;
  if (rest.length === 1 && single.length === 1) return `only ${listOf(single)} differs: ${agreeing}`;
  return [
    agreeing,
    ...rest.map((group) => (group.length === 1 ? `${listOf(group)} differs` : `so do ${listOf(group)}`)),
  ].join(', ');
}

/** Returns groups of names with equal values, the largest group first. */
function groupsOf(answers: readonly PlaceAnswer[]): string[][] {
  const groups = groupBy(answers, ({ value }) => value);
  return [...groups.values()].map((group) => group.map(({ name }) => name)).sort((a, b) => b.length - a.length);
}

function listOf(names: readonly string[]): string {
  const [last = '', ...others] = [...names].reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`;
}
