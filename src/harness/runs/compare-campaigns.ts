// Compares two campaigns on the same machines, for example with a new browser or driver.

import type { TraitName } from './machine-traits.ts';
import { type Machine, statusText, suiteIds, worstOf } from './merge-results.ts';
import { observedRows, observedText, speedRows } from './side-by-side.ts';

/** The changes of one machine. */
export interface MachineChange {
  /** The machine's name in both campaigns. */
  readonly machine: string;
  /**
   * The machine in the earlier campaign; undefined if that campaign lacks it. `after` is the
   * machine in the later campaign.
   */
  readonly before: Machine | undefined;
  readonly after: Machine | undefined;
  readonly traits: readonly { readonly trait: TraitName; readonly before: string; readonly after: string }[];
  /** The suites that passed before, but do not pass now. */
  readonly broken: readonly SuiteChange[];
  /** The suites that pass now, but did not pass before. */
  readonly mended: readonly SuiteChange[];
  /** The suites that passed in neither campaign. */
  readonly stillBad: readonly SuiteChange[];
  /** The number of suites that are in only one campaign, or skipped in one campaign. */
  readonly uncompared: number;
  /** The number of suites that passed in both campaigns. */
  readonly good: number;
  readonly observed: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  readonly speed: readonly SpeedChange[];
}

export interface SuiteChange {
  readonly id: string;
  readonly before: string;
  readonly after: string;
  /**
   * The message of the result that did not pass. For a fixed suite, it is the earlier message;
   * otherwise it is the current message.
   */
  readonly detail: string;
}

export interface SpeedChange {
  readonly id: string;
  /** The new speed divided by the old speed. */
  readonly ratio: number;
  /** Whether the sample ranges of the two campaigns do not overlap. */
  readonly isApart: boolean;
}

/**
 * Compares two campaigns. Machines with equal names are the same machine. If both campaigns have a
 * single machine, these two machines are compared.
 */
export function compareCampaigns(before: readonly Machine[], after: readonly Machine[]): MachineChange[] {
  const [only, now] = [before[0], after[0]];
  if (before.length === 1 && after.length === 1 && only && now) return [changeOf(now.executor, only, now)];
  const names = [...new Set([...before, ...after].map(({ executor }) => executor))];
  const find = (list: readonly Machine[], name: string): Machine | undefined =>
    list.find(({ executor }) => executor === name);
  return names.map((name) => changeOf(name, find(before, name), find(after, name)));
}

/** Whether a suite passed before but does not pass now, or a machine is missing. */
export function hasWorsened(changes: readonly MachineChange[]): boolean {
  return changes.some(({ broken, after }) => broken.length > 0 || after === undefined);
}

function changeOf(machine: string, before: Machine | undefined, after: Machine | undefined): MachineChange {
  const nothing = { traits: [], broken: [], mended: [], stillBad: [], uncompared: 0, good: 0, observed: [], speed: [] };
  if (!before || !after) return { machine, before, after, ...nothing };
  const both = [before, after];
  const lists: Record<'broken' | 'mended' | 'stillBad', SuiteChange[]> = { broken: [], mended: [], stillBad: [] };
  let uncompared = 0;
  let good = 0;
  for (const id of suiteIds(both)) {
    const [old, now] = both.map(({ results }) => worstOf(results.get(id) ?? []));
    if (!old || !now || old.status === 'skipped' || now.status === 'skipped') {
      uncompared++;
      continue;
    }
    if (old.status === 'pass' && now.status === 'pass') {
      good++;
      continue;
    }
    const kind = old.status === 'pass' ? 'broken' : now.status === 'pass' ? 'mended' : 'stillBad';
    const detail = kind === 'mended' ? old.detail : now.detail;
    lists[kind].push({ id, before: statusText(before, id), after: statusText(after, id), detail });
  }
  const traits = [...new Set([...before.traits.keys(), ...after.traits.keys()])].flatMap((trait) => {
    const [old = 'unknown', now = 'unknown'] = both.map((one) => one.traits.get(trait));
    return old === now ? [] : [{ trait, before: old, after: now }];
  });
  return { machine, before, after, traits, ...lists, uncompared, good, ...measured(both) };
}

function measured(both: readonly Machine[]): Pick<MachineChange, 'observed' | 'speed'> {
  const observed = observedRows(both).flatMap(({ name, values: [old, now] }) => {
    if (!old || !now) return [];
    // A different seed selects different lanes. So the observed kinds are compared, but not their
    // counts.
    const isSame = Object.keys(old).sort().join() === Object.keys(now).sort().join();
    return isSame ? [] : [{ name, before: observedText(old), after: observedText(now) }];
  });
  const speed = speedRows(both).flatMap(({ name, values: [old, now] }) => {
    if (!old || !now || old.unit !== now.unit) return [];
    const isApart = now.min > old.max || now.max < old.min;
    return [{ id: name, ratio: now.median / old.median, isApart }];
  });
  return { observed, speed };
}
