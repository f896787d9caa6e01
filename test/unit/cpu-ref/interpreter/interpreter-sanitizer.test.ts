// The findings of `check`: undefined behavior of PTX, with the lines involved.
import { describe, expect, test } from 'vitest';
import { findingDiagnostic } from '../../../../src/cpu-ref/executor.ts';
import { renderDiagnostic } from '../../../../src/ptx/index.ts';
import { each, type KernelOptions, kernelLaunch, runKernel } from './interpreter-support.ts';

const shared = '.shared .align 4 .b8 s[512];';
const ownSlot = 'shl.b32 %r9, %r0, 2; mov.u32 %r8, s; add.u32 %r9, %r8, %r9;';

interface Row {
  readonly name: string;
  readonly body: string;
  readonly options?: KernelOptions;
  readonly expected: readonly string[];
}

const table: readonly Row[] = [
  {
    name: 'a register read before it is written, on one path only',
    body: 'setp.lt.u32 %p0, %lane, 5; @%p0 mov.u32 %r1, 1; add.u32 %r2, %r1, 1;',
    expected: ["RUN006 '%r1' is read before it is written"],
  },
  {
    name: 'unwritten shared memory',
    body: `${ownSlot} setp.lt.u32 %p0, %lane, 31; @%p0 st.shared.u32 [%r9], %r0; bar.sync 0; ld.shared.u32 %r1, [%r9];`,
    options: { module: shared },
    expected: ["RUN007 read of shared memory that was never written: 's', byte 124"],
  },
  {
    name: 'unwritten local memory',
    body: '.local .align 4 .b8 l[16]; st.local.u32 [l], 1; ld.local.u32 %r1, [l+8]; add.u32 %r2, %r1, 1;',
    expected: ["RUN006 '%r1' is read, but its value was never written"],
  },
  {
    name: 'a store past the end of a buffer',
    body: 'st.global.u32 [%rd1+4], %r0;',
    expected: [
      `RUN008 out-of-bounds store of 4 bytes at global address 0x7f0000000080: byte 128 of 'out', which has 128 bytes`,
    ],
  },
  {
    name: 'a load before a buffer, reported for the nearest one',
    body: 'ld.global.u32 %r1, [%rd0+-4];',
    expected: [
      `RUN008 out-of-bounds load of 4 bytes at global address 0x7efffffffffc: byte -4 of 'out', which has 128 bytes`,
    ],
  },
  {
    name: 'a null pointer',
    body: 'mov.u64 %rd2, 0; ld.u32 %r1, [%rd2];',
    expected: [
      `RUN008 out-of-bounds load of 4 bytes at global address 0x0: byte -139637976727552 of 'out', which has 128 bytes`,
    ],
  },
  {
    name: 'shared memory past its end',
    body: 'st.shared.u32 [s+512], %r0;',
    options: { module: shared },
    expected: ['RUN008 out-of-bounds store of 4 bytes at shared address 0x200: shared memory has 512 bytes'],
  },
  {
    name: "a store past the kernel's own array, into that of another kernel",
    body: 'st.shared.u32 [s+512], %r0;',
    options: { threads: 1, module: `${shared} .shared .align 4 .b8 elsewhere[512];` },
    expected: ['RUN008 out-of-bounds store of 4 bytes at shared address 0x200: shared memory has 512 bytes'],
  },
  {
    name: 'a misaligned vector',
    body: 'ld.global.v2.u32 {%r1, %r2}, [%rd0+4];',
    expected: [`RUN009 misaligned load of 8 bytes at out, byte 4 (address 0x7f0000000004)`],
  },
  {
    name: 'threads of two warps with no barrier between',
    body: `${ownSlot} st.shared.u32 [%r9], %r0; xor.b32 %r9, %r9, 128; ld.shared.u32 %r1, [%r9];`,
    options: { threads: 64, module: shared },
    expected: [
      "RUN010 race on 's', byte 128: thread 32 and thread 0 (warp 0, lane 0) of the block access it with no barrier in between, and one writes",
      "RUN010 race on 's', byte 0: thread 32 and thread 0 (warp 0, lane 0) of the block access it with no barrier in between, and one writes",
      "RUN007 read of shared memory that was never written: 's', byte 128",
    ],
  },
  {
    name: 'lanes of one warp without bar.warp.sync',
    body: `${ownSlot} st.shared.u32 [%r9], %r0; xor.b32 %r9, %r9, 4; ld.shared.u32 %r1, [%r9];`,
    options: { module: shared },
    expected: [
      "RUN010 race on 's', byte 4: thread 0 and thread 1 (warp 0, lane 1) of the block access it with no barrier in between, and one writes",
    ],
  },
  {
    name: 'bar.warp.sync orders the lanes of its mask only',
    body: `${ownSlot} mov.u32 %r3, 0xffff; setp.ge.u32 %p0, %lane, 16; @%p0 mov.u32 %r3, 0xffff0000; st.shared.u32 [%r9], %r0;
      bar.warp.sync %r3; xor.b32 %r4, %r9, 4; ld.shared.u32 %r1, [%r4]; xor.b32 %r4, %r9, 64; @%p0 ld.shared.u32 %r1, [%r4];`,
    options: { module: shared },
    expected: [
      "RUN010 race on 's', byte 0: thread 16 and thread 0 (warp 0, lane 0) of the block access it with no barrier in between, and one writes",
    ],
  },
  {
    name: 'a store while others may still read',
    body: `${ownSlot} st.shared.u32 [%r9], %r0; bar.sync 0; ld.shared.u32 %r1, [s]; setp.eq.u32 %p0, %r0, 33; @%p0 st.shared.u32 [s], %r1;`,
    options: { threads: 64, module: shared },
    expected: [
      "RUN010 race on 's', byte 0: thread 0 and thread 33 (warp 1, lane 1) of the block access it with no barrier in between, and one writes",
      "RUN010 race on 's', byte 0: thread 33 and thread 32 (warp 1, lane 0) of the block access it with no barrier in between, and one writes",
    ],
  },
  {
    name: 'a shuffle that reads an inactive lane',
    body: 'setp.ge.u32 %p0, %lane, 30; @%p0 exit; shfl.sync.idx.b32 %r1, %lane, 30, 31, 0x3fffffff;',
    expected: [
      "RUN003 'd' is undefined in lanes 0-29: the source lane is inactive, has exited, or is not in the membermask",
    ],
  },
  {
    name: 'a branch on an undefined result',
    body: `setp.ge.u32 %p0, %lane, 31; @%p0 exit; shfl.sync.down.b32 %r1, %lane, 1, 31, 0xffffffff; setp.eq.u32 %p1, %r1, 3;
      @%p1 bra L; mov.u32 %r2, 0; L: ret;`,
    expected: [
      "RUN003 'd' is undefined in lane 30: the source lane is inactive, has exited, or is not in the membermask",
      "RUN011 the guard '%p1' is undefined",
    ],
  },
  {
    name: 'an undefined address',
    body: 'mov.u64 %rd3, %rd0; setp.lt.u32 %p0, %lane, 5; .local .align 8 .b8 l[8]; ld.local.u64 %rd4, [l]; add.u64 %rd3, %rd3, %rd4; ld.global.u32 %r1, [%rd3];',
    expected: ["RUN006 '%rd4' is read, but its value was never written", 'RUN012 load through an undefined address'],
  },
];

describe('findings', () => {
  test.each(table)('$name', ({ body, options, expected }) => {
    expect(runKernel(body, { ...options, sanitize: true }).findings).toEqual(expected);
  });
});

const quiet: readonly Row[] = [
  {
    name: 'barriers order the warps of a block',
    body: `${ownSlot} st.shared.u32 [%r9], %r0; bar.sync 0; xor.b32 %r9, %r9, 128; ld.shared.u32 %r1, [%r9]; bar.sync 0; st.shared.u32 [%r9], %r1;`,
    options: { threads: 64, module: shared },
    expected: [],
  },
  {
    name: 'arrive and sync order producer and consumer',
    body: `${ownSlot} setp.ge.u32 %p0, %r0, 32; @%p0 bra C; st.shared.u32 [%r9], %r0; bar.arrive 1, 64; ret;
      C: bar.sync 1, 64; xor.b32 %r9, %r9, 128; ld.shared.u32 %r1, [%r9];`,
    options: { threads: 64, module: shared },
    expected: [],
  },
  {
    name: 'shuffles order the lanes of their mask',
    body: `${ownSlot} st.shared.u32 [%r9], %r0; shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xffffffff; xor.b32 %r9, %r9, 4; ld.shared.u32 %r1, [%r9];`,
    options: { module: shared },
    expected: [],
  },
  {
    name: 'atomics do not race with each other',
    body: `setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [s], 0; bar.sync 0; red.shared.add.u32 [s], 1; bar.sync 0; ld.shared.u32 %r1, [s];`,
    options: { threads: 64, module: shared },
    expected: [],
  },
  {
    name: 'bytes of one word do not race',
    body: 'mov.u32 %r8, s; add.u32 %r8, %r8, %r0; st.shared.u8 [%r8], %r0; ld.shared.u8 %r1, [%r8];',
    options: { module: shared },
    expected: [],
  },
];

describe('no findings', () => {
  test.each(quiet)('$name', ({ body, options, expected }) => {
    expect(runKernel(body, { ...options, sanitize: true }).findings).toEqual(expected);
  });
});

test('a finding is rendered with both places, its lanes, and a hint', () => {
  const body = `  mov.u32 %r8, s;
  st.shared.u32 [s], %r0;
  setp.eq.u32 %p0, %r0, 40;
  @%p0 ld.shared.u32 %r1, [s];`;
  const options = { threads: 64, module: shared, sanitize: true };
  const { result } = runKernel(body, options);
  const source = { file: 'test.ptx', text: kernelLaunch(body, options).ptx };
  const [first] = result.findings;
  expect(first?.count).toBe(63);
  expect(
    result.findings.map((finding) => renderDiagnostic(source, findingDiagnostic(finding))).join('\n'),
  ).toMatchInlineSnapshot(`
    "test.ptx:11:3: error[RUN010]: race on 's', byte 0: thread 1 and thread 0 (warp 0, lane 0) of the block access it with no barrier in between, and one writes [block (0, 0, 0), warp 0, lane 1; 63 times]
    11 |   st.shared.u32 [s], %r0;
       |   ^^^^^^^^^^^^^^^^^^^^^^^
       |   ----------------------- the other access, a store
       = hint: Put a barrier (bar.sync, or bar.warp.sync within a warp) between the accesses, or make both atomic. Between blocks, use atomics and fences.
    test.ptx:13:3: error[RUN010]: race on 's', byte 0: thread 40 and thread 63 (warp 1, lane 31) of the block access it with no barrier in between, and one writes [block (0, 0, 0), warp 1, lane 8]
    11 |   st.shared.u32 [s], %r0;
       |   ----------------------- the other access, a store
       ⋮
    13 |   @%p0 ld.shared.u32 %r1, [s];
       |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       = hint: Put a barrier (bar.sync, or bar.warp.sync within a warp) between the accesses, or make both atomic. Between blocks, use atomics and fences."
  `);
});

test('out-of-bounds loads return zero, stores are ignored, and the result reports them', () => {
  const { out, result } = runKernel('ld.global.u32 %r1, [%rd1+4]; add.u32 %r1, %r1, 5; st.global.u32 [%rd1], %r1;', {
    threads: 2,
    words: 2,
  });
  expect(out).toEqual([5, 5]);
  expect(result.findings.map(({ code, lanes }) => [code, lanes])).toEqual([['RUN008', 0b10]]);
  expect(result.undefinedMasks.get(0)).toEqual(Uint8Array.of(0, 0, 0, 0, 255, 255, 255, 255));
});

test('a seed changes the contents of unwritten memory, and no defined result', () => {
  const body = `${ownSlot} ld.shared.u32 %r1, [%r9]; st.global.u32 [%rd1+128], %r1; mul.lo.u32 %r1, %r0, %r0; st.global.u32 [%rd1], %r1;`;
  const runs = [undefined, 1, 2].map((seed) =>
    runKernel(body, { module: shared, words: 64, ...(seed === undefined ? {} : { seed }) }),
  );
  const tails = runs.map(({ out }) => out.slice(32).join());
  expect(new Set(tails).size).toBe(3);
  for (const { out, result } of runs) {
    expect(out.slice(0, 32)).toEqual(each(32, (i) => i * i));
    expect(result.undefinedMasks.get(0)?.filter((mark) => mark !== 0).length).toBe(128);
  }
});

test('writers name the thread that stored each byte', () => {
  const body = 'setp.lt.u32 %p0, %r0, 40; @%p0 st.global.u8 [%rd1+1], %r0;';
  const { result } = runKernel(body, { threads: 48, trackWriters: true });
  expect([...(result.writers.get(0)?.slice(156, 164) ?? [])]).toEqual([-1, 39, -1, -1, -1, -1, -1, -1]);
});

test('an observer sees each instruction with its lanes and registers', () => {
  const seen: string[] = [];
  runKernel(
    'setp.lt.u32 %p0, %lane, 2; @%p0 add.u32 %r3, %lane, 7; shfl.sync.bfly.b32 %r4, %lane, 1, 31, 0xffffffff;',
    {
      observe: ({ instruction, lanes, read }) => {
        const { d } = instruction.operands;
        if (d?.kind !== 'register' || !['%r3', '%r4'].includes(d.register.name)) return;
        const values = read(d.register.name)?.values.slice(0, 3).join(' ');
        seen.push(`${instruction.row.name} ${lanes.toString(16)}: ${values}`);
      },
    },
  );
  expect(seen).toEqual(['add 3: 7 8 0', 'shfl.sync ffffffff: 1 0 3']);
});
