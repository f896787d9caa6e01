// Results as JUnit XML, which continuous integration systems read.

import type { Result } from '../runs/results.ts';
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

// What may not stand in XML 1.0 at all, even escaped: control characters other than tab and newlines, U+FFFE and U+FFFF.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const entities = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/// Text as it may stand in XML and HTML, between tags and in quoted attributes.
export function escapeXml(text: string): string {
  return wellFormed(text)
    .replace(forbidden, '')
    .replace(/[<>&"']/g, (character) => entities.get(character) ?? character);
}

/// Lone surrogates, which are no characters, as U+FFFD.
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
