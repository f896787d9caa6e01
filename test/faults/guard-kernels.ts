// f32 kernels with operands at the thresholds of guards, for adapters that flush subnormals. Their
// results are the last digits of sums and products, so that a guard with a threshold that is wrong
// by one becomes visible.
import { join } from 'node:path';
import type { Launch } from '../../src/base/launch.ts';
import { readCase } from '../../src/harness/launches/case-file-node.ts';
import { floatLaunch } from '../lockstep/random-floats.ts';

const threads = 32;
const values = 4;
const results = 4;

/**
 * The two exponents that a value may have. The lanes have all combinations of the exponents of four
 * values. -127 is the exponent of subnormal numbers.
 */
type Exponents = readonly [number, number];

/** Stands for the exponent of zero. */
const none = -1000;

interface GuardKernel {
  /** The exponents of `%f0` to `%f3`. */
  readonly exponents: readonly [Exponents, Exponents, Exponents, Exponents];
  /**
   * Computes `%f20` to `%f23`. `%f4` to `%f19`, `%r0` to `%r5` and `%p0` to `%p3` are free; `%me`
   * is the thread.
   */
  readonly body: string;
}

const all = (exponents: Exponents): GuardKernel['exponents'] => [exponents, exponents, exponents, exponents];

/** Computes the rounding error of a product. */
const rest = (d: string, a: string, b: string): string =>
  `mul.rn.f32 %f18, ${a}, ${b};\n  sub.rn.f32 %f19, 0f00000000, %f18;\n  fma.rn.f32 ${d}, ${a}, ${b}, %f19;`;

/** A loop that runs one to four times. */
const loop = (body: string): string => `and.b32 %r0, %me, 3;
LOOP:
  ${body}
  sub.u32 %r0, %r0, 1;
  setp.ge.s32 %p0, %r0, 0;
  @%p0 bra LOOP;`;

/** Computes a value in a loop, and multiplies it after the loop. */
const factOf = (value: string): string => `mov.f32 %f5, 0f00000000;
  ${loop(`${value}\n  add.rn.f32 %f5, %f5, %f4;`)}
  ${rest('%f20', '%f4', '%f1')}
  mov.f32 %f21, %f5;`;

/** A sum that a loop changes in each iteration. */
const passesOn = `mov.f32 %f20, %f0;
  ${loop(`sub.rn.f32 %f20, %f20, %f1;
  add.rn.f32 %f20, %f20, %f2;
  mov.f32 %f4, %f1;
  mov.f32 %f1, %f2;
  mov.f32 %f2, %f3;
  mov.f32 %f3, %f4;`)}`;

/** Computes the rounding errors of products of two values that another thread has stored. */
const stored = `st.shared.v2.f32 [%mine], {%f0, %f2};
  bar.sync 0;
  mov.f32 %f20, 0f00000000;
  mov.f32 %f21, 0f00000000;
  ${loop(`shl.b32 %r1, %r0, 5;
  add.u32 %r1, %r1, %cells;
  ld.shared.f32 %f6, [%r1];
  ld.shared.f32 %f7, [%r1+4];
  ${rest('%f8', '%f6', '%f7')}
  add.rn.f32 %f20, %f20, %f8;`)}`;

const kernels: Readonly<Record<string, GuardKernel>> = {
  'differences of four floats': {
    exponents: all([-104, -103]),
    body: `sub.rn.f32 %f20, %f0, %f1;
  sub.rn.f32 %f21, %f2, %f3;
  add.rn.f32 %f22, %f20, %f21;
  sub.rn.f32 %f23, %f0, %f2;`,
  },
  'differences of three floats': {
    exponents: all([-104, -103]),
    body: `sub.rn.f32 %f20, %f0, %f1;
  sub.rn.f32 %f21, %f1, %f2;
  add.rn.f32 %f22, %f20, %f21;`,
  },
  'the rounding error of a product': { exponents: all([-41, -40]), body: rest('%f20', '%f0', '%f2') },
  'the rounding error of a square': { exponents: all([-41, -40]), body: rest('%f20', '%f0', '%f0') },
  'the product of a sum': {
    exponents: [
      [-83, -82],
      [-41, -40],
      [0, 1],
      [0, 1],
    ],
    body: `add.rn.f32 %f4, %f0, 0f21800000;
  ${rest('%f20', '%f4', '%f1')}`,
  },
  'small addends of products': {
    exponents: [
      [0, 1],
      [0, 1],
      [-127, 0],
      [0, 1],
    ],
    body: `fma.rn.f32 %f20, %f0, %f1, %f2;
  fma.rn.f32 %f21, %f3, %f1, %f2;
  add.rn.f32 %f22, %f20, %f21;`,
  },
  'rounding errors of products with constants': {
    exponents: all([-81, -80]),
    body: `${rest('%f20', '%f0', '0f3F800001')}
  ${rest('%f21', '0f3F800001', '%f1')}`,
  },
  'products with a sum of a loop': {
    exponents: [
      [-83, -82],
      [-41, -40],
      [0, 1],
      [0, 1],
    ],
    body: factOf('add.rn.f32 %f4, %f0, 0f21800000;'),
  },
  'products with a product of a loop': {
    exponents: [
      [-40, -40],
      [-3, -2],
      [-40, -40],
      [0, 1],
    ],
    body: factOf('mul.rn.f32 %f4, %f0, %f2;'),
  },
  'products with a multiply-add of a loop': {
    exponents: [
      [-83, -82],
      [-41, -40],
      [0, 1],
      [0, 1],
    ],
    body: `or.b32 %r1, %me, 1;
  cvt.rn.f32.u32 %f6, %r1;
  ${factOf('fma.rn.f32 %f4, %f6, 0f21800000, %f0;')}`,
  },
  'sums of exchanged values': {
    exponents: all([-104, -103]),
    body: `sub.rn.f32 %f4, %f0, %f1;
  add.rn.f32 %f5, %f4, %f2;
  mov.b32 %r1, %f4;
  shfl.sync.bfly.b32 %r1, %r1, 3, 31, 0xffffffff;
  mov.b32 %f6, %r1;
  add.rn.f32 %f20, %f6, %f4;
  sub.rn.f32 %f21, %f20, %f2;
  mov.f32 %f22, %f5;`,
  },
  'sums that a loop carries': {
    exponents: all([-104, -103]),
    body: passesOn,
  },
  'a subnormal sum before a loop': {
    exponents: [
      [-127, -103],
      [none, -100],
      [none, -100],
      [none, -100],
    ],
    body: passesOn,
  },
  'a subnormal sum in a loop': {
    exponents: [
      [-104, -104],
      [-104, -104],
      [none, none],
      [none, none],
    ],
    body: passesOn,
  },
  'rounding errors of products of stored floats': { exponents: all([-41, -40]), body: stored },
  'rounding errors of products of stored floats, one of them smaller': {
    exponents: [
      [-40, -40],
      [0, 0],
      [-41, -40],
      [0, 0],
    ],
    body: stored,
  },
  'products of stored floats with a small constant': {
    exponents: all([-24, -23]),
    body: `st.shared.f32 [%mine], %f0;
  bar.sync 0;
  mov.f32 %f20, 0f00000000;
  ${loop(`shl.b32 %r1, %r0, 5;
  add.u32 %r1, %r1, %cells;
  ld.shared.f32 %f6, [%r1];
  ${rest('%f8', '%f6', '0f23000001')}
  add.rn.f32 %f20, %f20, %f8;`)}`,
  },
  'a subnormal constant that one lane stores': {
    exponents: all([none, none]),
    body: `st.shared.f32 [%mine], %f0;
  setp.eq.u32 %p1, %me, 2;
  @%p1 st.shared.b32 [%mine], 3;
  bar.sync 0;
  ${loop(`shl.b32 %r1, %r0, 4;
  add.u32 %r1, %r1, %cells;
  ld.shared.f32 %f6, [%r1];
  ld.shared.f32 %f7, [%r1+16];
  add.rn.f32 %f20, %f20, %f6;
  sub.rn.f32 %f20, %f20, %f7;`)}`,
  },
};

const bitsOf = (exponent: number, low: number): number => ((127 + exponent) << 23) + low;

function dataOf({ exponents }: GuardKernel): Uint8Array {
  const data = new Uint32Array(threads * values);
  for (let lane = 0; lane < threads; lane++)
    for (const [index, [low, high]] of exponents.entries()) {
      // In the second half of the lanes, one value is zero.
      const isZero = lane >= 16 && (lane & 3) === index;
      const exponent = (lane >> index) & 1 ? high : low;
      data[lane * values + index] = isZero || exponent === none ? 0 : bitsOf(exponent, 1 + ((index + (lane >> 4)) & 1));
    }
  return new Uint8Array(data.buffer);
}

const ptxOf = ({ body }: GuardKernel): string => `.version 8.0
.target sm_80
.address_size 64
.visible .entry guards(.param .u64 out, .param .u64 in)
{
  .reg .pred %p<4>;
  .reg .f32 %f<24>;
  .reg .b32 %r<6>, %me, %mine, %cells;
  .reg .b64 %out, %in, %at;
  .shared .align 16 .b8 cells[512];
  ld.param.u64 %out, [out];
  ld.param.u64 %in, [in];
  mov.u32 %me, %tid.x;
  mul.wide.u32 %at, %me, 16;
  add.u64 %out, %out, %at;
  add.u64 %in, %in, %at;
  mov.u32 %cells, cells;
  shl.b32 %mine, %me, 4;
  add.u32 %mine, %mine, %cells;
  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%in];
  mov.f32 %f20, 0f00000000;
  mov.f32 %f21, 0f00000000;
  mov.f32 %f22, 0f00000000;
  mov.f32 %f23, 0f00000000;
  ${body}
  st.global.v4.f32 [%out], {%f20, %f21, %f22, %f23};
  ret;
}
`;

const kept = 'stored_by_a_function';

export const guardKernels: ReadonlyMap<string, Launch> = new Map([
  ...Object.entries(kernels).map(([name, kernel]): [string, Launch] => {
    const launch = floatLaunch('guards', 0, ptxOf(kernel), { threads, results, data: dataOf(kernel) });
    return [name, { ...launch, id: name }];
  }),
  [kept, readCase(join(import.meta.dirname, `../fuzz-cases/${kept}.json`))],
]);
