// Combines the JSON documents of several machines.

import { groupBy } from '../../base/group-by.ts';
import { fieldsOf, textOf } from '../../base/json-value.ts';
import { type Unit, units } from '../../base/rate.ts';
import type { CaseLanes } from '../compare/lane-table.ts';
import { caseLanesOf } from '../compare/lane-table-json.ts';
import type { Observed } from '../compare/observed.ts';
import { observedOf } from '../compare/observed-json.ts';
import { type Traits, traitsOf } from './machine-traits.ts';
import { isStatus, type Status } from './results.ts';

/** The result of one suite on one executor, from a document. */
export interface MachineResult {
  readonly id: string;
  readonly status: Status | 'skipped';
  readonly cases: number;
  readonly compared: number;
  readonly undefined: number;
  readonly mismatches: number;
  /** The first difference, or the error; can be empty. */
  readonly detail: string;
  /** The lanes of the first cases that differ. */
  readonly lanes: readonly CaseLanes[];
  /** The observed values of lanes that PTX leaves undefined. */
  readonly observed: Observed;
  /** The rate of a benchmark's entry in units per second. */
  readonly rate?: Rate;
}

export interface Rate {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly unit: Unit;
}

/**
 * The maximum number of executors with different suites in a document. Most documents name a few
 * executors. The document of a fleet names hundreds, but all of them ran the same suites. Tables
 * have a column for each executor and a row for each suite.
 */
const maxExecutors = 64;
/** The maximum ratio of all cells of such a table to its nonempty cells. */
const maxEmptiness = 8;

/** One executor of one document. */
export interface Machine {
  /** The name, which is unique among the merged machines. */
  readonly name: string;
  /** The name of the machine in the document: an executor, or a machine of a fleet. */
  readonly executor: string;
  readonly file: string;
  /** Facts such as adapter, subgroup size, lane plan, browser or library. */
  readonly facts: readonly (readonly [string, string])[];
  /** The properties that distinguish the machine from other machines. */
  readonly traits: Traits;
  /**
   * The results by id, in the document's order. An id may have several results, for example if two
   * case files have the same id.
   */
  readonly results: ReadonlyMap<string, readonly MachineResult[]>;
}

/** The error for a file that is not a document of `lanewise validate` or `run`. */
export class MergeError extends Error {
  constructor(file: string, reason: string) {
    super(`${file} ${reason}`);
    this.name = 'MergeError';
  }
}

/** Returns the machines of a parsed document. Throws `MergeError` if the document is invalid. */
export function machinesOf(file: string, document: unknown): Machine[] {
  const { schemaVersion, results, tool } = fieldsOf(document);
  if (schemaVersion !== 1 || !Array.isArray(results)) {
    throw new MergeError(file, 'is not a result of `lanewise validate` (a JSON document with schemaVersion 1)');
  }
  const byExecutor = groupBy(results, (result: unknown) => {
    const { executor } = fieldsOf(result);
    if (typeof executor !== 'string') throw new MergeError(file, 'has a result without an executor');
    return executor;
  });
  if (byExecutor.size === 0) throw new MergeError(file, 'has no results');
  if (byExecutor.size > maxExecutors) {
    const ids = new Set(results.map((result: unknown) => fieldsOf(result).id));
    if (byExecutor.size * ids.size > maxEmptiness * results.length)
      throw new MergeError(file, `names more than ${maxExecutors} executors that ran different suites`);
  }
  return [...byExecutor].map(([executor, list]) => ({
    name: machineName(executor, list[0]),
    executor,
    file,
    facts: factsOf(executor, list[0], tool),
    traits: traitsOf(list[0]),
    results: groupBy(
      list.map((result) => resultOf(file, result)),
      ({ id }) => id,
    ),
  }));
}

/** Appends numbers to the names of machines with equal names, so that all names are unique. */
export function withUniqueNames(machines: readonly Machine[]): Machine[] {
  const total = new Map<string, number>();
  for (const { name } of machines) total.set(name, (total.get(name) ?? 0) + 1);
  const taken = new Set(total.keys());
  const counts = new Map<string, number>();
  return machines.map((machine) => {
    if (total.get(machine.name) === 1) return machine;
    let count = counts.get(machine.name) ?? 0;
    let name: string;
    do name = `${machine.name} (${++count})`;
    while (taken.has(name));
    counts.set(machine.name, count);
    taken.add(name);
    return { ...machine, name };
  });
}

/** Returns all results of a machine. */
export function resultsOf({ results }: Machine): MachineResult[] {
  return [...results.values()].flat();
}

/** Returns the most severe of several results of one id; undefined for an empty list. */
export function worstOf(results: readonly MachineResult[]): MachineResult | undefined {
  for (const status of severity) {
    const found = results.find((result) => result.status === status);
    if (found) return found;
  }
  return undefined;
}

/** The statuses, the most severe first. */
const severity = ['fail', 'error', 'unsupported', 'pass', 'skipped'] as const;

/** Returns the ids of the suites of all machines, in the order of first appearance. */
export function suiteIds(machines: readonly Machine[]): string[] {
  return [...new Set(machines.flatMap(({ results }) => [...results.keys()]))];
}

/** A suite that did not pass everywhere, or that a machine lacks. */
export interface UnevenSuite {
  readonly id: string;
  /**
   * The `statusText` of each machine, by name. Machines that lack the suite have no entry, so that
   * the table is not larger than the documents.
   */
  readonly statuses: ReadonlyMap<string, string>;
}

/** Returns the uneven suites in the order of first appearance. */
export function unevenSuites(machines: readonly Machine[]): UnevenSuite[] {
  const passes = new Map<string, number>();
  for (const { results } of machines) {
    for (const [id, list] of results) {
      const passed = list.every(({ status }) => status === 'pass');
      passes.set(id, (passes.get(id) ?? 0) + (passed ? 1 : 0));
    }
  }
  const uneven = new Map<string, Map<string, string>>();
  for (const [id, count] of passes) if (count < machines.length) uneven.set(id, new Map());
  for (const machine of machines)
    for (const id of machine.results.keys()) uneven.get(id)?.set(machine.name, statusText(machine, id));
  return [...uneven].map(([id, statuses]) => ({ id, statuses }));
}

/**
 * Returns `pass`, `absent`, or all statuses of an id with several results, such as `pass, fail`.
 */
export function statusText({ results }: Machine, id: string): string {
  return (
    results
      .get(id)
      ?.map(({ status }) => status)
      .join(', ') ?? 'absent'
  );
}

/** Whether any machine failed a suite: with a mismatch, an error, or an unsupported form. */
export function anyFailed(machines: readonly Machine[]): boolean {
  return machines.some((machine) => resultsOf(machine).some(({ status }) => status !== 'pass' && status !== 'skipped'));
}

function resultOf(file: string, result: unknown): MachineResult {
  const {
    id,
    status,
    cases,
    compared,
    undefined: unknown,
    mismatches,
    first,
    lanes,
    message,
    skipped,
    observed,
    rate,
  } = fieldsOf(result);
  if (typeof id !== 'string' || !isStatus(status)) throw new MergeError(file, 'has a result without an id or a status');
  // A result with mismatches cannot have passed, so such a document is invalid.
  const differs = numberOf(mismatches) > 0 || first !== undefined;
  if (status === 'pass' && differs)
    throw new MergeError(file, `contains a result with mismatches and status pass: ${id}`);
  const isSkipped = status === 'unsupported' && typeof skipped === 'string';
  const { expected, got, lane, reproduce } = fieldsOf(first);
  const difference =
    first === undefined
      ? ''
      : `lane ${textOf(lane ?? '?')}: expected ${textOf(expected)}, got ${textOf(got)}${reproduce ? `; ${textOf(reproduce)}` : ''}`;
  return {
    id,
    status: isSkipped ? 'skipped' : status,
    cases: numberOf(cases),
    compared: numberOf(compared),
    undefined: numberOf(unknown),
    mismatches: numberOf(mismatches),
    detail: [difference, typeof skipped === 'string' ? skipped : '', typeof message === 'string' ? message : '']
      .filter((text) => text !== '')
      .join('\n'),
    lanes: caseLanesOf(lanes),
    observed: observedOf(observed),
    ...rateOf(rate),
  };
}

function rateOf(value: unknown): { readonly rate?: Rate } {
  const { median, min, max, unit } = fieldsOf(value);
  const known = units.find((name) => name === unit);
  const rate = { median: numberOf(median), min: numberOf(min), max: numberOf(max) };
  return known === undefined || rate.median === 0 ? {} : { rate: { ...rate, unit: known } };
}

function machineName(executor: string, result: unknown): string {
  const { description, device, architecture, vendor } = fieldsOf(fieldsOf(result).adapter);
  const name = [description, device, architecture, vendor].find((text) => typeof text === 'string' && text !== '');
  return typeof name === 'string' ? `${name}, ${executor}` : executor;
}

function factsOf(executor: string, result: unknown, tool: unknown): [string, string][] {
  const { adapter, lanePlan } = fieldsOf(result);
  const { subgroupSize, software, host, vendor, architecture, device, description } = fieldsOf(adapter);
  const { version, platform } = fieldsOf(tool);
  const facts: [string, unknown][] = [
    ['executor', executor],
    ['adapter', [vendor, architecture, device].filter((text) => typeof text === 'string' && text !== '').join(' ')],
    ['driver', description],
    ['software', software === true ? 'yes' : software === false ? 'no' : undefined],
    ['subgroup size', subgroupSize],
    ['lane plan', lanePlan],
    ['host', host],
    ['platform', platform],
    ['lanewise', version],
  ];
  return facts.flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null || value === '' ? [] : [[name, textOf(value)]],
  );
}

/** Returns a count; 0 if the value is not a valid count. */
function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
