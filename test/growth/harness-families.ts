// Documents, cases, messages and reports that could make the harness slow.

import picocolors from 'picocolors';
import type { Launch } from '../../src/base/launch.ts';
import { oneLine, printable, printableButColors, withoutWorkflowCommands } from '../../src/base/printable.ts';
import { toJson } from '../../src/cli/report-files.ts';
import { compareOutputs } from '../../src/harness/compare/compare.ts';
import { describeCase, parseCase, writeCase } from '../../src/harness/launches/case-file.ts';
import { htmlDocument } from '../../src/harness/report/html.ts';
import { jsonDocument } from '../../src/harness/report/json.ts';
import { junitDocument } from '../../src/harness/report/junit.ts';
import { mergeHtmlDocument } from '../../src/harness/report/merge-html.ts';
import { resultTable } from '../../src/harness/report/text.ts';
import { machinesOf, unevenSuites, withUniqueNames } from '../../src/harness/runs/merge-results.ts';
import type { Result } from '../../src/harness/runs/results.ts';
import { decodeResult, encodeResult } from '../../src/harness/webgpu/wire.ts';
import type { Family } from './measure.ts';

const many = <Item>(size: number, each: (index: number) => Item): Item[] =>
  Array.from({ length: size }, (_, index) => each(index));
const tool = { name: 'lanewise', version: '0', node: '20', platform: 'linux-x64' };
const run = { command: 'run', query: [], started: '', ms: 0 } as const;

const result = (id: string, status: Result['status'] = 'pass'): Result => ({
  id,
  executor: { name: 'cpu' },
  status,
  cases: 1,
  compared: 32,
  undefined: 0,
  mismatches: status === 'fail' ? 1 : 0,
  first: status === 'fail' ? { expected: '1', got: '2' } : undefined,
  message: '',
  errorKind: undefined,
  ms: 1,
});
const document = (results: readonly Result[]): unknown => JSON.parse(JSON.stringify(jsonDocument(tool, run, results)));

function merged(documents: readonly unknown[]): unknown {
  const machines = withUniqueNames(documents.flatMap((each) => machinesOf('a.json', each)));
  return [unevenSuites(machines), mergeHtmlDocument('lanewise merge', machines)];
}

const base = { id: 'one', ptx: 'one.ptx', entry: 'k', grid: [1, 1, 1], block: [32, 1, 1] };
const scalar = (index: number): object => ({ name: `n${index}`, kind: 'u32', value: index });
const buffer = (bytes: number): object => ({
  name: 'b',
  kind: 'buffer',
  type: 'u8',
  bytes,
  data: Buffer.alloc(bytes).toString('base64'),
});
const launchWith = (bytes: number): Launch =>
  parseCase(JSON.stringify({ ...base, params: [{ ...buffer(bytes), type: 'u32' }] }), 'ret;');

export const harnessFamilies: readonly Family[] = [
  {
    name: 'merge: suites that pass',
    size: 2000,
    prepare: (n) => {
      const one = document(many(n, (i) => result(`row${i}:form${i % 5}`)));
      return () => merged([one, one]);
    },
  },
  {
    name: 'merge: suites that fail',
    size: 1000,
    prepare: (n) => {
      const one = document(many(n, (i) => result(`row${i}:form${i % 5}`, 'fail')));
      return () => merged([one, one]);
    },
  },
  {
    name: 'merge: one id',
    size: 2000,
    prepare: (n) => {
      const one = document(many(n, () => result('row:form', 'fail')));
      return () => merged([one]);
    },
  },
  {
    name: 'merge: a form for each suite',
    size: 1000,
    prepare: (n) => {
      const one = document(many(n, (i) => result(`row${i}:form${i}`)));
      return () => merged([one]);
    },
  },
  {
    name: 'merge: an id of many parts',
    size: 20_000,
    prepare: (n) => {
      const one = document([result('a:'.repeat(n), 'fail')]);
      return () => merged([one]);
    },
  },
  {
    name: 'merge: executors',
    size: 2000,
    prepare: (n) => {
      const one = { schemaVersion: 1, results: many(n, (i) => ({ ...result('a'), executor: `e${i}` })) };
      return () => {
        try {
          return machinesOf('a.json', one);
        } catch (error) {
          return error;
        }
      };
    },
  },
  {
    name: 'machines of one name',
    size: 2000,
    prepare: (n) => {
      const machines = many(n, (i) => ({
        name: i % 2 === 0 ? 'A' : `A (${i})`,
        executor: 'chrome',
        file: '',
        facts: [],
        traits: new Map(),
        results: new Map(),
      }));
      return () => withUniqueNames(machines);
    },
  },
  {
    name: 'case: parameters',
    size: 500,
    prepare: (n) => {
      const json = JSON.stringify({ ...base, params: many(n, scalar) });
      return () => describeCase(json);
    },
  },
  {
    name: 'case: bytes of a buffer',
    size: 1 << 18,
    prepare: (n) => {
      const json = JSON.stringify({ ...base, params: [buffer(n)] });
      return () => describeCase(json);
    },
  },
  {
    name: 'case: deep nesting',
    size: 50_000,
    prepare: (n) => {
      const json = `{"id":"one","params":[],"block":${'['.repeat(n)}${']'.repeat(n)}}`;
      return () => {
        try {
          return describeCase(json);
        } catch (error) {
          return error;
        }
      };
    },
  },
  {
    name: 'case: written',
    size: 1 << 18,
    prepare: (n) => {
      const launch = launchWith(n);
      return () => writeCase(launch, 'one.ptx');
    },
  },
  {
    name: 'comparison: elements that differ',
    size: 1 << 15,
    prepare: (n) => {
      const launch = launchWith(n);
      const outputs = (value: number) => new Map([[0, new Uint8Array(n).fill(value)]]);
      return () => compareOutputs(launch, outputs(1), outputs(2));
    },
  },
  {
    name: 'report: table',
    size: 2000,
    prepare: (n) => {
      const results = many(n, (i) => result(`row${i}:form`, i % 3 === 0 ? 'fail' : 'pass'));
      return () => resultTable(results, ({ id }) => id, picocolors.createColors(false));
    },
  },
  {
    name: 'report: page',
    size: 1000,
    prepare: (n) => {
      const results = many(n, (i) => result(`row${i}:form`, i % 3 === 0 ? 'fail' : 'pass'));
      return () => htmlDocument(tool, 'lanewise run', results);
    },
  },
  {
    name: 'report: JUnit',
    size: 2000,
    prepare: (n) => {
      const results = many(n, (i) => result(`row${i}:form`, i % 3 === 0 ? 'fail' : 'pass'));
      return () => junitDocument(results);
    },
  },
  {
    name: 'report: JSON',
    size: 2000,
    prepare: (n) => {
      const results = many(n, (i) => result(`row${i}\u202e##[x]`));
      return () => toJson(jsonDocument(tool, run, results));
    },
  },
  {
    name: 'message: buffers',
    size: 2000,
    prepare: (n) => {
      const parts = encodeResult({ ms: 1, buffers: new Map(many(n, (i) => [i, new Uint8Array(9)])) });
      const whole = Buffer.concat(parts);
      const bytes = whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.length);
      return () => decodeResult(bytes);
    },
  },
  { name: 'printable: control characters', size: 100_000, prepare: (n) => () => printable('\u001b'.repeat(n)) },
  {
    name: 'printable: colors that never end',
    size: 100_000,
    prepare: (n) => () => printableButColors('\u001b[1;1;'.repeat(n)),
  },
  { name: 'printable: one line', size: 100_000, prepare: (n) => () => oneLine('\n\t\ud800'.repeat(n)) },
  { name: 'workflow commands: spaces', size: 100_000, prepare: (n) => () => withoutWorkflowCommands(' '.repeat(n)) },
  {
    name: 'workflow commands: lines',
    size: 50_000,
    prepare: (n) => () => withoutWorkflowCommands('\n  ::x ##['.repeat(n)),
  },
  {
    name: 'workflow commands: empty lines',
    size: 50_000,
    prepare: (n) => () => withoutWorkflowCommands('\n'.repeat(n)),
  },
];
