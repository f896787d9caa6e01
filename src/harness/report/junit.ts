// Writes results as JUnit XML for continuous integration systems.

import type { MachineChange } from '../runs/compare-campaigns.ts';
import { type Machine, type MachineResult, resultsOf } from '../runs/merge-results.ts';
import type { Result } from '../runs/results.ts';
import { escapeXml } from './escape.ts';
import { describeFirst } from './text.ts';

/** Returns one `testsuite` per executor and one `testcase` per result. */
export function junitDocument(results: readonly Result[]): string {
  const executors = [...new Set(results.map(({ executor }) => executor.name))];
  const suites = executors.map((name) =>
    testSuite(
      name,
      results.filter(({ executor }) => executor.name === name),
    ),
  );
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n');
}

/** Returns one `testsuite` per machine of a fleet. */
export function junitOfMachines(machines: readonly Machine[]): string {
  const suites = machines.map((machine) => machineSuite(machine.name, resultsOf(machine)));
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n');
}

/**
 * Returns one `testsuite` per machine of two campaigns. A test fails if it passed before and does
 * not pass now. A test that passed in neither campaign is skipped.
 */
export function junitOfChanges(changes: readonly MachineChange[]): string {
  const suites = changes.map(({ machine, before, after, broken, mended, stillBad }) => {
    const gone = before !== undefined && after === undefined;
    const cases = [
      ...broken.map(({ id, detail }) => testCase({ id, status: 'fail', detail })),
      ...(gone
        ? [testCase({ id: machine, status: 'fail', detail: 'the machine is only in the earlier campaign' })]
        : []),
      ...mended.map(({ id }) => testCase({ id, status: 'pass', detail: '' })),
      ...stillBad.map(({ id, detail }) => testCase({ id, status: 'unsupported', detail })),
    ];
    const failures = broken.length + (gone ? 1 : 0);
    const head = `<testsuite name="${escapeXml(machine)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="${stillBad.length}">`;
    return [head, ...cases, '</testsuite>'].join('\n');
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n');
}

function machineSuite(name: string, results: readonly MachineResult[]): string {
  const count = (status: MachineResult['status']): number =>
    results.filter((result) => result.status === status).length;
  const skipped = count('unsupported') + count('skipped');
  const head = `<testsuite name="${escapeXml(name)}" tests="${results.length}" failures="${count('fail')}" errors="${count('error')}" skipped="${skipped}">`;
  const cases = results.map(({ id, status, detail }) =>
    testCase({ id, status: status === 'skipped' ? 'unsupported' : status, detail }),
  );
  return [head, ...cases, '</testsuite>'].join('\n');
}

function testSuite(name: string, results: readonly Result[]): string {
  const count = (status: Result['status']): number => results.filter((result) => result.status === status).length;
  const seconds = results.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  const head = `<testsuite name="lanewise.${name}" tests="${results.length}" failures="${count('fail')}" errors="${count('error')}" skipped="${count('unsupported')}" time="${seconds.toFixed(3)}">`;
  return [head, ...results.map((result) => testCase({ ...result, detail: detailOf(result) })), '</testsuite>'].join(
    '\n',
  );
}

const elements = { fail: 'failure', error: 'error', unsupported: 'skipped' } as const;

interface TestCase extends Pick<Result, 'id' | 'status'> {
  readonly ms?: number;
  /** The problem. Its first line is the summary. */
  readonly detail: string;
}

function testCase({ id, status, ms, detail }: TestCase): string {
  const [row = ''] = id.split(':');
  const time = ms === undefined ? '' : ` time="${(ms / 1000).toFixed(3)}"`;
  const head = `<testcase classname="${escapeXml(row)}" name="${escapeXml(id)}"${time}`;
  if (status === 'pass') return `  ${head}/>`;
  const element = elements[status];
  const [summary = ''] = detail.split('\n');
  return `  ${head}><${element} message="${escapeXml(summary)}">${escapeXml(detail)}</${element}></testcase>`;
}

const detailOf = ({ first, message }: Result): string =>
  [...(first ? [describeFirst(first)] : []), message].filter(Boolean).join('\n');
