// Tests PTX's rule for the lanes that execute a warp instruction together. A lane waits for the
// lanes of its membermask, which must reach an instruction with the same qualifiers.
import { describe, expect, test } from 'vitest';
import { each, type KernelOptions, runKernel } from './interpreter-support.ts';

const store = 'st.global.u32 [%rd1], %r1;';

interface Row {
  readonly name: string;
  readonly body: string;
  readonly options?: KernelOptions;
  readonly expected: number[];
}

const table: readonly Row[] = [
  {
    name: 'each arm has its own vote.sync, and equal qualifiers execute together',
    body: `setp.lt.u32 %p0, %lane, 8; setp.gt.u32 %p1, %lane, 5;
      @%p0 bra LOW;
      vote.sync.ballot.b32 %r1, %p1, 0xffffffff; bra DONE;
    LOW: vote.sync.ballot.b32 %r1, %p1, 0xffffffff; add.u32 %r1, %r1, 1;
    DONE: ${store}`,
    expected: each(32, (i) => (i < 8 ? 0xffff_ffc1 : 0xffff_ffc0)),
  },
  {
    name: 'both arms exchange values by shuffle',
    body: `setp.lt.u32 %p0, %lane, 16; mul.lo.u32 %r2, %lane, 10;
      @%p0 bra LOW;
      shfl.sync.bfly.b32 %r1, %r2, 16, 31, 0xffffffff; bra DONE;
    LOW: add.u32 %r2, %r2, 1000; shfl.sync.bfly.b32 %r1, %r2, 16, 31, 0xffffffff;
    DONE: ${store}`,
    expected: each(32, (i) => (i < 16 ? 10 * (i + 16) : 1000 + 10 * (i - 16))),
  },
  {
    name: 'one arm uses the predicate of a shuffle, and the other, whose lanes arrive first, does not',
    body: `setp.lt.u32 %p0, %lane, 8; setp.eq.u32 %p1, %lane, 99;
      @%p0 bra LOW;
      shfl.sync.down.b32 %r1|%p1, %lane, 4, 31, 0xffffffff; bra DONE;
    LOW: shfl.sync.down.b32 %r1, %lane, 4, 31, 0xffffffff;
    DONE: selp.u32 %r1, 1, 0, %p1; ${store}`,
    expected: each(32, (i) => (i >= 8 && i < 28 ? 1 : 0)),
  },
  {
    name: 'arms with different qualifiers execute separately, each with its own mask',
    body: `setp.lt.u32 %p0, %lane, 16;
      @%p0 bra LOW;
      redux.sync.max.u32 %r1, %lane, 0xffff0000; bra DONE;
    LOW: redux.sync.add.u32 %r1, %lane, 0x0000ffff;
    DONE: ${store}`,
    expected: each(32, (i) => (i < 16 ? 120 : 31)),
  },
  {
    name: 'disjoint groups execute one instruction under different masks, each with its own result',
    body: `and.b32 %r2, %lane, 3; mov.u32 %r3, 0x11111111; shl.b32 %r3, %r3, %r2;
      redux.sync.add.u32 %r1, %lane, %r3; ${store}`,
    expected: each(32, (i) => 8 * (i & 3) + 4 * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7)),
  },
  {
    name: 'exited lanes in the mask do not vote, and no lane waits for them',
    body: `setp.ge.u32 %p0, %lane, 20; @%p0 exit;
      setp.ne.u32 %p1, %lane, 99; vote.sync.ballot.b32 %r1, %p1, 0xffffffff; ${store}`,
    expected: each(32, (i) => (i < 20 ? 0x000f_ffff : 0)),
  },
  {
    name: 'lanes that exit later release the lanes that wait for them',
    body: `setp.lt.u32 %p0, %lane, 4; @!%p0 bra WAIT;
      mov.u32 %r5, 0;
    SPIN: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 50; @%p1 bra SPIN;
      exit;
    WAIT: redux.sync.min.u32 %r1, %lane, 0xffffffff; ${store}`,
    expected: each(32, (i) => (i < 4 ? 0 : 4)),
  },
  {
    name: 'a loop that lanes leave one by one, with a mask that shrinks',
    body: `mov.u32 %r1, 0; mov.u32 %r2, 0xffffffff;
    LOOP: setp.gt.u32 %p0, %lane, %r1; vote.sync.ballot.b32 %r2, %p0, %r2;
      @!%p0 bra DONE; add.u32 %r1, %r1, 1; bra LOOP;
    DONE: popc.b32 %r3, %r2; add.u32 %r1, %r1, %r3; ${store}`,
    // Lane i leaves in iteration i, when the lanes after it remain.
    expected: each(32, (i) => i + (31 - i)),
  },
  {
    name: 'lanes that never existed count as exited',
    body: `setp.ne.u32 %p1, %lane, 99; vote.sync.all.pred %p0, %p1, 0xffffffff; selp.u32 %r1, 1, 0, %p0;
      vote.sync.ballot.b32 %r2, %p1, 0xffffffff; popc.b32 %r2, %r2; shl.b32 %r2, %r2, 8; or.b32 %r1, %r1, %r2; ${store}`,
    options: { threads: 45 },
    expected: each(45, (i) => 1 | ((i < 32 ? 32 : 13) << 8)),
  },
  {
    name: 'activemask returns the lanes that execute it together',
    body: `mov.u32 %r1, 0; setp.ge.u32 %p0, %lane, 11; @%p0 bra L; activemask.b32 %r1; L: ${store}`,
    expected: each(32, (i) => (i < 11 ? 0x7ff : 0)),
  },
  {
    name: 'activemask excludes a lane whose guard is false',
    body: `mov.u32 %r1, 7; setp.lt.u32 %p0, %lane, 4; @%p0 activemask.b32 %r1; ${store}`,
    expected: each(32, (i) => (i < 4 ? 0xf : 7)),
  },
  {
    name: 'bar.warp.sync in both arms',
    body: `setp.lt.u32 %p0, %lane, 9; @%p0 bra A; mov.u32 %r1, 1; bar.warp.sync 0xffffffff; bra D;
      A: mov.u32 %r1, 2; bar.warp.sync 0xffffffff; D: ${store}`,
    expected: each(32, (i) => (i < 9 ? 2 : 1)),
  },
  {
    name: 'match.any and redux honor per-lane masks of pairs',
    body: `mov.u32 %r2, 3; and.b32 %r3, %lane, 30; shl.b32 %r2, %r2, %r3; mov.u32 %r4, 5;
      match.any.sync.b32 %r1, %r4, %r2; ${store}`,
    expected: each(32, (i) => 3 << (i & 30)),
  },
];

describe('waiting by qualifiers and membermask', () => {
  test.each(table)('$name', ({ body, options, expected }) => {
    for (const variant of [{}, { seed: 3, stepsPerYield: 1 }, { seed: 8, stepsPerYield: 5 }]) {
      const { result, out } = runKernel(body, { ...options, ...variant });
      expect(result.status).toBe('done');
      expect(out).toEqual(expected);
      expect(result.undefinedMasks.size).toBe(0);
    }
  });
});

describe('waits that never end', () => {
  test('different qualifiers in the arms of a branch, same mask', () => {
    const body = `setp.lt.u32 %p0, %lane, 8; setp.gt.u32 %p1, %lane, 5;
      @%p0 bra LOW;
      vote.sync.all.pred %p2, %p1, 0xffffffff; bra DONE;
    LOW: vote.sync.any.pred %p2, %p1, 0xffffffff;
    DONE: ret;`;
    const { result, findings } = runKernel(body);
    expect(result.status).toBe('failed');
    expect(result.failure?.code).toBe('RUN002');
    expect(findings).toEqual(['RUN002 deadlock: lanes 0-7 of warp 0 wait here, membermask 0xffffffff, for lanes 8-31']);
    const [finding] = result.findings;
    expect(finding?.labels.map(({ text }) => text)).toEqual([
      'lanes 8-31 of warp 0 wait here, membermask 0xffffffff, for lanes 0-7',
    ]);
  });

  test('a warp waits forever for a lane that waits at a barrier', () => {
    const body = `setp.eq.u32 %p0, %lane, 3; @%p0 bra B; redux.sync.add.u32 %r1, %lane, 0xffffffff; ret; B: bar.sync 0;`;
    const { result, findings } = runKernel(body);
    expect(result.failure?.code).toBe('RUN002');
    expect(findings[0]).toBe('RUN002 deadlock: lanes 0-2, 4-31 of warp 0 wait here, membermask 0xffffffff, for lane 3');
    expect(result.findings[0]?.labels[0]?.text).toBe(
      'lane 3 of warp 0 wait at barrier 0, for lanes 0-2, 4-31 of warp 0',
    );
  });

  test('an endless loop is a timeout', () => {
    const { result } = runKernel('L: bra L;', { maxSteps: 10_000 });
    expect(result.failure).toEqual({ code: 'RUN014', message: 'the launch did not end within 10000 steps' });
  });
});

describe('undefined results', () => {
  test('lanes and warps that wait for each other use few steps', () => {
    const body = `sub.u32 %r1, 63, %r0; WAIT: ld.relaxed.cta.global.u32 %r2, [%rd0]; setp.ne.u32 %p1, %r1, %r2; @%p1 bra WAIT;
      add.u32 %r2, %r2, 1; st.relaxed.cta.global.u32 [%rd0], %r2;`;
    const { result, out } = runKernel(body, { threads: 64, words: 1 });
    expect({ status: result.status, out }).toEqual({ status: 'done', out: [64] });
    expect(result.steps).toBeLessThan(10_000);
  });

  test('warps that shuffle after each poll use few steps', () => {
    const body = `shr.u32 %r1, %r0, 5; mov.u32 %r3, 0;
      NEXT: ld.relaxed.cta.global.u32 %r2, [%rd0]; shfl.sync.idx.b32 %r2, %r2, 0, 31, 0xffffffff;
      setp.ne.u32 %p1, %r1, %r2; @%p1 bra NEXT; bar.warp.sync 0xffffffff; setp.eq.u32 %p2, %lane, 0;
      @%p2 add.u32 %r2, %r2, 1; @%p2 st.relaxed.cta.global.u32 [%rd0], %r2;
      add.u32 %r1, %r1, 2; add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 8; @%p3 bra NEXT;`;
    const { result, out } = runKernel(body, { threads: 64, words: 1, maxSteps: 5_000 });
    expect(result.failure).toBeUndefined();
    expect(out).toEqual([16]);
  });

  test('a lane without its own bit executes alone, with an undefined result', () => {
    const body = `setp.eq.u32 %p0, %lane, 31; mov.u32 %r2, 0x7fffffff; redux.sync.add.u32 %r1, %lane, %r2; ${store}`;
    const { result, out, findings } = runKernel(body);
    expect(out.slice(0, 31)).toEqual(each(31, () => 465));
    expect(findings).toEqual(['RUN001 lane 31 is not named in its own membermask 0x7fffffff']);
    expect(
      [...(result.undefinedMasks.get(0)?.keys() ?? [])].filter((i) => result.undefinedMasks.get(0)?.[i] !== 0),
    ).toEqual([124, 125, 126, 127]);
  });

  test('a shuffle from an exited lane is undefined, and so are values computed from it', () => {
    const body = `setp.ge.u32 %p0, %lane, 30; @%p0 exit;
      shfl.sync.down.b32 %r1|%p1, %lane, 2, 31, 0xffffffff; add.u32 %r1, %r1, 1; ${store}`;
    const { result, out } = runKernel(body);
    expect(out.slice(0, 28)).toEqual(each(28, (i) => i + 3));
    const mask = result.undefinedMasks.get(0) ?? new Uint8Array();
    expect(each(32, (i) => (mask[4 * i] === 0 ? 0 : 1))).toEqual(each(32, (i) => (i === 28 || i === 29 ? 1 : 0)));
  });

  test('an undefined value reaches only the lanes that use it', () => {
    // Lanes 28 and 29 receive undefined values. A second shuffle by 4 carries them to lanes 24 and
    // 25; selp drops them in lane 25.
    const body = `setp.ge.u32 %p0, %lane, 30; @%p0 exit;
      shfl.sync.down.b32 %r1, %lane, 2, 31, 0xffffffff;
      shfl.sync.down.b32 %r2|%p1, %r1, 4, 31, 0x3fffffff;
      setp.eq.u32 %p2, %lane, 25; selp.u32 %r1, 7, %r2, %p2; ${store}`;
    const { result } = runKernel(body);
    const mask = result.undefinedMasks.get(0) ?? new Uint8Array();
    const lanes = each(32, (i) => i).filter((i) => mask[4 * i] !== 0);
    // Lanes 26 and 27 read lanes 30 and 31, which have exited. Lanes 28 and 29 are out of range and
    // keep their own, undefined, values.
    expect(lanes).toEqual([24, 26, 27, 28, 29]);
  });
});
