// Races on global memory between threads and between blocks, the synchronization that prevents
// them, and volatile code that relies on lanes in lockstep.
import { describe, expect, test } from 'vitest';
import { type KernelOptions, runKernel } from './interpreter-support.ts';

interface Row {
  readonly name: string;
  readonly body: string;
  readonly options?: KernelOptions;
  readonly expected: readonly string[];
}

const blocks: KernelOptions = { threads: 1, blocks: 2, words: 8 };
const shared = '.shared .align 4 .b8 s[512];';
/** `%p1` is true in block 0. */
const inBlock0 = 'mov.u32 %r10, %ctaid.x; setp.eq.u32 %p1, %r10, 0;';
const raceOfBlocks = (byte: number) =>
  `RUN010 race on out, byte ${byte}: thread 0 of the block and thread 0 (warp 0, lane 0) of block (0, 0, 0) access it with no atomic in between, and one writes`;
const raceOfLanes = (byte: number, one: number, other: number) =>
  `RUN010 race on out, byte ${byte}: thread ${one} and thread ${other} (warp 0, lane ${other}) of the block access it with no barrier in between, and one writes`;

const equalStores = (where: string): string =>
  `RUN026 thread 0 of the block and thread 0 (warp 0, lane 0) of block (0, 0, 0) store the same value to ${where}, with no atomic in between`;

const races: readonly Row[] = [
  {
    name: 'two blocks store one word',
    body: 'mov.u32 %r1, %ctaid.x; st.global.u32 [%rd0], %r1;',
    options: blocks,
    expected: [raceOfBlocks(0)],
  },
  {
    name: 'two blocks store the same value to one word',
    body: 'st.global.u32 [%rd0], 1;',
    options: blocks,
    expected: [equalStores('out, byte 0')],
  },
  {
    name: 'two blocks store the same two words',
    body: 'st.global.v2.u32 [%rd0], {1, 2};',
    options: blocks,
    expected: [equalStores('out, byte 0')],
  },
  {
    name: 'two blocks store the same eight bytes',
    body: 'mov.u64 %rd3, 0x100000002; st.global.u64 [%rd0], %rd3;',
    options: blocks,
    expected: [equalStores('out, byte 0')],
  },
  {
    name: 'two blocks store eight bytes whose low words are equal',
    body: 'cvt.u64.u32 %rd3, %ctaid.x; shl.b64 %rd3, %rd3, 32; st.global.u64 [%rd0], %rd3;',
    options: blocks,
    expected: [raceOfBlocks(0)],
  },
  {
    name: 'two blocks store an unwritten value',
    body: '.reg .b32 %u; st.global.u32 [%rd0], %u;',
    options: blocks,
    expected: [raceOfBlocks(0), "RUN006 '%u' is stored before it is written"],
  },
  {
    name: 'a block reads the store of another',
    body: `${inBlock0} @%p1 st.global.u32 [%rd0+4], 1; @!%p1 ld.global.u32 %r1, [%rd0+4];`,
    options: blocks,
    expected: [raceOfBlocks(4)],
  },
  {
    name: 'a block stores to a word that another has read',
    body: `${inBlock0} @!%p1 st.global.u32 [%rd0+4], 1; @%p1 ld.global.u32 %r1, [%rd0+4];`,
    options: blocks,
    expected: [raceOfBlocks(4)],
  },
  {
    name: 'through generic addresses',
    body: 'mov.u32 %r1, %ctaid.x; cvta.global.u64 %rd3, %rd0; st.u32 [%rd3], %r1;',
    options: blocks,
    expected: [raceOfBlocks(0)],
  },
  {
    name: 'a barrier orders its own block only',
    body: `${inBlock0} mov.u32 %r2, %tid.x; setp.eq.and.u32 %p1, %r2, 1, %p1; @%p1 st.global.u32 [%rd0], 1; bar.sync 0; ld.global.u32 %r1, [%rd0];`,
    options: { ...blocks, threads: 2 },
    expected: [
      'RUN010 race on out, byte 0: thread 0 of the block and thread 1 (warp 0, lane 1) of block (0, 0, 0) access it with no atomic in between, and one writes',
    ],
  },
  {
    name: 'a byte of a word',
    body: `${inBlock0} @%p1 st.global.u8 [%rd0+2], 1; @!%p1 ld.global.u32 %r1, [%rd0];`,
    options: blocks,
    expected: [raceOfBlocks(0)],
  },
  {
    name: 'a word and a vector',
    body: `${inBlock0} @%p1 st.global.v2.u32 [%rd0+8], {1, 2}; @!%p1 ld.global.u32 %r3, [%rd0+12];`,
    options: blocks,
    expected: [raceOfBlocks(12)],
  },
  {
    name: 'an atomic and a plain read',
    body: `${inBlock0} @%p1 red.global.add.u32 [%rd0], 1; @!%p1 ld.global.u32 %r1, [%rd0];`,
    options: blocks,
    expected: [raceOfBlocks(0)],
  },
  {
    name: 'an atomic without a fence orders nothing else',
    body: `${inBlock0} @%p1 st.global.u32 [%rd0+4], 1; atom.global.add.u32 %r1, [%rd0], 1; @!%p1 ld.global.u32 %r2, [%rd0+4];`,
    options: blocks,
    expected: [raceOfBlocks(4)],
  },
  {
    name: 'a fence releases earlier stores, not later ones',
    body: `${inBlock0} membar.gl; @%p1 st.global.u32 [%rd0+4], 1; atom.global.add.u32 %r1, [%rd0], 1; @!%p1 ld.global.u32 %r2, [%rd0+4];`,
    options: blocks,
    expected: [raceOfBlocks(4)],
  },
  {
    name: 'a fence of the block does not reach others',
    body: `${inBlock0} @%p1 st.global.u32 [%rd0+4], 1; membar.cta; atom.global.add.u32 %r1, [%rd0], 1; @!%p1 ld.global.u32 %r2, [%rd0+4];`,
    options: blocks,
    expected: [raceOfBlocks(4)],
  },
  {
    name: 'an atomic elsewhere',
    body: `${inBlock0} @%p1 st.global.u32 [%rd0+4], 1; membar.gl; atom.global.add.u32 %r1, [%rd1+8], 1; @!%p1 ld.global.u32 %r2, [%rd0+4];`,
    options: blocks,
    expected: [raceOfBlocks(4)],
  },
  {
    name: 'lanes of a warp',
    body: 'ld.global.u32 %r1, [%rd0]; setp.eq.u32 %p1, %r0, 5; @%p1 st.global.u32 [%rd0], 1;',
    options: {},
    expected: [raceOfLanes(0, 5, 0)],
  },
  {
    name: 'neighbors with no barrier between',
    body: 'st.global.u32 [%rd1], %r0; xor.b32 %r2, %r0, 1; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd0, %rd3; ld.global.u32 %r1, [%rd3];',
    options: {},
    expected: [raceOfLanes(4, 0, 1)],
  },
];

describe('races on global memory', () => {
  test.each(races)('$name', ({ body, options, expected }) => {
    expect(runKernel(body, { ...options, sanitize: true }).findings).toEqual(expected);
  });
});

/** A kernel in which the last block that arrives reads the stores of all blocks. */
const lastBlock = (fence: string) => `st.global.u32 [%rd1], %r0; ${fence} bar.sync 0;
  mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; @%p1 atom.global.add.u32 %r3, [%rd0+1020], 1; @%p1 st.shared.u32 [s], %r3; bar.sync 0;
  ld.shared.u32 %r3, [s]; setp.ne.u32 %p2, %r3, 2; @%p2 bra END;
  xor.b32 %r4, %r0, 33; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd0, %rd3; ld.global.u32 %r5, [%rd3]; ld.global.u32 %r5, [%rd0]; END:`;

const ordered: readonly Row[] = [
  { name: 'a word for each thread', body: 'st.global.u32 [%rd1], %r0; ld.global.u32 %r1, [%rd1];' },
  { name: 'bytes of one word', body: 'add.u64 %rd3, %rd0, 2; st.global.u8 [%rd3], %r0;', options: { threads: 1 } },
  { name: 'readers only', body: 'ld.global.u32 %r1, [%rd0];', options: { threads: 64, blocks: 3 } },
  { name: 'atomics', body: 'red.global.add.u32 [%rd0], 1;', options: { threads: 64, blocks: 3 } },
  {
    name: 'a barrier within a block',
    body: 'st.global.u32 [%rd1], %r0; bar.sync 0; xor.b32 %r2, %r0, 33; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd0, %rd3; ld.global.u32 %r1, [%rd3];',
    options: { threads: 64, blocks: 2 },
  },
  {
    name: 'every thread fences, then one of the block counts it',
    body: lastBlock('membar.gl;'),
    options: { threads: 64, blocks: 3, words: 256, module: shared },
  },
  {
    name: 'a flag that one block stores and another waits for',
    body: `${inBlock0} @!%p1 bra WAIT; st.global.u32 [%rd0+4], 7; st.release.gpu.global.u32 [%rd0], 1; bra END;
      WAIT: ld.acquire.gpu.global.u32 %r1, [%rd0]; setp.eq.u32 %p2, %r1, 0; @%p2 bra WAIT; ld.global.u32 %r2, [%rd0+4]; END:`,
    options: blocks,
  },
  {
    name: 'a lock around a counter',
    body: `LOCK: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra LOCK; membar.gl;
      ld.global.u32 %r2, [%rd0+4]; add.u32 %r2, %r2, 1; st.global.u32 [%rd0+4], %r2; membar.gl; atom.global.exch.b32 %r1, [%rd0], 0;`,
    options: { threads: 1, blocks: 4, words: 8 },
  },
  {
    name: 'a release also covers acquired stores',
    body: `mov.u32 %r10, %ctaid.x; setp.eq.u32 %p1, %r10, 0; setp.eq.u32 %p2, %r10, 1; @%p1 st.global.u32 [%rd0+12], 7;
      cvt.u64.u32 %rd4, %r10; shl.b64 %rd4, %rd4, 2; add.u64 %rd4, %rd4, %rd0; @%p1 bra SET;
      WAIT: ld.acquire.gpu.global.u32 %r1, [%rd4+-4]; setp.eq.u32 %p3, %r1, 0; @%p3 bra WAIT; @%p2 bra SET; ld.global.u32 %r2, [%rd0+12]; bra END;
      SET: st.release.gpu.global.u32 [%rd4], 1; END:`,
    options: { threads: 1, blocks: 3, words: 8 },
  },
].map((row) => ({ ...row, expected: [] }));

describe('ordered accesses of global memory', () => {
  test.each(ordered)('$name', ({ body, options }) => {
    expect(runKernel(body, { ...options, sanitize: true }).findings).toEqual([]);
  });

  test('without the fence the last block races', () => {
    const { findings } = runKernel(lastBlock(''), {
      threads: 64,
      blocks: 3,
      words: 256,
      module: shared,
      sanitize: true,
    });
    expect(findings.length).toBeGreaterThan(0);
    expect(findings.every((finding) => finding.startsWith('RUN010 race on out'))).toBe(true);
  });
});

const own = 'shl.b32 %r9, %r0, 2; mov.u32 %r8, s; add.u32 %r9, %r8, %r9;';
/** A kernel in which each lane adds its neighbor's value, as reductions did before sm_70. */
const reduction = (
  between: string,
) => `${own} st.volatile.shared.u32 [%r9], %r0; ${between} setp.ge.u32 %p1, %r0, 16; @%p1 bra END;
  ld.volatile.shared.u32 %r1, [%r9+64]; END:`;
/**
 * A histogram whose counters carry a tag of the writing lane. A lane writes until its own tag
 * stays.
 */
const tagged = `mov.u32 %r8, s; setp.ne.u32 %p1, %r0, 0; @!%p1 st.volatile.shared.u32 [s], 0; bar.warp.sync 0xffffffff; shl.b32 %r5, %r0, 27;
  AGAIN: ld.volatile.shared.u32 %r1, [%r8]; and.b32 %r1, %r1, 0x7ffffff; add.u32 %r1, %r1, 1; or.b32 %r1, %r1, %r5;
  st.volatile.shared.u32 [%r8], %r1; ld.volatile.shared.u32 %r2, [%r8]; setp.ne.u32 %p2, %r1, %r2; @%p2 bra AGAIN;`;

describe('code that relies on lanes in lockstep', () => {
  test('a volatile reduction without bar.warp.sync is reported', () => {
    expect(runKernel(reduction(''), { module: shared, sanitize: true }).findings).toEqual([
      "RUN017 's', byte 64 is correct only if the lanes of a warp execute in lockstep: thread 0 and thread 16 (warp 0, lane 16) of the block access it without a barrier in between, and one writes",
    ]);
  });

  test('a volatile reduction with bar.warp.sync is not reported', () => {
    const { findings } = runKernel(reduction('bar.warp.sync 0xffffffff;'), { module: shared, sanitize: true });
    expect(findings).toEqual([]);
  });

  test('a tagged histogram is reported', () => {
    const { findings } = runKernel(tagged, { module: shared, sanitize: true });
    expect(new Set(findings.map((finding) => finding.slice(0, 6)))).toEqual(new Set(['RUN017']));
  });

  test('volatile accesses of warps that wait for each other are not reported', () => {
    const body = `${own} setp.eq.u32 %p1, %r0, 32; @%p1 st.volatile.shared.u32 [s], 1; setp.eq.u32 %p1, %r0, 0; @%p1 ld.volatile.shared.u32 %r1, [s];`;
    const { findings } = runKernel(body, { threads: 64, module: shared, sanitize: true });
    expect(findings.filter((finding) => finding.startsWith('RUN017'))).toEqual([]);
  });

  test('a flag after a fence is not reported, because lanes of a warp may wait for each other', () => {
    const body = `setp.eq.u32 %p1, %r0, 5; @!%p1 bra WAIT; st.global.u32 [%rd0], 7; membar.gl; st.volatile.global.u32 [%rd0+4], 1; bra END;
      WAIT: ld.volatile.global.u32 %r1, [%rd0+4]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT; membar.gl; ld.global.u32 %r2, [%rd0]; END:`;
    expect(runKernel(body, { sanitize: true }).findings).toEqual([]);
  });
});

/**
 * A kernel in which thread 0 stores, and sets a flag after a fence. Thread 32 waits for the flag,
 * and then its warp executes `rest`.
 */
const handover = (beforeFlag: string, rest: string) => `setp.ge.u32 %p1, %r0, 32; @%p1 bra OTHER;
  setp.ne.u32 %p2, %r0, 0; @%p2 bra END; st.global.u32 [%rd0], 7; membar.cta; ${beforeFlag} st.relaxed.cta.global.u32 [%rd0+4], 1; bra END;
  OTHER: setp.ne.u32 %p2, %r0, 32; @%p2 bra SEEN;
  WAIT: ld.relaxed.cta.global.u32 %r1, [%rd0+4]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT; membar.cta;
  SEEN: bar.warp.sync 0xffffffff; ${rest} END:`;

describe('the accesses that a flag orders', () => {
  test.each([
    { name: 'accesses before the fence', beforeFlag: '', rest: 'ld.global.u32 %r2, [%rd0];', expected: [] },
    { name: 'the flag itself', beforeFlag: '', rest: 'ld.global.u32 %r2, [%rd0+4];', expected: [] },
    {
      name: 'but not accesses between the fence and the flag',
      beforeFlag: 'st.global.u32 [%rd0+8], 1;',
      rest: 'ld.global.u32 %r2, [%rd0+8];',
      expected: [
        'RUN010 race on out, byte 8: thread 32 and thread 0 (warp 0, lane 0) of the block access it with no barrier in between, and one writes',
      ],
    },
  ])('$name', ({ beforeFlag, rest, expected }) => {
    const { findings } = runKernel(handover(beforeFlag, rest), { threads: 64, sanitize: true });
    expect(findings).toEqual(expected);
  });
});
