// Sums of tensor cores at the ends of the range of f32, and at the bounds of the operands for which
// shaders use f32 arithmetic. Each block computes one element.
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import type { KernelExecutor } from '../../../src/harness/executors/executor.ts';
import { random } from '../../../src/harness/suites/random.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

/** The operands of an element as bits of f32s: four factors of A, four of B, and the addend. */
interface Element {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly c: number;
}

/**
 * The products. In both forms, lanes 0 to 3 hold the first row of A and the first column of B, and
 * lane 0 holds the addend.
 */
const products = {
  tf32: 'mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%d0,%d1,%d2,%d3}, {%a,%z}, {%b}, {%c,%z,%z,%z};',
  bf16: 'mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%d0,%d1,%d2,%d3}, {%a,%z}, {%b}, {%c,%z,%z,%z};',
} as const;
type Factor = keyof typeof products;

const kernel = (factor: Factor): string => `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 .ptr .global in, .param .u64 .ptr .global out)
{
  .reg .b32 %t, %n, %a, %b, %c, %z, %d<4>;
  .reg .b64 %in, %out, %at;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mov.u32 %n, %ctaid.x;
  mad.lo.u32 %t, %n, 32, %t;
  mul.wide.u32 %at, %t, 12;
  add.s64 %in, %in, %at;
  ld.global.b32 %a, [%in];
  ld.global.b32 %b, [%in+4];
  ld.global.b32 %c, [%in+8];
  mov.b32 %z, 0;
  ${products[factor]}
  mul.wide.u32 %at, %t, 4;
  add.s64 %out, %out, %at;
  st.global.b32 [%out], %d0;
  ret;
}
`;

function launchOf(factor: Factor, elements: readonly Element[]): Launch {
  const data = new Uint32Array(elements.length * 96);
  elements.forEach(({ a, b, c }, index) => {
    a.forEach((bits, lane) => {
      const shift = factor === 'bf16' ? 16 : 0;
      data.set([bits >>> shift, (b[lane] ?? Number.NaN) >>> shift, lane === 0 ? c : 0], index * 96 + lane * 3);
    });
  });
  return {
    id: 'edges',
    group: 'test',
    ptx: kernel(factor),
    ptxFile: 'edges.ptx',
    entry: 'k',
    grid: [elements.length, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'in', kind: 'buffer', type: 'u32', bytes: data.byteLength, data: new Uint8Array(data.buffer) },
      { name: 'out', kind: 'buffer', type: 'u32', bytes: elements.length * 128 },
    ],
  };
}

/** Returns the bits of the elements. */
async function sums(executor: KernelExecutor, factor: Factor, elements: readonly Element[]): Promise<number[]> {
  const { outputs } = await executor.run(launchOf(factor, elements));
  const words = new Uint32Array(outputs.get(1)?.slice().buffer ?? new ArrayBuffer(0));
  return elements.map((_, index) => words[index * 32] ?? Number.NaN);
}

const bitsOf = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] ?? Number.NaN;
/** An element with up to four products of two factors. */
const elementOf = (c: number, ...pairs: readonly (readonly [a: number, b: number])[]): Element => {
  const all = Array.from({ length: 4 }, (_, k) => pairs[k] ?? [0, 0]);
  return { a: all.map(([a]) => bitsOf(a)), b: all.map(([, b]) => bitsOf(b)), c: bitsOf(c) };
};
const power = (exponent: number): number => 2 ** exponent;

const shaders = lockstepExecutor(32, { matrix: 'hopper', flushes: true });

// Sums are rounded toward zero. A sum with a magnitude below 2^-149, the least positive number, is
// +0.
const least: readonly (readonly [sum: number, element: Element])[] = [
  [0x0000_0000, elementOf(0, [power(-75), power(-75)])],
  [0x0000_0000, elementOf(0, [-power(-75), power(-75)])],
  [0x0000_0000, elementOf(0, [1.5 * power(-75), power(-75)])],
  [0x0000_0000, elementOf(0, [power(-79), power(-79)])],
  [0x0000_0000, elementOf(0, [power(-80), power(-80)])],
  [0x0000_0000, elementOf(power(-149), [-power(-76), power(-75)])],
  [0x0000_0001, elementOf(power(-149), [power(-75), power(-75)])],
  [0x0000_0001, elementOf(0, [power(-75), power(-75)], [power(-75), power(-75)])],
  [0x0000_0001, elementOf(0, [power(-75), power(-74)])],
  [0x8000_0001, elementOf(0, [power(-75), -power(-74)])],
  [0x8000_0001, elementOf(0, [power(-75), -1.75 * power(-74)])],
  [0x0000_0003, elementOf(0, [1.75 * power(-74), power(-74)])],
  [0x007f_ffff, elementOf(power(-126), [-power(-75), power(-75)])],
  [0x7f7f_ffff, elementOf(0, ...[127, 126, 118, 110].map((at, k) => [(k === 0 ? 1 : 1.9921875) * power(64), power(at - 64)] as const))],
  [0x7f80_0000, elementOf(0, [power(64), power(64)])],
  [0xff80_0000, elementOf(0, [power(64), power(63)], [-power(64), power(64)], [-power(64), power(63)])],
]; // biome-ignore format: a table

type Numbers = readonly [number, ...number[]];

/** The bits of the bounds, and of the numbers next to them. */
const around = (exponent: number, unit: number): Numbers => {
  const bits = bitsOf(power(exponent));
  return [bits - unit, bits, bits + unit];
};
const factorBits = (unit: number): Numbers => [...around(-50, unit), ...around(50, unit), bitsOf(0), bitsOf(1.5)];
const addendBits: Numbers = [...around(120, 1), ...around(-101, 1), ...around(-126, 1), 1, bitsOf(0), bitsOf(1)];

describe('sums of tensor cores', () => {
  it.each(['tf32', 'bf16'] as const)('at the ends of the range of f32, with factors of %s', async (factor) => {
    const elements = least.map(([, element]) => element);
    const expected = least.map(([sum]) => sum);
    expect(await sums(cpuExecutor(), factor, elements)).toEqual(expected);
    expect(await sums(shaders, factor, elements)).toEqual(expected);
  });

  it.each([
    ['tf32', 1 << 13],
    ['bf16', 1 << 16],
  ] as const)('at the bounds of operands that f32 arithmetic multiplies, with factors of %s', async (factor, unit) => {
    const rng = random(20_261_128, 'edges');
    const signed = (list: Numbers) => (rng.pick(list) | (rng.chance(0.5) ? 0x8000_0000 : 0)) >>> 0;
    const factors = factorBits(unit);
    const elements = Array.from({ length: 60 }, (): Element => {
      const row = () => Array.from({ length: 4 }, () => signed(factors));
      return { a: row(), b: row(), c: signed(addendBits) };
    });
    expect(await sums(shaders, factor, elements)).toEqual(await sums(cpuExecutor(), factor, elements));
  });
});
