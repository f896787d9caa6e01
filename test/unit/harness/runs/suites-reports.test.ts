import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { ExecutorReport } from '../../../../src/harness/executors/executor.ts';
import { githubAnnotations } from '../../../../src/harness/report/github.ts';
import { htmlDocument } from '../../../../src/harness/report/html.ts';
import { jsonDocument } from '../../../../src/harness/report/json.ts';
import { junitDocument } from '../../../../src/harness/report/junit.ts';
import { describeFailure, observedTable, resultTable } from '../../../../src/harness/report/text.ts';
import { exitCodeOf, type Result } from '../../../../src/harness/runs/results.ts';

const cpu: ExecutorReport = { name: 'cpu' };
const pass: Result = {
  id: 'shfl.sync:up:register',
  executor: cpu,
  status: 'pass',
  cases: 64,
  compared: 4096,
  undefined: 12,
  mismatches: 0,
  first: undefined,
  message: '',
  errorKind: undefined,
  ms: 12.5,
};
const fail: Result = {
  ...pass,
  id: 'vote.sync:all:groups',
  status: 'fail',
  mismatches: 3,
  first: {
    instruction: 'vote.sync.all.pred %d0, %a, 0x1;',
    lane: 7,
    operands: { a: '<1>' },
    expected: '0x1',
    got: '0x0',
  },
};
const error = (errorKind: Result['errorKind']): Result => ({
  ...pass,
  status: 'error',
  compared: 0,
  errorKind,
  message: 'a "bad" thing & more',
});
const unsupported: Result = { ...pass, status: 'unsupported', compared: 0 };
const tool = { name: 'lanewise', version: '0.0.0', node: '20', platform: 'linux-x64' };

describe('exitCodeOf', () => {
  it.each<[string, readonly Result[], number]>([
    ['all pass', [pass, pass], 0],
    ['a mismatch', [pass, fail], 1],
    ['a mismatch and a timeout', [error('timeout'), fail], 1],
    ['nothing ran', [], 1],
    ['nothing compared', [{ ...pass, compared: 0 }], 1],
    ['bad PTX', [pass, error('invalid')], 2],
    ['unsupported PTX', [pass, unsupported], 2],
    ['skipped with a reason', [pass, { ...unsupported, skipped: 'why' }], 0],
    ['only skipped suites', [{ ...unsupported, skipped: 'why' }], 1],
    ['no adapter', [pass, error('unavailable')], 3],
    ['a lost device', [pass, error('lost')], 4],
    ['a timeout', [pass, error('timeout')], 4],
    ['a shader that does not compile', [pass, error('shader')], 1],
    ['an unexpected error', [pass, error('other')], 1],
  ])('%s', (_, results, code) => {
    expect(exitCodeOf(results)).toBe(code);
  });
});

describe('reports', () => {
  it('prints a table', () => {
    const table = resultTable([pass, pass, fail], ({ id }) => id.split(':')[0] ?? '', picocolors.createColors(false));
    expect(`\n${table}\n`).toMatchInlineSnapshot(`
      "
                   suites  cases  lanes compared  undefined  mismatches  ms
      ✓ shfl.sync       2    128           8,192         24           0  25
      ✗ vote.sync       1     64           4,096         12           3  13
        ───────────────────────────────────────────────────────────────────
      ✗ total           3    192          12,288         36           3  38
      "
    `);
  });

  it('prints skipped suites with the reason, and the values in undefined lanes', () => {
    const plain = picocolors.createColors(false);
    const name = ({ id }: Result): string => id.split(':')[0] ?? '';
    const skipped: Result = { ...unsupported, cases: 0, undefined: 0, ms: 0, skipped: 'it traps' };
    const results = [pass, skipped, { ...skipped, id: 'redux.sync:x' }];
    expect(`\n${resultTable(results, name, plain)}\n`).toMatchInlineSnapshot(`
      "
                    suites  skipped  cases  lanes compared  undefined  mismatches  ms
      ✓ shfl.sync        2        1     64           4,096         12           0  13
      – redux.sync       1        1      0               0          0           0   0
        ─────────────────────────────────────────────────────────────────────────────
      ✓ total            3        2     64           4,096         12           0  13
      – 2 suites skipped: it traps
      "
    `);
    expect(exitCodeOf(results)).toBe(0);
    expect(githubAnnotations(results)).toEqual([]);
    const seen = [
      { ...pass, observed: { 'source has exited': { zero: 1200 } } },
      { ...pass, observed: { 'source has exited': { zero: 1, other: 3 }, 'source predicated off': { other: 2 } } },
      fail,
    ];
    expect(`\n${observedTable(seen, name, plain)}\n`).toMatchInlineSnapshot(`
      "
        lanes undefined by PTX hold        zero  own value  source value  reference value  other
        shfl.sync: source has exited      1,201          ·             ·                ·      3
        shfl.sync: source predicated off      ·          ·             ·                ·      2
      "
    `);
    expect(observedTable([pass, fail], name, plain)).toBe('');
  });

  it('describes a failure', () => {
    expect(`\n${describeFailure(fail, picocolors.createColors(false))}\n`).toMatchInlineSnapshot(`
      "
      ✗ vote.sync:all:groups on cpu: fail, 3 of 4,096 differ
          instruction: vote.sync.all.pred %d0, %a, 0x1;
          lane:        7
          operands:    a=<1>
          expected:    0x1
          got:         0x0
      "
    `);
  });

  it('writes JSON with the data to reproduce a result', () => {
    const run = { command: 'validate', query: ['shfl'], seed: 5, started: '2025-11-20T00:00:00Z', ms: 1 } as const;
    const document = JSON.parse(JSON.stringify(jsonDocument(tool, run, [pass, fail])));
    expect(document).toMatchObject({
      schemaVersion: 1,
      tool: { version: '0.0.0' },
      run: { seed: 5, query: ['shfl'] },
      results: [
        {
          id: pass.id,
          executor: 'cpu',
          adapter: null,
          lanePlan: null,
          seed: 5,
          status: 'pass',
          compared: 4096,
          undefined: 12,
        },
        { id: fail.id, status: 'fail', mismatches: 3, first: { lane: 7, expected: '0x1', got: '0x0' } },
      ],
    });
  });

  it('writes JUnit XML', () => {
    expect(junitDocument([pass, fail, { ...error('other'), message: 'a <b>\u0001 & "c"' }])).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
      <testsuite name="lanewise.cpu" tests="3" failures="1" errors="1" skipped="0" time="0.037">
        <testcase classname="shfl.sync" name="shfl.sync:up:register" time="0.013"/>
        <testcase classname="vote.sync" name="vote.sync:all:groups" time="0.013"><failure message="instruction: vote.sync.all.pred %d0, %a, 0x1;">instruction: vote.sync.all.pred %d0, %a, 0x1;
      lane:        7
      operands:    a=&lt;1&gt;
      expected:    0x1
      got:         0x0</failure></testcase>
        <testcase classname="shfl.sync" name="shfl.sync:up:register" time="0.013"><error message="a &lt;b&gt; &amp; &quot;c&quot;">a &lt;b&gt; &amp; &quot;c&quot;</error></testcase>
      </testsuite>
      </testsuites>
      "
    `);
  });

  it('escapes the text of a page', () => {
    const page = htmlDocument(tool, "npx lanewise validate '<q>'", [fail]);
    expect(page).toContain('a=&lt;1&gt;');
    expect(page).toContain('&lt;q&gt;');
    expect(page).toContain('3 mismatches');
  });

  it('writes one GitHub annotation per failure', () => {
    expect(githubAnnotations([pass, fail])).toMatchInlineSnapshot(`
      [
        "::error title=vote.sync%3Aall%3Agroups on cpu::instruction: vote.sync.all.pred %25d0, %25a, 0x1;%0Alane:        7%0Aoperands:    a=<1>%0Aexpected:    0x1%0Agot:         0x0",
      ]
    `);
  });
});
