// Unrolled loops with random counters and bodies, against the reference.
import { describe, expect, it } from 'vitest';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { effort } from '../../../effort.ts';
import { randomWords } from '../../../lane-rows/operand-values.ts';
import { countedLaunch, countedLoop, iterate, type LoopShape, widthOf } from '../../../lockstep/counted-loop.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

type Row = [start: bigint, bound: bigint, step: bigint];

/**
 * Optional statements of a body. `%p1` is the previous test, and `%r15` is a value that changes.
 */
const statements = [
  'st.global.u32 [%rd5], %r2;',
  'st.global.u32 [%rd5+4], %r1;',
  'ld.global.u32 %r9, [%rd5]; add.s32 %r2, %r2, %r9;',
  'red.global.add.u32 [%rd5+8], %r2;',
  'setp.gt.u32 %p2, %r7, %r2; @%p2 add.s32 %r2, %r2, 7;',
  'setp.gt.u32 %p2, %r7, %r2; @!%p2 mov.u32 %r9, %r1; @%p2 mov.u32 %r9, 3; xor.b32 %r2, %r2, %r9;',
  'min.u32 %r9, %r2, %r7; max.u32 %r10, %r7, %r2; setp.lt.s32 %p3, %r5, 3; selp.b32 %r2, %r9, %r10, %p3;',
  'ld.shared.u32 %r9, [%r8]; add.s32 %r2, %r2, %r9;',
  'add.s32 %r14, %r5, 3; and.b32 %r14, %r14, 15; mad.wide.u32 %rd9, %r14, 4, %rd2; ld.global.u32 %r9, [%rd9]; add.s32 %r2, %r2, %r9;',
  'mov.u32 %r9, %r15; mov.u32 %r15, %r7; add.s32 %r2, %r2, %r9;',
  'and.b32 %r14, %r15, 15; mad.wide.u32 %rd9, %r14, 4, %rd2; ld.global.u32 %r9, [%rd9]; mad.lo.s32 %r15, %r15, 5, 1; xor.b32 %r2, %r2, %r9;',
  'ld.global.v2.u32 {%r9, %r14}, [%rd2+8]; add.s32 %r2, %r2, %r14;',
  'selp.b32 %r2, %r2, %r7, %p1;',
];

/** Draws each lane's row of numbers for a loop that runs a few iterations. */
function randomRows(loop: LoopShape, random: () => number, pick: <T>(list: readonly [T, ...T[]]) => T): Row[] {
  const bits = widthOf(loop.type);
  const wrap = (value: bigint) =>
    loop.type.startsWith('s') ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  const middle = 1n << BigInt(bits - 1);
  const rows: Row[] = [];
  for (let tries = 0; rows.length < 32 && tries < 20_000; tries++) {
    const step = wrap(pick([1n, 2n, 3n, 5n, -1n, -2n, -7n, BigInt(random() | 0), BigInt(random() >>> 20)]));
    const bound = wrap(pick([0n, 1n, -1n, middle, middle - 1n, BigInt(random())]));
    const start = wrap(bound - BigInt(random() % 28) * step + BigInt(random() % 3) - 1n);
    const run = iterate(loop, [start, bound, step], 30);
    if (run !== undefined && (run.trips > 3 || random() % 16 === 0)) rows.push([start, bound, step]);
  }
  return rows;
}

describe('random loops', () => {
  it.each(Array.from({ length: effort(12, 60) }, (_, index) => index + 1))('seed %d', async (seed) => {
    const random = randomWords(seed);
    const pick = <T>(list: readonly [T, ...T[]]): T => list[random() % list.length] ?? list[0];
    const loop: LoopShape = {
      type: pick(['u32', 's32', 'u64', 's64', 'u16', 's16']),
      cmp: pick(['lt', 'le', 'gt', 'ge', 'ne', 'eq']),
      shape: pick(['do', 'do, left', 'early', 'while']),
      shared: random() % 4 === 0,
      extra: Array.from({ length: random() % 4 }, () => statements[random() % statements.length]).join('\n'),
    };
    const rows = randomRows(loop, random, pick);
    const [first] = rows;
    expect(first).toBeDefined();
    const known = first && random() % 3 === 0 ? { numbers: first } : {};
    const start = '  mov.u32 %r2, 0;';
    const ptx = countedLoop({ ...loop, ...known }).replace(
      start,
      `${start}\n  mov.u32 %r15, %r0;\n  setp.ne.u32 %p1, %r0, 3;`,
    );
    const launch = countedLaunch(ptx, first && known.numbers ? [first] : rows);
    const results = async (executor: ReturnType<typeof cpuExecutor>) => {
      const { outputs } = await executor.run(launch);
      return new Uint32Array((outputs.get(2) ?? new Uint8Array()).slice().buffer);
    };
    const expected = await results(cpuExecutor());
    for (const size of [32, 4]) expect(await results(lockstepExecutor(size))).toEqual(expected);
  });
});
