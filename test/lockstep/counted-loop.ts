// Kernels of one loop. The counter, its test and the loop's shape vary; the body loads, and its
// result depends on the order of iterations.
import type { Launch } from '../../src/base/launch.ts';

export interface LoopShape {
  /** The counter's integer type. */
  readonly type: string;
  readonly cmp: string;
  /**
   * The shape of the loop:
   * - `do`: the test is at the end.
   * - `do, left`: the test is at the end, and its branch leaves the loop.
   * - `early`: the test reads the counter before the increment.
   * - `while`: the test is at the start.
   */
  readonly shape: 'do' | 'do, left' | 'early' | 'while';
  /**
   * The values of `start`, `bound` and `step` as immediates. If they are undefined, the values are
   * in the lane's row of the input.
   */
  readonly numbers?: readonly [start: bigint, bound: bigint, step: bigint];
  /** Additional instructions of the body. */
  readonly extra?: string;
  /** Whether to load from shared memory instead of the table. */
  readonly shared?: boolean;
}

export const widthOf = (type: string): number => Number(type.slice(1));

/**
 * Returns a kernel whose input has one row of `[start, bound, step]` per lane. Its results are the
 * iteration count, a sum that depends on the order, and the counter's low word.
 */
export function countedLoop({ type, cmp, shape, numbers, extra = '', shared }: LoopShape): string {
  const bits = widthOf(type);
  const register = bits === 64 ? '%rd' : bits === 16 ? '%h' : '%r';
  const [start, bound, step] = [11, 12, 13].map((number) => `${register}${number}`);
  const load = (name: string | undefined, index: number) => {
    const value = numbers?.[index];
    return value === undefined || index > 0
      ? `  ld.global.${type} ${name}, [%rd3+${index * 8}];`
      : `  mov.b${bits} ${name}, ${value};`;
  };
  const known = (index: number, name: string | undefined) => (numbers ? `${numbers[index]}` : name);
  const test = `  setp.${cmp}.${type} %p1, ${start}, ${known(1, bound)};`;
  const move = `  add.${type} ${start}, ${start}, ${known(2, step)};`;
  const low =
    bits === 64 ? `cvt.u32.u64 %r5, ${start};` : bits === 16 ? `cvt.u32.u16 %r5, ${start};` : `mov.b32 %r5, ${start};`;
  const body = `  ${low}
  and.b32 %r6, %r5, 15;
${
  shared
    ? '  shl.b32 %r6, %r6, 2;\n  mov.u32 %r8, cells;\n  add.u32 %r8, %r8, %r6;\n  ld.shared.u32 %r7, [%r8];'
    : '  mul.wide.u32 %rd4, %r6, 4;\n  add.s64 %rd4, %rd2, %rd4;\n  ld.global.u32 %r7, [%rd4];'
}
  mad.lo.s32 %r2, %r2, 31, %r7;
  add.s32 %r1, %r1, 1;
${extra}`;
  const loops: Readonly<Record<LoopShape['shape'], string>> = {
    do: `LOOP:\n${body}\n${move}\n${test}\n  @%p1 bra LOOP;`,
    'do, left': `LOOP:\n${body}\n${move}\n${test}\n  @!%p1 bra END;\n  bra LOOP;\nEND:`,
    early: `LOOP:\n${body}\n${test}\n${move}\n  @%p1 bra LOOP;`,
    while: `LOOP:\n${test}\n  @!%p1 bra END;\n${body}\n${move}\n  bra LOOP;\nEND:`,
  };
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry counted(.param .u64 rows, .param .u64 table, .param .u64 results)
{
  .reg .pred %p<4>;
  .reg .b16 %h<16>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<16>;
  .shared .align 4 .b8 cells[64];
  ld.param.u64 %rd1, [rows];
  ld.param.u64 %rd2, [table];
  ld.param.u64 %rd5, [results];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  cvta.to.global.u64 %rd5, %rd5;
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd3, %r0, 24;
  add.s64 %rd3, %rd1, %rd3;
  mul.wide.u32 %rd6, %r0, 12;
  add.s64 %rd5, %rd5, %rd6;
  and.b32 %r6, %r0, 15;
  shl.b32 %r6, %r6, 2;
  mov.u32 %r8, cells;
  add.u32 %r8, %r8, %r6;
  mul.lo.u32 %r7, %r6, 77;
  st.shared.u32 [%r8], %r7;
  bar.sync 0;
${load(start, 0)}
${load(bound, 1)}
${load(step, 2)}
  mov.u32 %r1, 0;
  mov.u32 %r2, 0;
${loops[shape]}
  ${low}
  st.global.u32 [%rd5], %r1;
  st.global.u32 [%rd5+4], %r2;
  st.global.u32 [%rd5+8], %r5;
  ret;
}
`;
}

const relations: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

/**
 * Returns the iteration count of a loop and the last value of its counter, in wrapping arithmetic.
 * Returns undefined for more than `most` iterations.
 */
export function iterate(
  { type, cmp, shape }: Pick<LoopShape, 'type' | 'cmp' | 'shape'>,
  [start, bound, step]: readonly [bigint, bigint, bigint],
  most: number,
): { readonly trips: number; readonly last: bigint } | undefined {
  const wrap = (value: bigint) =>
    type.startsWith('s') ? BigInt.asIntN(widthOf(type), value) : BigInt.asUintN(widthOf(type), value);
  const holds = (value: bigint) => relations[cmp]?.(wrap(value), wrap(bound)) ?? false;
  let value = start;
  if (shape === 'while' && !holds(value)) return { trips: 0, last: value };
  for (let trips = 1; trips <= most; trips++) {
    const before = value;
    value = wrap(value + step);
    if (!holds(shape === 'early' ? before : value)) return { trips, last: value };
  }
  return undefined;
}

/** Returns a launch of 32 lanes with one row each. */
export function countedLaunch(ptx: string, rows: readonly (readonly [bigint, bigint, bigint])[]): Launch {
  const words = new BigUint64Array(32 * 3);
  for (let lane = 0; lane < 32; lane++) {
    (rows[lane % rows.length] ?? []).forEach((value, index) => {
      words[lane * 3 + index] = BigInt.asUintN(64, value);
    });
  }
  const table = Uint32Array.from({ length: 16 }, (_, index) => 0x9e37_79b9 * (index + 1));
  return {
    id: 'counted',
    group: 'test',
    ptx,
    ptxFile: 'counted.ptx',
    entry: 'counted',
    grid: [1, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'rows', kind: 'buffer', type: 'u64', bytes: words.byteLength, data: new Uint8Array(words.buffer) },
      { name: 'table', kind: 'buffer', type: 'u32', bytes: 64, data: new Uint8Array(table.buffer) },
      { name: 'results', kind: 'buffer', type: 'u32', bytes: 32 * 12 },
    ],
  };
}
