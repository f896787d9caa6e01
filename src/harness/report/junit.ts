// Results as JUnit XML, which continuous integration systems read.

import type { Result } from '../runs/results.ts';
import { escapeXml } from './escape.ts';
import { describeFirst } from './text.ts';

/// One `testsuite` an executor, one `testcase` a result.
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

function testSuite(name: string, results: readonly Result[]): string {
  const count = (status: Result['status']): number => results.filter((result) => result.status === status).length;
  const seconds = results.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  const head = `<testsuite name="lanewise.${name}" tests="${results.length}" failures="${count('fail')}" errors="${count('error')}" skipped="${count('unsupported')}" time="${seconds.toFixed(3)}">`;
  return [head, ...results.map(testCase), '</testsuite>'].join('\n');
}

const elements = { fail: 'failure', error: 'error', unsupported: 'skipped' } as const;

function testCase(result: Result): string {
  const [row = ''] = result.id.split(':');
  const head = `<testcase classname="${escapeXml(row)}" name="${escapeXml(result.id)}" time="${(result.ms / 1000).toFixed(3)}"`;
  if (result.status === 'pass') return `  ${head}/>`;
  const element = elements[result.status];
  const [summary = ''] = (result.first ? describeFirst(result.first) : result.message).split('\n');
  const body = [...(result.first ? [describeFirst(result.first)] : []), result.message].filter(Boolean).join('\n');
  return `  ${head}><${element} message="${escapeXml(summary)}">${escapeXml(body)}</${element}></testcase>`;
}
