// Accesses outside the shared or local variable that their address is based on.
import { describe, expect, test } from 'vitest';
import { type KernelOptions, runKernel } from './interpreter-support.ts';

const module = '.shared .align 4 .b8 one[128]; .shared .align 4 .b8 two[128]; .extern .shared .align 16 .b8 dynamic[];';
const own = 'shl.b32 %r1, %lane, 2;';
const from = (name: string) => `mov.u32 %r2, ${name};`;

interface Row {
  readonly name: string;
  readonly body: string;
  readonly options?: KernelOptions;
  readonly expected: readonly string[];
}

const outside = (verb: string, byte: number, reached: string, of = "'one', which has 128 bytes"): string =>
  `RUN025 ${verb} of 4 bytes at byte ${byte} of ${of}: it reaches ${reached}`;

const rows: readonly Row[] = [
  {
    name: 'an index past the end stores to the next variable',
    body: `${own} ${from('one')} add.u32 %r3, %r2, %r1; st.shared.u32 [%r3+4], 1; mov.u32 %r4, two;`,
    expected: [outside('store', 128, "'two'")],
  },
  {
    name: 'an index past the end loads dynamic shared memory',
    body: `${from('two')} mov.u32 %r4, one; mov.u32 %r5, dynamic; st.shared.u32 [%r5], 1; ld.shared.u32 %r6, [%r2+128];`,
    options: { threads: 1, sharedBytes: 64 },
    expected: [outside('load', 128, "dynamic shared memory 'dynamic'", "'two', which has 128 bytes")],
  },
  {
    name: 'an index below the start updates the variable before',
    body: `mov.u32 %r4, one; ${from('two')} sub.u32 %r3, %r2, 4; red.shared.add.u32 [%r3], 1;`,
    options: { threads: 1 },
    expected: [
      outside('atomic', -4, "'one'", "'two', which has 128 bytes"),
      "RUN007 read of shared memory that was never written: 'one', byte 124",
    ],
  },
  {
    name: 'a generic address',
    body: 'mov.u64 %rd2, one; mov.u32 %r4, two; cvta.shared.u64 %rd3, %rd2; add.s64 %rd4, %rd3, 128; st.u32 [%rd4], 1;',
    options: { threads: 1 },
    expected: [outside('store', 128, "'two'")],
  },
  {
    name: 'a variable by its name',
    body: 'mov.u32 %r4, two; st.shared.u32 [one+132], 1;',
    options: { threads: 1 },
    expected: [outside('store', 132, "'two'")],
  },
  {
    name: 'an address that a loop advances',
    body: `mov.u32 %r4, two; ${from('one')} mov.u32 %r5, 0; L: st.shared.u32 [%r2], 1; add.u32 %r2, %r2, 4; add.u32 %r5, %r5, 1; setp.le.u32 %p1, %r5, 32; @%p1 bra L;`,
    options: { threads: 1 },
    expected: [outside('store', 128, "'two'")],
  },
  {
    name: 'a gap that alignment leaves',
    body: 'st.shared.u32 [odd+4], 1; mov.u32 %r4, wide;',
    options: { threads: 1, module: '.shared .align 4 .b8 odd[4]; .shared .align 16 .b8 wide[16];' },
    expected: [outside('store', 4, 'other shared memory', "'odd', which has 4 bytes")],
  },
  {
    name: 'a local array',
    body: '.local .align 4 .b8 near[16]; .local .align 4 .b8 far[16]; mov.u32 %r2, near; mov.u32 %r3, far; st.local.u32 [%r3], 0; st.local.u32 [%r2+16], 1;',
    options: { threads: 1 },
    expected: [outside('store', 16, 'other local memory', "'near', which has 16 bytes")],
  },
  {
    name: 'the matrix of ldmatrix',
    body: `mov.u32 %r4, two; ${from('one')} ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2+128];`,
    expected: [
      "RUN025 load of 16 bytes at byte 128 of 'one', which has 128 bytes: it reaches 'two'",
      "RUN007 read of shared memory that was never written: 'two', byte 0",
    ],
  },
  {
    name: 'an index inside',
    body: `${own} ${from('one')} add.u32 %r3, %r2, %r1; st.shared.u32 [%r3], 1; mov.u32 %r4, two;`,
    expected: [],
  },
  {
    name: 'an address that is out of bounds until it is used',
    body: `${own} mov.u32 %r4, one; ${from('two')} add.u32 %r3, %r2, -64; add.u32 %r5, %r3, %r1; setp.ge.u32 %p1, %lane, 16; @%p1 st.shared.u32 [%r5], 1;`,
    expected: [],
  },
  {
    name: 'dynamic shared memory as one block',
    body: `${own} ${from('dynamic')} mov.u32 %r4, other; add.u32 %r3, %r2, %r1; st.shared.u32 [%r3+128], 1;`,
    options: {
      sharedBytes: 512,
      module: '.extern .shared .align 4 .b8 dynamic[]; .extern .shared .align 4 .b8 other[];',
    },
    expected: [],
  },
  {
    name: 'one of two variables',
    body: `${from('one')} mov.u32 %r3, two; setp.eq.u32 %p1, %lane, 0; selp.b32 %r4, %r2, %r3, %p1; st.shared.u32 [%r4+4], 1;`,
    options: { threads: 1 },
    expected: [],
  },
  {
    name: 'a register that holds one variable and then another',
    body: `${from('one')} st.shared.u32 [%r2], 1; mov.u32 %r2, two; st.shared.u32 [%r2], 1;`,
    options: { threads: 1 },
    expected: [],
  },
  {
    name: 'the distance of two variables, added to one of them',
    body: `${from('one')} mov.u32 %r3, two; sub.u32 %r4, %r3, %r2; add.u32 %r5, %r2, %r4; st.shared.u32 [%r5], 1;`,
    options: { threads: 1 },
    expected: [],
  },
  {
    name: 'the distance of two addresses in one variable, added to the other',
    body: `${own} ${from('one')} add.u32 %r3, %r2, %r1; sub.u32 %r4, %r3, %r2; mov.u32 %r5, two; add.u32 %r6, %r5, %r4; st.shared.u32 [%r6], 1;`,
    expected: [],
  },
  {
    name: 'an address loaded from memory',
    body: `mov.u32 %r4, one; mov.u32 %r3, two; st.shared.u32 [one], %r3; ld.shared.u32 %r2, [one]; st.shared.u32 [%r2], 1;`,
    options: { threads: 1 },
    expected: [],
  },
];

describe('an access through an address of a variable', () => {
  test.each(rows)('$name', ({ body, options, expected }) => {
    expect(runKernel(body, { module, ...options, sanitize: true }).findings).toEqual(expected);
  });
});

test('the finding shows both declarations', () => {
  const { result } = runKernel('mov.u32 %r4, two; st.shared.u32 [one+128], 1;', { threads: 1, module, sanitize: true });
  expect(result.findings[0]?.labels.map(({ text }) => text)).toEqual([
    "'one' is declared here",
    "'two' is declared here",
  ]);
});

test('runs without the sanitizer do not check', () => {
  expect(runKernel('mov.u32 %r4, two; st.shared.u32 [one+128], 1;', { threads: 1, module }).findings).toEqual([]);
});
