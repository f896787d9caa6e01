// The minimum or the maximum, as one comparison and one choice.
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../src/harness/launch.ts';
import { lockstepExecutor } from '../lockstep/lockstep-executor.ts';
import { smallKernel, statementsOf, wgslOf } from '../lockstep/small-kernel.ts';

const threads = 512;

/// x and y run through 16 values each, from 0 over the largest signed number to all ones, and %p1 through both.
const operands = `  and.b32 %r2, %r0, 15;
  mul.lo.u32 %r2, %r2, 0x11111111;
  bfe.u32 %r3, %r0, 4, 4;
  mul.lo.u32 %r3, %r3, 0x11111111;
  setp.gt.u32 %p1, %r0, 255;
`;

function launchOf(body: string): Launch {
  const data = Uint32Array.from({ length: threads }, (_, index) => index);
  return {
    id: 'extremes',
    group: 'test',
    ptx: smallKernel(operands + body),
    ptxFile: 'extremes.ptx',
    entry: 'small',
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    sharedBytes: 0,
    params: [{ name: 'data', kind: 'buffer', type: 'u32', bytes: threads * 4, data: new Uint8Array(data.buffer) }],
  };
}

/// Statements with `min` or `max` in them.
const extremes = (body: string) =>
  statementsOf(wgslOf(smallKernel(operands + body), { block: [threads, 1, 1] })).filter((line) =>
    /\b(min|max)\(/.test(line),
  );

describe('a choice between extremes', () => {
  const orders = ['%r2, %r3', '%r3, %r2'];
  it.each(
    ['u32', 's32'].flatMap((type) =>
      orders.flatMap((low) =>
        orders.flatMap((high) =>
          ['%r4, %r5, %p1', '%r5, %r4, %p1', '%r5, %r4, !%p1'].map((choice) => [type, low, high, choice] as const),
        ),
      ),
    ),
  )('%s: min of %s, max of %s, selp %s', async (type, low, high, choice) => {
    const body = `  min.${type} %r4, ${low};\n  max.${type} %r5, ${high};\n  selp.b32 %r1, ${choice};`;
    expect(extremes(body)).toEqual([]);
    const { outputs } = await lockstepExecutor(32).run(launchOf(body));
    const results = new Uint32Array((outputs.get(0) ?? new Uint8Array()).slice().buffer);
    const expected = Uint32Array.from({ length: threads }, (_, index) => {
      const number = (nibble: number) => (type === 's32' ? (nibble * 0x11111111) | 0 : (nibble * 0x11111111) >>> 0);
      const [x, y] = [number(index & 15), number((index >> 4) & 15)];
      const isMinimum = choice.startsWith('%r4') === (index > 255 !== choice.includes('!'));
      return isMinimum ? Math.min(x, y) : Math.max(x, y);
    });
    expect(results).toEqual(expected);
  });

  it.each([
    ['of different values', 'min.u32 %r4, %r2, %r3; max.u32 %r5, %r2, %r0; selp.b32 %r1, %r4, %r5, %p1;'],
    ['of different types', 'min.u32 %r4, %r2, %r3; max.s32 %r5, %r2, %r3; selp.b32 %r1, %r4, %r5, %p1;'],
    ['that are both minima', 'min.u32 %r4, %r2, %r3; min.u32 %r5, %r3, %r2; selp.b32 %r1, %r4, %r5, %p1;'],
    [
      'that something else reads',
      'min.u32 %r4, %r2, %r3; max.u32 %r5, %r2, %r3; selp.b32 %r1, %r4, %r5, %p1; add.s32 %r1, %r1, %r4;',
    ],
    [
      'whose values have changed',
      'min.u32 %r4, %r2, %r3; max.u32 %r5, %r2, %r3; @%p1 add.s32 %r2, %r2, 1; selp.b32 %r1, %r4, %r5, %p1; add.s32 %r1, %r1, %r2;',
    ],
    [
      'under a guard',
      'mov.u32 %r4, 0; @%p1 min.u32 %r4, %r2, %r3; max.u32 %r5, %r2, %r3; selp.b32 %r1, %r4, %r5, %p1;',
    ],
    ['clamped', 'min.relu.s32 %r4, %r2, %r3; max.relu.s32 %r5, %r2, %r3; selp.b32 %r1, %r4, %r5, %p1;'],
    [
      'of 16 bits',
      '.reg .b16 %h<8>; cvt.u16.u32 %h1, %r2; cvt.u16.u32 %h2, %r3; min.u16 %h3, %h1, %h2; max.u16 %h4, %h1, %h2; selp.b16 %h5, %h3, %h4, %p1; cvt.u32.u16 %r1, %h5;',
    ],
  ])('%s stays', (_, body) => {
    const target = body.includes('relu')
      ? smallKernel(operands + body).replace('sm_80', 'sm_90')
      : smallKernel(operands + body);
    expect(wgslOf(target, { block: [threads, 1, 1] }).match(/\b(min|max)\(/g)).toHaveLength(
      body.includes('relu') ? 4 : 2,
    );
  });
});
