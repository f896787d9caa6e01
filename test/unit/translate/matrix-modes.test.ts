// The modes of floating-point matrix products, in the reference and in shaders.
import { describe, expect, it } from 'vitest';
import { matrixModes } from '../../../src/base/matrix-mode.ts';
import { runOnCpu } from '../../../src/cpu-ref/executor.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { bufferKernel, bufferLaunch } from '../../lockstep/buffer-kernel.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

/**
 * Adds 16 products of 1.5 * 2^-12 and 2^-13 to 1. A tensor core cuts each of them to 2^-25, so the
 * sum is 1 + 2^-21. The exact sum is 1 + 1.5 * 2^-21. One addition in f32 loses the whole product.
 */
const kernel = bufferKernel(`
  .reg .f32 %s<4>;
  .reg .b32 %a, %b;
  mov.b32 %a, 0x0e000e00;
  mov.b32 %b, 0x08000800;
  mov.f32 %s0, 0f3F800000;
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s0,%s1,%s2,%s3}, {%a,%a,%a,%a}, {%b,%b}, {%s0,%s0,%s0,%s0};
  mov.b32 %r1, %s0;`);
const sums = { hopper: 0x3f80_0004, ieee: 0x3f80_0006 };
const shaderSums = { hopper: sums.hopper, ieee: 0x3f80_0000 };
const launch = bufferLaunch(kernel);
const wordsOf = (outputs: ReadonlyMap<number, Uint8Array>) => [
  ...new Set(new Uint32Array(outputs.get(1)?.slice().buffer ?? new ArrayBuffer(0))),
];

describe('matrix products', () => {
  it.each(matrixModes)('in mode %s have its sums in the reference and in shaders', async (matrix) => {
    expect(wordsOf((await cpuExecutor(matrix).run(launch)).outputs)).toEqual([sums[matrix]]);
    expect(wordsOf((await lockstepExecutor(32, { matrix }).run(launch)).outputs)).toEqual([shaderSums[matrix]]);
  });

  it('have the sums of sm_90 in the reference, and f32 sums in shaders, by default', async () => {
    expect(wordsOf(runOnCpu(launch).outputs)).toEqual([sums.hopper]);
    expect(wordsOf((await lockstepExecutor(32).run(launch)).outputs)).toEqual([shaderSums.ieee]);
  });

  it('report the mode whose bits an executor computes', () => {
    expect(cpuExecutor().describe().matrix).toBe('hopper');
    expect(cpuExecutor('ieee').describe().matrix).toBe('ieee');
  });
});
