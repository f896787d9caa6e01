// Unrolled loops: which loops the pass unrolls, and that their results do not change.
import { describe, expect, it } from 'vitest';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { inTurn } from '../../../effort.ts';
import { randomWords } from '../../../lane-rows/operand-values.ts';
import { countedLaunch, countedLoop, iterate, type LoopShape, widthOf } from '../../../lockstep/counted-loop.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { wgslOf } from '../../../lockstep/small-kernel.ts';

type Row = readonly [start: bigint, bound: bigint, step: bigint];

/** The maximum number of iterations of a lane. */
const most = 40;

/**
 * Returns the number of copies of the body after the pass, counted by its loads, or by its products
 * if it lacks loads.
 */
function copies(ptx: string): number {
  let text = '';
  wgslOf(ptx, { entry: 'counted', observe: (pass, after) => (text = pass === 'unroll-loops' ? after : text) });
  const count = (part: RegExp) => [...text.matchAll(part)].length;
  return count(/%r7\S* = load/g) || count(/= imul \S+, 31$/gm);
}

/** Expects the results of the reference. */
async function same(ptx: string): Promise<void> {
  const launch = countedLaunch(ptx, [[2n, 6n, 1n]]);
  const { outputs: expected } = await cpuExecutor().run(launch);
  const { outputs } = await lockstepExecutor(32).run(launch);
  expect(outputs.get(2)).toEqual(expected.get(2));
}

/** Returns values near the start, the end and zero of a type's range. */
function edges(type: string): bigint[] {
  const bits = BigInt(widthOf(type));
  const [least, greatest] = type.startsWith('s')
    ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n]
    : [0n, (1n << bits) - 1n];
  return [
    least,
    least + 1n,
    least + 3n,
    -1n,
    0n,
    1n,
    5n,
    greatest - 12n,
    greatest - 3n,
    greatest - 1n,
    greatest,
  ].filter((value) => value >= least && value <= greatest);
}

/**
 * Draws rows whose loops end: starts and bounds at the edges of the range, or a few steps from
 * there.
 */
function rowsFor(shape: LoopShape, random: () => number): Row[] {
  const near = edges(shape.type);
  const steps = [1n, 2n, 3n, 7n, -1n, -4n, 0n, 1n << 30n, -(1n << 29n), ...near];
  const wrap = (value: bigint) =>
    shape.type.startsWith('s') ? BigInt.asIntN(widthOf(shape.type), value) : BigInt.asUintN(widthOf(shape.type), value);
  const pick = <T>(list: readonly T[]): T => list[random() % list.length] as T;
  const rows: Row[] = [];
  while (rows.length < 32) {
    const step = pick(steps);
    const bound = pick(near);
    const row: Row = [wrap(random() % 2 ? bound - BigInt(random() % 24) * step : pick(near)), bound, wrap(step)];
    const run = iterate(shape, row, most);
    // Keep one in eight of the loops of one iteration, which are the most frequent and test the
    // least.
    if (run !== undefined && (run.trips > 1 || random() % 8 === 0)) rows.push(row);
  }
  return rows;
}

async function check(shape: LoopShape, ptx: string, rows: readonly Row[]): Promise<void> {
  const launch = countedLaunch(ptx, rows);
  const words = async (executor: ReturnType<typeof cpuExecutor>) => {
    const { outputs } = await executor.run(launch);
    return [...new Uint32Array((outputs.get(2) ?? new Uint8Array()).slice().buffer)];
  };
  const results = await words(lockstepExecutor(32));
  const reference = await words(cpuExecutor());
  for (let lane = 0; lane < 32; lane++) {
    const row = rows[lane % rows.length] ?? [0n, 0n, 0n];
    const { trips = -1, last = 0n } = iterate(shape, row, most) ?? {};
    const got = results.slice(lane * 3, lane * 3 + 3);
    const low = Number(BigInt.asUintN(Math.min(widthOf(shape.type), 32), last));
    expect({ row, got }).toEqual({ row, got: [trips, reference[lane * 3 + 1], low] });
  }
}

const shapes = ['do', 'do, left', 'early', 'while'] as const;
const relations = ['lt', 'le', 'gt', 'ge', 'ne', 'eq'];
/** A short run covers a sixth of the loops of each type. */
const nextLoops = inTurn(
  shapes.flatMap((shape) => relations.map((cmp) => [cmp, shape] as const)),
  4,
);

describe('loops that load run in groups of four iterations', () => {
  describe.each(['u32', 's32', 's64', 'u16'])('counters of type %s', (type) => {
    it.each(nextLoops())('while %s, %s', async (cmp, shape) => {
      const loop: LoopShape = { type, cmp, shape };
      const ptx = countedLoop(loop);
      expect(copies(ptx)).toBe(5);
      await check(loop, ptx, rowsFor(loop, randomWords(`${type}${cmp}${shape}`.length + cmp.charCodeAt(0))));
    });
  });

  it.each([
    ['a store to the memory that it reads', 'st.global.u32 [%rd4], %r2;', 1],
    ['a store elsewhere', 'st.global.u32 [%rd5], %r2;', 5],
    ['an atomic elsewhere', 'red.global.add.u32 [%rd5], 1;', 5],
    ['a guarded instruction', 'setp.gt.u32 %p2, %r7, 99; @%p2 add.s32 %r2, %r2, 7;', 5],
    ['a barrier', 'bar.sync 0;', 1],
    ['a shuffle', 'shfl.sync.bfly.b32 %r2, %r2, 1, 0x1f, -1;', 1],
    ['an activemask', 'activemask.b32 %r9; add.s32 %r2, %r2, %r9;', 1],
    ['an ordered load', 'ld.volatile.global.u32 %r9, [%rd4];', 1],
    ['a fence', 'membar.gl;', 1],
    ['a guard on the counter', 'setp.gt.u32 %p2, %r7, 99; @%p2 add.u32 %r11, %r11, 1;', 1],
    ['a guard on the counter that is always true', 'setp.gt.u32 %p2, %r0, 7; @%p2 add.u32 %r11, %r11, 1;', 5],
    ['a loaded counter', 'and.b32 %r9, %r7, 1; add.u32 %r11, %r11, %r9;', 1],
    ['an exit in the middle', 'setp.eq.u32 %p2, %r7, 5; @%p2 bra OUT;', 1],
  ])('%s', (_, extra, expected) => {
    const ptx = countedLoop({ type: 'u32', cmp: 'lt', shape: 'do', extra });
    expect(copies(extra.includes('OUT') ? ptx.replace('  ret;', 'OUT:\n  ret;') : ptx)).toBe(expected);
  });

  it('loads through loaded addresses are not unrolled', () => {
    const ptx = countedLoop({ type: 'u32', cmp: 'lt', shape: 'do' }).replace(
      'and.b32 %r6, %r5, 15;',
      'and.b32 %r6, %r7, 15;',
    );
    expect(copies(ptx)).toBe(1);
  });

  it('loops without loads are not unrolled', () => {
    const ptx = countedLoop({ type: 'u32', cmp: 'lt', shape: 'do' }).replace(
      'ld.global.u32 %r7, [%rd4];',
      'mov.u32 %r7, %r6;',
    );
    expect(copies(ptx)).toBe(1);
  });

  it('a test that depends on the previous test also runs ahead', async () => {
    const loop: LoopShape = { type: 'u32', cmp: 'lt', shape: 'do' };
    const ptx = countedLoop(loop)
      .replace('LOOP:', '  setp.ne.u32 %p2, %r0, %r0;\nLOOP:')
      .replace('@%p1 bra LOOP', 'xor.pred %p2, %p2, %p1;\n  @%p2 bra LOOP');
    expect(copies(ptx)).toBe(5);
    const launch = countedLaunch(ptx, [[0n, 9n, 1n]]);
    const { outputs } = await lockstepExecutor(32).run(launch);
    // The first test holds and none precedes it, so the loop continues. The second test holds as
    // well, so the loop ends.
    expect(new Uint32Array((outputs.get(2) ?? new Uint8Array()).slice().buffer)[0]).toBe(2);
  });

  it('a body may read the result of the previous test', async () => {
    const loop: LoopShape = { type: 'u32', cmp: 'lt', shape: 'do', extra: '  selp.b32 %r2, %r2, %r7, %p1;' };
    const ptx = countedLoop(loop).replace('LOOP:', '  setp.gt.u32 %p1, %r0, 5;\nLOOP:');
    expect(copies(ptx)).toBe(5);
    await check(loop, ptx, rowsFor(loop, randomWords(4)));
  });

  it('loads from shared memory count as well', async () => {
    const loop: LoopShape = { type: 's32', cmp: 'lt', shape: 'do', shared: true };
    expect(copies(countedLoop(loop))).toBe(5);
    await check(loop, countedLoop(loop), rowsFor(loop, randomWords(3)));
  });
});

describe('loops with a known trip count become copies of their bodies', () => {
  it.each<[string, string, LoopShape['shape'], ...Row, number]>([
    ['u32', 'lt', 'do', 0n, 4n, 1n, 4],
    ['u32', 'lt', 'do', 9n, 4n, 1n, 1],
    ['u32', 'lt', 'while', 0n, 4n, 1n, 4],
    ['u32', 'lt', 'early', 0n, 4n, 1n, 5],
    ['u32', 'lt', 'do, left', 0n, 12n, 4n, 3],
    ['u32', 'ne', 'do', 512n, 4608n, 1024n, 4],
    ['s32', 'gt', 'do', 5n, -1n, -1n, 6],
    ['s32', 'ne', 'do', -4n, 0n, 1n, 4],
    // Counters that wrap. Without wrapping, these loops would not end.
    ['u32', 'gt', 'do', 3n, 5n, -1n, 1],
    ['u32', 'ge', 'do', 0xffff_fffdn, 0xffff_fff0n, 1n, 3],
    ['s32', 'ge', 'do', 0x7fff_fffen, 0n, 1n, 2],
    ['u32', 'ne', 'do', 0xffff_fffen, 3n, 1n, 5],
    ['u32', 'ne', 'do', 0n, 0n, 0x4000_0000n, 4],
    ['s16', 'gt', 'do', 32_766n, -5n, 1n, 2],
    ['u16', 'ge', 'do', 65_530n, 65_530n, 3n, 2],
    ['u64', 'lt', 'do', 0xffff_fffdn, 0x1_0000_0002n, 1n, 5],
    ['s64', 'le', 'do', -2n, 2n, 1n, 5],
    ['u32', 'eq', 'do', 3n, 4n, 1n, 2],
  ])('%s, while %s (%s), from %i to %i by %i: %i', async (type, cmp, shape, start, bound, step, trips) => {
    const numbers: Row = [start, bound, step];
    const loop: LoopShape = { type, cmp, shape, numbers };
    expect(iterate(loop, numbers, most)?.trips).toBe(trips);
    const ptx = countedLoop(loop);
    expect(copies(ptx)).toBe(trips);
    await check(loop, ptx, [numbers]);
  });

  it('after a test that skips the loop', async () => {
    const loop: LoopShape = { type: 'u32', cmp: 'lt', shape: 'while', numbers: [4n, 4n, 1n] };
    await check(loop, countedLoop(loop), [[4n, 4n, 1n]]);
  });

  it('if their copies have at most 512 instructions', () => {
    const of = (bound: bigint) =>
      copies(countedLoop({ type: 'u32', cmp: 'lt', shape: 'do', numbers: [0n, bound, 1n] }));
    expect(of(40n)).toBe(40);
    expect(of(60n)).toBe(5);
  });

  it('unless they read the active mask', () => {
    const extra = 'activemask.b32 %r9; add.s32 %r2, %r2, %r9;';
    expect(copies(countedLoop({ type: 'u32', cmp: 'lt', shape: 'do', numbers: [0n, 4n, 1n], extra }))).toBe(1);
  });

  it('if all entries have the same start value', async () => {
    const loop: LoopShape = { type: 'u32', cmp: 'lt', shape: 'do', numbers: [2n, 6n, 1n] };
    const entered = (other: number) =>
      countedLoop(loop).replace(
        'LOOP:',
        `  setp.gt.u32 %p2, %r0, 7;\n  @%p2 bra OTHER;\n  bra LOOP;\nOTHER:\n  mov.b32 %r11, ${other};\n  add.s32 %r2, %r2, %r0;\nLOOP:`,
      );
    expect(copies(entered(2))).toBe(4);
    expect([copies(entered(2)), copies(entered(3))]).toEqual([4, 5]);
    await same(entered(3));
    const guarded = countedLoop(loop).replace('LOOP:', '  setp.gt.u32 %p2, %r0, 7;\n  @%p2 mov.b32 %r11, 3;\nLOOP:');
    await same(guarded);
    expect(copies(guarded)).toBe(5);
    await check(loop, entered(2), [[2n, 6n, 1n]]);
  });

  it('if nested: the inner one', async () => {
    const inner =
      '  mov.u32 %r9, 0;\nINNER:\n  mul.lo.s32 %r2, %r2, %r0;\n  add.s32 %r9, %r9, 1;\n  setp.lt.u32 %p2, %r9, 3;\n  @%p2 bra INNER;';
    const loop: LoopShape = { type: 'u32', cmp: 'lt', shape: 'do', numbers: [0n, 4n, 1n], extra: inner };
    const ptx = countedLoop(loop);
    let text = '';
    wgslOf(ptx, { entry: 'counted', observe: (pass, after) => (text = pass === 'unroll-loops' ? after : text) });
    expect([copies(ptx), [...text.matchAll(/%r2\S* = imul \S+ %tid_x$/gm)].length]).toEqual([1, 3]);
    await check(loop, ptx, [[0n, 4n, 1n]]);
  });

  it('collectives are copied too, with their operands', () => {
    const extra = 'shfl.sync.bfly.b32 %r9, %r2, %r11, 0x1f, -1; add.s32 %r2, %r2, %r9; bar.sync 0;';
    const ptx = countedLoop({ type: 'u32', cmp: 'lt', shape: 'do', numbers: [1n, 4n, 1n], extra });
    expect(copies(ptx)).toBe(3);
    const sources = wgslOf(ptx, { entry: 'counted' }).matchAll(/subgroupShuffle\(\w+, lane_bfly_(\d+)\)/g);
    expect([...sources].map(([, mask]) => mask)).toEqual(['1', '2', '3']);
  });
});
