// State spaces, widths, vectors, atomics, initializers and parameters.
import { describe, expect, test } from 'vitest';
import { each, type KernelOptions, runKernel } from './interpreter-support.ts';

const store = 'st.global.u32 [%rd1], %r1;';

interface Row {
  readonly name: string;
  readonly body: string;
  readonly options?: KernelOptions;
  readonly expected: number[];
}

const one = (expected: number): number[] => each(1, () => expected);
const single = { threads: 1 } as const;

const table: readonly Row[] = [
  {
    name: 'narrow stores keep adjacent bytes, and narrow loads extend by sign',
    body: `st.global.u32 [%rd0], 0x11223344; mov.u32 %r2, 0xabcd; st.global.u8 [%rd0+1], %r2;
      ld.global.s8 %r3, [%rd0+1]; st.global.u32 [%rd0+4], %r3; ld.global.u8 %r3, [%rd0+1]; st.global.u32 [%rd0+8], %r3;
      ld.global.s16 %r3, [%rd0]; st.global.u32 [%rd0+12], %r3;`,
    options: { threads: 1, words: 4 },
    expected: [0x1122_cd44, 0xffff_ffcd, 0xcd, 0xffff_cd44],
  },
  {
    name: 'vector elements are in address order',
    body: `mov.u32 %r2, 1; mov.u32 %r3, 2; mov.u32 %r4, 3; mov.u32 %r5, 4; st.global.v4.u32 [%rd0], {%r2, %r3, %r4, %r5};
      ld.global.v2.u32 {%r6, %r7}, [%rd0+8]; add.u32 %r6, %r6, %r7; st.global.u32 [%rd0], %r6;`,
    options: { threads: 1, words: 4 },
    expected: [7, 2, 3, 4],
  },
  {
    name: '64-bit loads and stores',
    body: `mov.u64 %rd2, 0x123456789abcdef0; st.global.u64 [%rd0], %rd2; ld.global.u64 %rd3, [%rd0]; shr.u64 %rd3, %rd3, 4;
      cvt.u32.u64 %r1, %rd3; st.global.u32 [%rd0+8], %r1;`,
    options: { threads: 1, words: 3 },
    expected: [0x9abc_def0, 0x1234_5678, 0x89ab_cdef],
  },
  {
    name: 'generic addresses reach shared, local and global memory',
    body: `.local .align 4 .b8 l[8]; mov.u64 %rd2, l; cvta.local.u64 %rd3, %rd2; st.u32 [%rd3+4], 7; ld.local.u32 %r2, [l+4];
      mov.u32 %r5, s; cvt.u64.u32 %rd4, %r5; cvta.shared.u64 %rd5, %rd4; st.u32 [%rd5], 50; ld.shared.u32 %r3, [s];
      isspacep.shared %p0, %rd5; isspacep.local %p1, %rd3; isspacep.global %p2, %rd0; isspacep.shared %p3, %rd0;
      add.u32 %r1, %r2, %r3; selp.u32 %r4, 100, 0, %p0; add.u32 %r1, %r1, %r4; selp.u32 %r4, 200, 0, %p1; add.u32 %r1, %r1, %r4;
      selp.u32 %r4, 400, 0, %p2; add.u32 %r1, %r1, %r4; selp.u32 %r4, 800, 0, %p3; add.u32 %r1, %r1, %r4;
      cvta.to.shared.u64 %rd6, %rd5; sub.u64 %rd6, %rd6, %rd4; cvt.u32.u64 %r4, %rd6; add.u32 %r1, %r1, %r4; st.u32 [%rd1], %r1;`,
    options: { threads: 1, module: '.shared .align 8 .b8 s[16];' },
    expected: one(757),
  },
  {
    name: 'each thread has its own local memory',
    body: `.local .align 4 .b8 l[64]; mov.u64 %rd2, l; and.b32 %r2, %lane, 15; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd2, %rd2, %rd3;
      st.local.u32 [%rd2], %r0; bar.sync 0; ld.local.u32 %r1, [%rd2]; ${store}`,
    options: { threads: 64 },
    expected: each(64, (i) => i),
  },
  {
    name: 'constants and initialized variables, including addresses',
    body: `ld.const.u32 %r2, [c+4]; ld.global.u32 %r3, [g]; ld.global.u64 %rd2, [p]; ld.u32 %r4, [%rd2+8]; ld.global.u32 %r5, [z+4];
      add.u32 %r1, %r2, %r3; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5; ${store}`,
    options: {
      threads: 1,
      module: `.const .align 4 .u32 c[2] = {5, 6}; .global .align 4 .u32 g = 70; .global .align 4 .u32 t[4] = {100, 200, 300};
        .global .align 8 .u64 p = generic(t); .global .align 4 .b8 z[8];`,
    },
    expected: one(376),
  },
  {
    name: 'dynamic shared memory follows the static arrays, and its symbols share it',
    body: `mov.u32 %r2, dyn; mov.u32 %r3, dyn2; sub.u32 %r3, %r3, %r2; mov.u32 %r4, s; sub.u32 %r4, %r2, %r4;
      st.shared.u32 [%r2+28], 9; ld.shared.u32 %r5, [dyn2+28]; mov.u32 %r6, %dynamic_smem_size;
      mad.lo.u32 %r1, %r4, 1000, %r3; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r6; ${store}`,
    options: {
      threads: 1,
      sharedBytes: 32,
      module: '.shared .align 4 .b8 s[20]; .extern .shared .align 16 .b8 dyn[]; .extern .shared .align 4 .b8 dyn2[];',
    },
    expected: one(32 * 1000 + 9 + 32),
  },
  {
    name: 'a struct passed by value, and narrow scalars',
    body: `ld.param.u32 %r2, [cfg+4]; ld.param.u8 %r3, [cfg+8]; ld.param.s16 %r4, [h]; add.s32 %r1, %r2, %r3; add.s32 %r1, %r1, %r4; ${store}`,
    options: {
      threads: 1,
      paramText: ', .param .align 4 .b8 cfg[12], .param .u16 h',
      params: [
        { name: 'cfg', kind: 'bytes', data: Uint8Array.of(0, 0, 0, 0, 0, 1, 0, 0, 255, 0, 0, 0) },
        { name: 'h', kind: 'scalar', type: 's16', value: -3 },
      ],
    },
    expected: one(256 + 255 - 3),
  },
  {
    name: 'old values of atomics, thread after thread',
    body: `atom.global.add.u32 %r1, [%rd0+128], 2; st.global.u32 [%rd1], %r1;`,
    options: { threads: 32, words: 33 },
    expected: [...each(32, (i) => 2 * i), 64],
  },
  {
    name: 'inc wraps at its bound, dec at zero',
    body: `atom.global.inc.u32 %r2, [%rd0], 4; atom.global.dec.u32 %r2, [%rd0+4], 4;`,
    options: { threads: 7, words: 2 },
    // The first word counts up modulo 5, seven times. The second one counts down from 0: 4, then 3
    // 2 1 0 4 3.
    expected: [2, 3],
  },
  {
    name: 'cas, exch, min and max, 32 and 64 bits, signed and unsigned',
    body: `mov.u32 %r2, 0xfffffff0; st.global.u32 [%rd0], %r2; red.global.max.s32 [%rd0], 5; atom.global.cas.b32 %r3, [%rd0], 5, 77;
      st.global.u32 [%rd0+4], %r2; red.global.max.u32 [%rd0+4], 5; red.global.min.s32 [%rd0+4], 5;
      mov.u64 %rd2, 0x8000000000000001; st.global.u64 [%rd0+8], %rd2; mov.u64 %rd3, 3; red.global.max.u64 [%rd0+8], %rd3;
      atom.global.add.u64 %rd4, [%rd0+8], %rd2; atom.global.exch.b64 %rd5, [%rd0+8], 9; cvt.u32.u64 %r4, %rd5; st.global.u32 [%rd0+12], %r4;`,
    options: { threads: 1, words: 4 },
    expected: [77, 0xffff_fff0, 9, 2],
  },
  {
    name: 'atom.add.f32 flushes subnormals on global memory, not on shared',
    body: `st.shared.u32 [s], 1; mov.b32 %f0, 1; red.shared.add.f32 [s], %f0; ld.shared.u32 %r1, [s]; st.global.u32 [%rd0], %r1;
      st.global.u32 [%rd0+4], 1; red.global.add.f32 [%rd0+4], %f0; mov.f32 %f1, 0f3fc00000; red.global.add.f32 [%rd0+8], %f1;`,
    options: { threads: 1, words: 3, module: '.shared .align 4 .b8 s[4];' },
    expected: [2, 0, 0x3fc0_0000],
  },
  {
    name: 'a lock acquired by spinning lanes of one warp',
    body: `L: atom.global.cas.b32 %r2, [%rd0], 0, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra L;
      ld.volatile.global.u32 %r3, [%rd0+4]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd0+4], %r3; membar.gl;
      atom.global.exch.b32 %r2, [%rd0], 0;`,
    options: { threads: 64, words: 2 },
    expected: [0, 64],
  },
  {
    name: 'a block that waits for a later one',
    body: `mov.u32 %r2, %ctaid.x; setp.ne.u32 %p0, %r2, 0; @%p0 bra SET;
    L: ld.volatile.global.u32 %r3, [%rd0]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; st.global.u32 [%rd0+4], %r3; ret;
    SET: st.global.u32 [%rd0], 5;`,
    options: { threads: 1, blocks: 2, words: 2 },
    expected: [5, 5],
  },
  {
    name: 'clocks grow with each read',
    body: `mov.u64 %rd2, %clock64; mov.u64 %rd3, %clock64; setp.gt.u64 %p0, %rd3, %rd2; selp.u32 %r1, 1, 0, %p0; ${store}`,
    options: single,
    expected: one(1),
  },
  {
    name: 'mov packs and unpacks, low part first',
    body: `mov.u32 %r2, 0x11112222; mov.u32 %r3, 0x33334444; mov.b64 %rd2, {%r2, %r3}; shr.u64 %rd2, %rd2, 16; mov.b64 {%r4, %r5}, %rd2;
      mov.b32 {%h0, %h1}, %r4; mov.b32 %r1, {%h1, %h0}; ${store}`,
    options: single,
    expected: one(0x1111_4444),
  },
  {
    name: 'a function has static variables of its own',
    body: `.const .align 4 .b32 c0[2] = {7, 9}; .global .align 4 .b32 g0 = 5; ld.const.u32 %r2, [c0+4]; ld.global.u32 %r3, [g0];
      add.u32 %r3, %r3, 1; st.global.u32 [g0], %r3; ld.global.u32 %r3, [g0]; add.u32 %r1, %r2, %r3; ${store}`,
    options: single,
    expected: one(15),
  },
  {
    name: 'each lane has its own carry flag',
    body: `mov.u32 %r2, 0xfffffff0; add.cc.u32 %r3, %r2, %lane; addc.u32 %r1, 0, 0; ${store}`,
    expected: each(32, (i) => (i >= 16 ? 1 : 0)),
  },
  {
    // From lane 6 on, 5 - lane borrows. In the lanes before, the sum 5 + ~lane + 1 carries.
    name: 'addc after sub.cc adds the carry of a + ~b + 1',
    body: `sub.cc.u32 %r3, 5, %lane; addc.u32 %r1, 0, 0; ${store}`,
    expected: each(32, (i) => Number((5n + (0xffffffffn - BigInt(i)) + 1n) >> 32n)),
  },
  {
    name: 'subc after add.cc subtracts the inverse of its carry',
    body: `mov.u32 %r2, 0xfffffff0; add.cc.u32 %r3, %r2, %lane; subc.u32 %r1, 7, 0; ${store}`,
    expected: each(32, (i) => (i >= 16 ? 7 : 6)),
  },
];

describe('memory', () => {
  test.each(table)('$name', ({ body, options, expected }) => {
    const { result, out } = runKernel(body, { ...options, stepsPerYield: 64 });
    expect(result.failure).toBeUndefined();
    expect(result.findings).toEqual([]);
    expect(out).toEqual(expected);
  });
});

test('special registers number the threads and blocks of a three-dimensional launch, x first', async () => {
  const { runOnCpu } = await import('../../../../src/cpu-ref/executor.ts');
  const { kernelLaunch } = await import('./interpreter-support.ts');
  const body = `mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %tid.z; mov.u32 %r5, %warpid; mov.u32 %r6, %laneid;
    mov.u32 %r7, %ctaid.y; mov.u32 %r8, %ctaid.z; mov.u32 %r9, %nctaid.y; mov.u32 %r10, %lanemask_lt; popc.b32 %r10, %r10;
    mad.lo.u32 %r11, %r4, 4, %r3; mad.lo.u32 %r11, %r11, 5, %r2; mov.u32 %r12, %ctaid.x; mad.lo.u32 %r13, %r8, 2, %r7;
    mad.lo.u32 %r13, %r13, 3, %r12; mad.lo.u32 %r13, %r13, 40, %r11; mul.wide.u32 %rd2, %r13, 4; add.u64 %rd2, %rd0, %rd2;
    mad.lo.u32 %r1, %r5, 32, %r6; setp.ne.u32 %p0, %r6, %r10; selp.u32 %r14, 1000, 0, %p0; add.u32 %r1, %r1, %r14;
    mad.lo.u32 %r1, %r9, 100, %r1; st.global.u32 [%rd2], %r1;`;
  const launch = { ...kernelLaunch(body, { words: 480 }), grid: [3, 2, 2] as const, block: [5, 4, 2] as const };
  const { outputs, undefinedMasks } = runOnCpu(launch);
  const out = new Uint32Array(outputs.get(0)?.slice().buffer ?? new ArrayBuffer(0));
  // Threads are numbered with x varying fastest; 40 of them are a warp of 32 and one of 8.
  expect([...out]).toEqual(each(480, (i) => 200 + (i % 40)));
  expect(undefinedMasks.size).toBe(0);
});

test('cvt reads a clock as mov does', () => {
  const { out } = runKernel(
    'cvt.u32.u64 %r2, %clock64; cvt.u32.u64 %r3, %clock64; sub.u32 %r1, %r3, %r2; st.global.u32 [%rd1], %r1;',
    { threads: 1 },
  );
  expect(out[0]).toBeGreaterThan(0);
});
