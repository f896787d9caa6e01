// Barriers: per-thread arrival, thread counts, reductions, and threads that have exited.
import { describe, expect, test } from 'vitest';
import { each, type KernelOptions, runKernel } from './interpreter-support.ts';

const store = 'st.global.u32 [%rd1], %r1;';

interface Row {
  readonly name: string;
  readonly body: string;
  readonly options: KernelOptions;
  readonly expected: number[];
}

const table: readonly Row[] = [
  {
    name: 'bar.sync makes stores of all warps visible',
    body: `mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; mov.u32 %r4, s; add.u32 %r3, %r4, %r3; st.shared.u32 [%r3], %r2;
      bar.sync 0;
      xor.b32 %r2, %r2, 64; shl.b32 %r3, %r2, 2; add.u32 %r3, %r4, %r3; ld.shared.u32 %r1, [%r3]; ${store}`,
    options: { threads: 128, module: '.shared .align 4 .b8 s[512];' },
    expected: each(128, (i) => i ^ 64),
  },
  {
    name: 'a barrier does not wait for exited threads',
    body: `setp.ge.u32 %p0, %r0, 40; @%p0 exit; bar.sync 0; mov.u32 %r1, 1; ${store}`,
    options: { threads: 96 },
    expected: each(96, (i) => (i < 40 ? 1 : 0)),
  },
  {
    name: 'lanes of one warp arrive one by one, at different instructions',
    body: `setp.lt.u32 %p0, %lane, 7; @%p0 bra A; mov.u32 %r1, 1; barrier.sync 1; bra D;
      A: mov.u32 %r1, 2; barrier.sync 1; D: ${store}`,
    options: { threads: 64 },
    expected: each(64, (i) => (i % 32 < 7 ? 2 : 1)),
  },
  {
    name: 'a count lets half of the block meet while the rest continues',
    body: `setp.ge.u32 %p0, %r0, 64; @%p0 bra REST; bar.sync 2, 64; mov.u32 %r1, 5; bra D; REST: mov.u32 %r1, 6; D: ${store}`,
    options: { threads: 128 },
    expected: each(128, (i) => (i < 64 ? 5 : 6)),
  },
  {
    name: 'a partial last warp counts as a whole one',
    body: `bar.sync 3, 64; mov.u32 %r1, 1; ${store}`,
    options: { threads: 50 },
    expected: each(50, () => 1),
  },
  {
    name: 'after bar.arrive the producer continues, and the consumer waits',
    body: `setp.lt.u32 %p0, %r0, 32; @!%p0 bra CONSUME;
      st.shared.u32 [s], 42; bar.arrive 4, 64; mov.u32 %r1, 1; bra D;
    CONSUME: bar.sync 4, 64; ld.shared.u32 %r1, [s];
    D: ${store}`,
    options: { threads: 64, module: '.shared .align 4 .b8 s[4];' },
    expected: each(64, (i) => (i < 32 ? 1 : 42)),
  },
  {
    name: 'a thread that arrives and then waits counts twice',
    body: `setp.lt.u32 %p0, %r0, 32; mov.u32 %r1, 1; @!%p0 bra OTHER;
      bar.arrive 4, 64; bar.sync 4, 64; bar.arrive 5, 96; bar.arrive 5, 96; bra D;
    OTHER: bar.sync 5, 96;
    D: ${store}`,
    options: { threads: 64 },
    expected: each(64, () => 1),
  },
  {
    name: 'bar.red counts, ands and ors over the threads',
    body: `rem.u32 %r2, %r0, 3; setp.eq.u32 %p0, %r2, 0; setp.lt.u32 %p1, %r0, 96;
      bar.red.popc.u32 %r1, 0, %p0; bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, !%p1; bar.red.or.pred %p4, 0, %p0;
      selp.u32 %r3, 0x100, 0, %p2; add.u32 %r1, %r1, %r3; selp.u32 %r3, 0x200, 0, %p3; add.u32 %r1, %r1, %r3;
      selp.u32 %r3, 0x400, 0, %p4; add.u32 %r1, %r1, %r3; ${store}`,
    options: { threads: 96 },
    expected: each(96, () => 32 + 0x100 + 0x400),
  },
  {
    name: 'a barrier is reused in a loop',
    body: `mov.u32 %r1, 0; mov.u32 %r3, s;
    L: atom.shared.add.u32 %r2, [%r3], 1; bar.sync 0; ld.shared.u32 %r1, [%r3]; bar.sync 0;
      setp.lt.u32 %p0, %r1, 480; @%p0 bra L; ${store}`,
    options: { threads: 96, module: '.shared .align 4 .u32 s;', sharedBytes: 0 },
    expected: each(96, () => 480),
  },
];

describe('barriers', () => {
  test.each(table)('$name', ({ body, options, expected }) => {
    for (const variant of [{}, { stepsPerYield: 2 }]) {
      const { result, out } = runKernel(body, { ...options, ...variant });
      expect(result.failure).toBeUndefined();
      expect(out).toEqual(expected);
    }
  });
});

const findings: readonly { name: string; body: string; threads: number; expected: string }[] = [
  {
    name: 'a barrier that some threads never reach',
    body: 'setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 0; ret; A: bar.sync 1;',
    threads: 64,
    expected: 'RUN002 deadlock: lanes 0-31 of warp 0 wait at barrier 1, for lanes 0-31 of warp 1',
  },
  {
    name: 'a count that too few threads can reach',
    body: 'bar.sync 0, 96;',
    threads: 64,
    expected: 'RUN002 deadlock: lanes 0-31 of warp 0 wait at barrier 0 (64 of 96 threads have arrived)',
  },
  {
    name: 'a count that is not a multiple of the warp size',
    body: 'mov.u32 %r2, 40; bar.sync 0, %r2;',
    threads: 64,
    expected: 'RUN005 invalid thread count 40 of a barrier: expected a positive multiple of 32',
  },
  {
    name: 'participants that disagree on the count',
    body: 'setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 0, 64; ret; A: bar.sync 0, 32;',
    threads: 64,
    expected: 'RUN002 deadlock: lanes 0-31 of warp 1 wait at barrier 0 (32 of 64 threads have arrived)',
  },
  {
    name: 'a barrier that does not exist',
    body: 'mov.u32 %r2, 16; bar.sync %r2;',
    threads: 32,
    expected: 'RUN005 invalid barrier 16: expected 0 to 15',
  },
  {
    name: 'an aligned barrier that the lanes of a warp reach at different places',
    body: 'setp.lt.u32 %p0, %lane, 16; @%p0 bra A; bar.sync 0; ret; A: bar.sync 0;',
    threads: 32,
    expected: 'RUN004 the lanes of warp 0 arrive at barrier 0 at different instructions',
  },
];

describe('barrier findings', () => {
  test.each(findings)('$name', ({ body, threads, expected }) => {
    expect(runKernel(body, { threads, sanitize: true }).findings).toContain(expected);
  });
});
