// Puts the JSON documents of several machines side by side.
import type { CaseLanes } from '../compare/lane-table.ts';
import { caseLanesOf } from '../compare/lane-table-json.ts';
import { isStatus, type Status } from './results.ts';

/// What one document says of one suite on one executor.
export interface MachineResult {
  readonly id: string;
  readonly status: Status | 'skipped';
  readonly cases: number;
  readonly compared: number;
  readonly undefined: number;
  readonly mismatches: number;
  /// The first difference, or what went wrong; '' where there is nothing to say.
  readonly detail: string;
  /// The first cases that differ, lane by lane.
  readonly lanes: readonly CaseLanes[];
}

/// One executor of one document.
export interface Machine {
  /// Unique among the merged ones.
  readonly name: string;
  readonly file: string;
  /// Adapter, subgroup size and lane plan, browser or library.
  readonly facts: readonly (readonly [string, string])[];
  readonly results: ReadonlyMap<string, MachineResult>;
}

/// A file that is no document of `lanewise validate` or `run`.
export class MergeError extends Error {
  constructor(file: string, reason: string) {
    super(`${file} ${reason}`);
    this.name = 'MergeError';
  }
}

/// The machines of a parsed document. Throws `MergeError`.
export function machinesOf(file: string, document: unknown): Machine[] {
  const { schemaVersion, results, tool } = fieldsOf(document);
  if (schemaVersion !== 1 || !Array.isArray(results)) {
    throw new MergeError(file, 'is no result of `lanewise validate` (a JSON document with schemaVersion 1)');
  }
  const byExecutor = new Map<string, unknown[]>();
  for (const result of results) {
    const { executor } = fieldsOf(result);
    if (typeof executor !== 'string') throw new MergeError(file, 'has a result without an executor');
    byExecutor.set(executor, [...(byExecutor.get(executor) ?? []), result]);
  }
  if (byExecutor.size === 0) throw new MergeError(file, 'has no results');
  return [...byExecutor].map(([executor, list]) => {
    const parsed = list.map((result) => resultOf(file, result));
    return {
      name: machineName(executor, list[0]),
      file,
      facts: factsOf(executor, list[0], tool),
      results: new Map(parsed.map((result) => [result.id, result])),
    };
  });
}

/// Gives machines of the same name a number each.
export function withUniqueNames(machines: readonly Machine[]): Machine[] {
  const counts = new Map<string, number>();
  return machines.map((machine) => {
    const isAlone = machines.filter(({ name }) => name === machine.name).length === 1;
    const count = (counts.get(machine.name) ?? 0) + 1;
    counts.set(machine.name, count);
    return isAlone ? machine : { ...machine, name: `${machine.name} (${count})` };
  });
}

/// Ids of suites that any machine has, in the order of their first appearance.
export function suiteIds(machines: readonly Machine[]): string[] {
  return [...new Set(machines.flatMap(({ results }) => [...results.keys()]))];
}

/// Suites that did not pass everywhere, or that some machine does not have.
export function unevenSuites(machines: readonly Machine[]): string[] {
  return suiteIds(machines).filter((id) => {
    const statuses = machines.map(({ results }) => results.get(id)?.status);
    return statuses.some((status) => status !== 'pass');
  });
}

/// Whether anything counts against a machine: a mismatch, an error, a form that it does not support.
export function anyFailed(machines: readonly Machine[]): boolean {
  return machines.some(({ results }) =>
    [...results.values()].some(({ status }) => status !== 'pass' && status !== 'skipped'),
  );
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
  } = fieldsOf(result);
  if (typeof id !== 'string' || !isStatus(status)) throw new MergeError(file, 'has a result without an id or a status');
  const { expected, got, lane, reproduce } = fieldsOf(first);
  const difference =
    first === undefined
      ? ''
      : `lane ${lane ?? '?'}: expected ${expected}, got ${got}${reproduce ? `; ${reproduce}` : ''}`;
  return {
    id,
    status: typeof skipped === 'string' ? 'skipped' : status,
    cases: numberOf(cases),
    compared: numberOf(compared),
    undefined: numberOf(unknown),
    mismatches: numberOf(mismatches),
    detail: [difference, typeof skipped === 'string' ? skipped : '', typeof message === 'string' ? message : '']
      .filter((text) => text !== '')
      .join('\n'),
    lanes: caseLanesOf(lanes),
  };
}

function machineName(executor: string, result: unknown): string {
  const { description, device, architecture, vendor } = fieldsOf(fieldsOf(result).adapter);
  const name = [description, device, architecture, vendor].find((text) => typeof text === 'string' && text !== '');
  return typeof name === 'string' ? `${name}, ${executor}` : executor;
}

function factsOf(executor: string, result: unknown, tool: unknown): [string, string][] {
  const { adapter, lanePlan } = fieldsOf(result);
  const { subgroupSize, software, host, vendor, architecture, device } = fieldsOf(adapter);
  const { version, platform } = fieldsOf(tool);
  const facts: [string, unknown][] = [
    ['executor', executor],
    ['adapter', [vendor, architecture, device].filter((text) => typeof text === 'string' && text !== '').join(' ')],
    ['software', software === true ? 'yes' : software === false ? 'no' : undefined],
    ['subgroup size', subgroupSize],
    ['lane plan', lanePlan],
    ['host', host],
    ['platform', platform],
    ['lanewise', version],
  ];
  return facts.flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
