// Device functions, recursion, branch tables, traps.
import { describe, expect, test } from 'vitest';
import { LaunchError, runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { each, type KernelOptions, kernelLaunch, runKernel } from './interpreter-support.ts';

const store = 'st.global.u32 [%rd1], %r1;';

const factorial = `.func (.param .b32 r) factorial(.param .b32 n)
{ .reg .b32 %a<4>; .reg .pred %p; .param .b32 pn; .param .b32 pr;
  ld.param.u32 %a0, [n]; mov.u32 %a1, 1; setp.lt.u32 %p, %a0, 2; @%p bra END;
  sub.u32 %a2, %a0, 1; st.param.b32 [pn], %a2; call (pr), factorial, (pn); ld.param.b32 %a1, [pr]; mul.lo.u32 %a1, %a1, %a0;
  END: st.param.b32 [r], %a1; ret; }`;

const callFactorial = `.param .b32 x; .param .b32 y; st.param.b32 [x], %r2; call (y), factorial, (x); ld.param.b32 %r1, [y];`;

interface Row {
  readonly name: string;
  readonly body: string;
  readonly options?: KernelOptions;
  readonly expected: number[];
}

const factorials = [1, 1, 2, 6, 24, 120, 720, 5040];

const table: readonly Row[] = [
  {
    name: 'recursion to a different depth in each lane',
    body: `and.b32 %r2, %lane, 7; ${callFactorial} ${store}`,
    options: { module: factorial },
    expected: each(32, (i) => factorials[i & 7] ?? 0),
  },
  {
    name: 'a call that only some lanes make',
    body: `mov.u32 %r1, 9; mov.u32 %r2, 5; setp.lt.u32 %p0, %lane, 3; .param .b32 x; .param .b32 y; st.param.b32 [x], %r2;
      @%p0 call (y), factorial, (x); @%p0 ld.param.b32 %r1, [y]; ${store}`,
    options: { module: factorial },
    expected: each(32, (i) => (i < 3 ? 120 : 9)),
  },
  {
    name: 'registers as parameters and results',
    body: `call (%r1, %rd2), both, (%lane, 3); cvt.u32.u64 %r2, %rd2; mad.lo.u32 %r1, %r1, 1000, %r2; ${store}`,
    options: {
      module: `.func (.reg .b32 %x, .reg .b64 %y) both(.reg .b32 %a, .reg .b32 %b)
        { add.u32 %x, %a, %b; mul.wide.u32 %y, %a, %b; ret; }`,
    },
    expected: each(32, (i) => (i + 3) * 1000 + i * 3),
  },
  {
    name: 'a struct by value, changed in the callee only',
    body: `.param .align 4 .b8 s[8]; .param .b32 y; st.param.b32 [s], %lane; st.param.b32 [s+4], 10; call (y), sum, (s); ld.param.b32 %r1, [y];
      ${store}`,
    options: {
      module: `.func (.param .b32 r) sum(.param .align 4 .b8 s[8])
        { .reg .b32 %a<3>; ld.param.b32 %a0, [s]; ld.param.b32 %a1, [s+4]; add.u32 %a0, %a0, %a1; st.param.b32 [r], %a0; ret; }`,
    },
    expected: each(32, (i) => i + 10),
  },
  {
    name: 'warp instructions in a function wait for lanes outside of it',
    body: `setp.lt.u32 %p0, %lane, 16; @%p0 bra A; redux.sync.add.u32 %r1, %lane, 0xffffffff; bra D;
      A: call (%r1), summed, (%lane); D: ${store}`,
    options: {
      module:
        '.func (.reg .b32 %x) summed(.reg .b32 %a) { redux.sync.add.u32 %x, %a, 0xffffffff; add.u32 %x, %x, 1; ret; }',
    },
    expected: each(32, (i) => (i < 16 ? 497 : 496)),
  },
  {
    name: 'brx.idx sends each lane to its own target',
    body: `and.b32 %r2, %lane, 3; T: .branchtargets L0, L1, L2, L1; brx.idx %r2, T;
      L0: mov.u32 %r1, 10; bra D; L1: mov.u32 %r1, 11; bra D; L2: mov.u32 %r1, 12; D: ${store}`,
    expected: each(32, (i) => [10, 11, 12, 11][i & 3] ?? 0),
  },
  {
    name: 'each call has its own local variables',
    body: `call (%r1), outer, (%lane); ${store}`,
    options: {
      module: `.func (.reg .b32 %x) inner(.reg .b32 %a) { .local .align 4 .b8 v[16]; st.local.u32 [v+4], %a; ld.local.u32 %x, [v+4]; ret; }
        .func (.reg .b32 %x) outer(.reg .b32 %a) { .local .align 4 .b8 v[16]; .reg .b32 %b; st.local.u32 [v+4], %a; add.u32 %b, %a, 100;
          call (%x), inner, (%b); ld.local.u32 %b, [v+4]; mad.lo.u32 %x, %x, 1000, %b; ret; }`,
    },
    expected: each(32, (i) => (i + 100) * 1000 + i),
  },
];

describe('calls and tables', () => {
  test.each(table)('$name', ({ body, options, expected }) => {
    const { result, out } = runKernel(body, { ...options, sanitize: true });
    expect(result.failure).toBeUndefined();
    expect(result.findings).toEqual([]);
    expect(out).toEqual(expected);
    expect(result.undefinedMasks.size).toBe(0);
  });
});

test('endless recursion is an error, not a crash', () => {
  const module = '.func endless(.reg .b32 %a) { call endless, (%a); ret; }';
  const { result } = runKernel('call endless, (%lane);', { module });
  expect(result.failure?.code).toBe('RUN016');
});

test('brx.idx with an index past its list of labels ends the launch', () => {
  const { result } = runKernel('T: .branchtargets L0; brx.idx %lane, T; L0: ret;');
  expect(result.failure).toEqual({ code: 'RUN015', message: 'brx.idx with index 1, but the list has 1 targets' });
});

test.each(['trap', 'brkpt'])('%s ends the launch if a lane reaches it', (name) => {
  const { result, findings } = runKernel(`setp.eq.u32 %p0, %lane, 5; @%p0 ${name};`);
  expect(result.status).toBe('failed');
  expect(findings).toEqual([`RUN013 ${name} executed by lane 5`]);
  expect(runKernel(`setp.eq.u32 %p0, %lane, 32; @%p0 ${name};`).findings).toEqual([]);
});

test('a reachable unsupported instruction stops the launch before it runs, an unreachable one does not', () => {
  const module = `.func unused(.reg .b32 %a) { .reg .b64 %d; multimem.st.u64 [%d], %d; ret; }`;
  expect(runKernel('ret;', { module }).result.status).toBe('done');
  const { result } = runKernel('call unused, (%lane);', { module });
  expect(result.status).toBe('unsupported');
  expect(result.diagnostics.length).toBe(1);
  expect(result.steps).toBe(0);
});

describe('launches that do not fit the kernel', () => {
  const launch = kernelLaunch('ret;');
  const rows = [
    { problem: { entry: 'other' }, message: "unknown kernel 'other': expected 'k'" },
    { problem: { params: [] }, message: "kernel 'k' has 1 parameters, but the launch passes 0" },
    {
      problem: { params: [{ name: 'n', kind: 'scalar', type: 'u32', value: 1 }] as const },
      message: "parameter 'n' is 4 bytes, but 'out' of kernel 'k' has 8",
    },
  ];
  test.each(rows)('$message', ({ problem, message }) => {
    expect(() => runOnCpu({ ...launch, ...problem })).toThrow(new LaunchError(message));
  });
});
