// Tests printf, assert, the grid's barrier and calls through addresses, in the reference and on the
// lane plans in lockstep. Also tests the diagnostics of unsupported functions.
import { describe, expect, test } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { nothingPrinted } from '../../../../src/base/printed.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { comparePrinted } from '../../../../src/harness/compare/compare-printed.ts';
import { makeJob, readAnswer } from '../../../../src/harness/executors/kernel-job.ts';
import { runCase } from '../../../../src/harness/runs/run-case.ts';
import { parsePtx } from '../../../../src/ptx/index.ts';
import { planFor, statusPlaces } from '../../../../src/translate/index.ts';
import { lockstepExecutor, translateLaunch } from '../../../lockstep/lockstep-executor.ts';
import { runWgsl } from '../../../wgsl-interpreter/index.ts';

const head = `.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);
.global .align 1 .b8 number[4] = {37, 100, 10, 0};
.global .align 1 .b8 both[9] = {37, 100, 32, 37, 108, 120, 33, 10, 0};
.global .align 1 .b8 small[6] = {120, 32, 60, 32, 51, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
.global .align 1 .b8 kernel[2] = {107, 0};
`;

const printing = (choice: string, args: string): string => `${head}
.visible .entry k(.param .u64 out) {
  .local .align 8 .b8 list[16];
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 5;
  setp.eq.u32 %p2, %r1, 2;
  cvta.local.u64 %rd1, list;
  st.local.u32 [list], %r1;
  cvt.u64.u32 %rd2, %r1;
  st.local.u64 [list+8], %rd2;
  cvta.global.u64 %rd3, number;
  cvta.global.u64 %rd4, both;
  ${choice}
  mov.u32 %r2, -7;
  @!%p1 bra done;
  { .param .b64 f; .param .b64 a; .param .b32 r;
    st.param.b64 [f], %rd5; st.param.b64 [a], ${args};
    call.uni (r), vprintf, (f, a);
    ld.param.b32 %r2, [r]; }
done:
  ld.param.u64 %rd6, [out];
  mad.wide.u32 %rd7, %r1, 4, %rd6;
  st.global.u32 [%rd7], %r2;
  ret;
}`;

const launchOf = (ptx: string): Launch => ({
  id: 'services',
  group: '',
  ptx,
  ptxFile: 'services.ptx',
  entry: 'k',
  grid: [1, 1, 1],
  block: [40, 1, 1],
  sharedBytes: 0,
  params: [{ name: 'out', kind: 'buffer', type: 's32', bytes: 160 }],
});

const sizes = [1, 4, 32, 64];
const lines = (count: number, line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n));

describe('printf', () => {
  const second = (n: number) => `${n} ${n}!\n`;
  test.each([
    ['with one format', 'mov.u64 %rd5, %rd4;', '%rd1', lines(5, second), [2, 2, 2, 2, 2]],
    [
      'with one of two formats',
      'selp.b64 %rd5, %rd4, %rd3, %p2;',
      '%rd1',
      lines(5, (n) => (n === 2 ? second(n) : `${n}\n`)),
      [1, 1, 2, 1, 1],
    ],
    [
      'with a format known only at run time',
      '@%p2 bra other; mov.u64 %rd5, %rd3; bra both_; other: mov.u64 %rd5, %rd4; both_:',
      '%rd1',
      lines(5, (n) => (n === 2 ? second(n) : `${n}\n`)),
      [1, 1, 2, 1, 1],
    ],
  ] as const)('%s', async (_, choice, args, texts, counts) => {
    const launch = launchOf(printing(choice, args));
    const reference = runOnCpu(launch);
    expect(reference.printed.texts.toSorted()).toEqual(texts);
    const out = [...new Int32Array(reference.outputs.get(0)?.slice().buffer ?? new ArrayBuffer(0))];
    expect(out).toEqual([...counts, ...Array<number>(35).fill(-7)]);
    for (const size of sizes) {
      const { outputs, printed = nothingPrinted } = await lockstepExecutor(size).run(launch);
      expect(comparePrinted(texts, printed)).toMatchObject({ mismatches: 0, compared: 5 });
      // The CUDA driver returns all output as one text.
      const joined = { texts: [printed.texts.join('')], dropped: 0, isJoined: true };
      expect(comparePrinted(texts, joined)).toMatchObject({ mismatches: 0, compared: 5 });
      expect(comparePrinted([...texts].reverse(), joined)).toMatchObject({ mismatches: 0, compared: 5 });
      expect(comparePrinted(['other', ...texts.slice(1)], joined).mismatches).toBeGreaterThan(0);
      expect(outputs.get(0)).toEqual(reference.outputs.get(0));
    }
  });

  test('an extra, missing or different line is a mismatch', () => {
    const printed = { texts: ['b\n', 'a\n'], dropped: 0 };
    expect(comparePrinted(['a\n', 'b\n'], printed)).toEqual({ compared: 2, mismatches: 0, first: undefined });
    expect(comparePrinted(['a\n'], printed)).toMatchObject({ mismatches: 1, first: { got: 'b\n' } });
    expect(comparePrinted(['a\n', 'b\n', 'b\n'], printed)).toMatchObject({ mismatches: 1, first: { expected: 'b\n' } });
    expect(comparePrinted(['a\n', 'c\n'], printed)).toMatchObject({
      mismatches: 1,
      first: { expected: 'c\n', got: 'b\n' },
    });
    expect(comparePrinted(['a\n', 'b\n', 'c\n'], { ...printed, dropped: 1 })).toMatchObject({ mismatches: 0 });
  });

  test('messages that do not fit are dropped and counted', () => {
    const launch = launchOf(printing('mov.u64 %rd5, %rd4;', '%rd1'));
    const program = translateLaunch(launch, planFor(32, { subgroupId: true }));
    const job = makeJob(program, launch);
    // The buffer has room for three of the five messages. Each message is a number, a format and
    // four words.
    const bytes = 4 * (statusPlaces.messages + 3 * 6 + 5);
    const buffers = job.buffers.map((buffer) =>
      buffer.binding === program.status?.binding ? { ...buffer, bytes } : buffer,
    );
    const { printed } = readAnswer(program, launch, runWgsl({ ...job, buffers }, { subgroupSize: 32 }));
    expect(printed.dropped).toBe(2);
    expect(printed.texts).toHaveLength(3);
    expect(comparePrinted(lines(5, second), printed)).toMatchObject({ mismatches: 0 });
  });
});

const asserting = `${head}
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 33;
  @%p1 bra fine;
  cvta.global.u64 %rd1, small;
  cvta.global.u64 %rd2, file;
  cvta.global.u64 %rd3, kernel;
  { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 c;
    st.param.b64 [m], %rd1; st.param.b64 [f], %rd2; st.param.b32 [l], 12; st.param.b64 [n], %rd3; st.param.b64 [c], 1;
    call.uni __assertfail, (m, f, l, n, c); }
fine:
  ld.param.u64 %rd6, [out];
  mad.wide.u32 %rd7, %r1, 4, %rd6;
  st.global.u32 [%rd7], %r1;
  ret;
}`;

describe('assert', () => {
  const said = 'a.cu:12: k: block: [0,0,0], thread: [33,0,0] Assertion `x < 3` failed.';

  test('ends the launch with its message', async () => {
    const launch = launchOf(asserting);
    expect(runOnCpu(launch).failure).toEqual({ code: 'RUN018', message: said });
    for (const size of sizes) await expect(lockstepExecutor(size).run(launch)).rejects.toThrow(said);
  });

  test('is the expected result of a case that must fail, and an error elsewhere', async () => {
    const launch = launchOf(asserting);
    const executors = [lockstepExecutor(32)];
    const [expected] = await runCase({ ...launch, fails: said }, executors);
    expect(expected).toMatchObject({ status: 'pass', compared: 1 });
    const [other] = await runCase({ ...launch, fails: 'x < 4' }, executors);
    expect(other).toMatchObject({ status: 'fail', mismatches: 1 });
    const [surprising] = await runCase(launch, executors);
    expect(surprising).toMatchObject({ status: 'error', errorKind: 'failed' });
    const [missing] = await runCase({ ...launchOf(printing('mov.u64 %rd5, %rd4;', '%rd1')), fails: said }, executors);
    expect(missing).toMatchObject({ status: 'fail', first: { got: 'no failure' } });
  });
});

test.each([
  ['malloc', '(.param .b64 r) malloc (.param .b64 n)', '(p), malloc, (p)', 'PTX0809', 'memory that a kernel allocates'],
  [
    'cudaLaunchDeviceV2',
    '(.param .b32 r) cudaLaunchDeviceV2 (.param .b64 n)',
    '(q), cudaLaunchDeviceV2, (p)',
    'PTX0809',
    'dynamic parallelism',
  ],
  ['an unknown function', '(.param .b32 r) elsewhere (.param .b64 n)', '(q), elsewhere, (p)', 'PTX0805', 'no body'],
  [
    'printf with wrong parameters',
    '(.param .b32 r) vprintf (.param .b64 n)',
    '(q), vprintf, (p)',
    'PTX0805',
    'no body',
  ],
])('%s is refused at its call', (_, declaration, call, code, text) => {
  const { module } = parsePtx(`.version 8.0
.target sm_80
.address_size 64
.extern .func ${declaration};
.visible .entry k() {
  .param .b64 p;
  .param .b32 q;
  call.uni ${call};
  ret;
}`);
  const [statement] = module?.functions[0]?.body ?? [];
  expect(statement).toMatchObject({ kind: 'unsupported', diagnostic: { code } });
  expect(statement?.kind === 'unsupported' && statement.diagnostic.message).toContain(text);
});

describe("the grid's barrier", () => {
  const kernel = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  mov.b32 %r1, %envreg2;
  mov.b32 %r2, %envreg1;
  mov.b64 %rd1, {%r1, %r2};
  ld.param.u64 %rd2, [out];
  atom.add.global.u32 %r3, [%rd1+4], 1;
  st.global.u32 [%rd2], %r3;
  ret;
}`;

  test('works in a cooperative launch of one block', async () => {
    const launch: Launch = { ...launchOf(kernel), block: [1, 1, 1], cooperative: true };
    const { outputs } = await lockstepExecutor(32).run(launch);
    expect(outputs).toEqual(runOnCpu(launch).outputs);
  });

  test('is refused on WebGPU if blocks would wait for each other', async () => {
    const launch: Launch = { ...launchOf(kernel), grid: [2, 1, 1], cooperative: true };
    expect(runOnCpu(launch).status).toBe('done');
    const [result] = await runCase(launch, [lockstepExecutor(32)]);
    expect(result).toMatchObject({ status: 'unsupported' });
    expect(result?.message).toContain('the 2 blocks of `k` wait for each other here');
    expect(result?.message).toContain('services.ptx:7:');
  });
});

describe('a call through an address', () => {
  const kernel = (address: string, prototype = 'p: .callprototype (.param .b32 _) _ (.param .b32 _);') => `.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) one(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) two(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; mul.lo.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }
.func other(.param .b64 a) { ret; }
.global .u64 table[3] = {one, 0, other};
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  mov.u32 %r1, %tid.x;
  mov.u64 %rd3, two;
  setp.eq.u32 %p1, %r1, 3;
  ld.global.u64 %rd1, [table];
  ld.global.u64 %rd2, [table+16];
  @%p1 mov.u64 %rd1, ${address};
  ${prototype}
  { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), %rd1, (a), p; ld.param.b32 %r2, [r]; }
  ld.param.u64 %rd6, [out];
  mad.wide.u32 %rd7, %r1, 4, %rd6;
  st.global.u32 [%rd7], %r2;
  ret;
}`;

  test.each([
    ['a prototype', undefined],
    ['a list of targets', 'p: .calltargets one, two;'],
  ])('with %s', async (_, prototype) => {
    const launch = launchOf(kernel('%rd3', prototype));
    const { outputs } = runOnCpu(launch);
    const out = [...new Int32Array(outputs.get(0)?.slice().buffer ?? new ArrayBuffer(0))];
    expect(out).toEqual(Array.from({ length: 40 }, (_each, lane) => (lane === 3 ? 9 : lane + 1)));
    for (const size of sizes) expect((await lockstepExecutor(size).run(launch)).outputs).toEqual(outputs);
  });

  test.each([
    ['no address', '0'],
    ['a function with another prototype', '%rd2'],
    ['any number', '1234'],
  ])('of %s ends the launch', async (_, address) => {
    const launch = launchOf(kernel(address));
    expect(runOnCpu(launch).failure).toMatchObject({ code: 'RUN019' });
    for (const size of sizes) {
      await expect(lockstepExecutor(size).run(launch)).rejects.toThrow(
        /not a function with this prototype.*thread: \[3,0,0\]/,
      );
    }
  });

  test.each([
    ['without a prototype', kernel('%rd3').replace('(a), p;', '(a);'), 'PTX0640'],
    ['with an invalid prototype', kernel('%rd3').replace('(a), p;', '(a), q;'), 'PTX0641'],
    ['with other arguments', kernel('%rd3').replace('(a), p;', '(a, a), p;'), 'PTX0629'],
  ])('%s is an error', (_, text, code) => {
    expect(parsePtx(text).diagnostics.map((each) => each.code)).toEqual([code]);
  });
});
