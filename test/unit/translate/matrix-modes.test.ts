// The modes of floating-point matrix products, in the reference and in shaders.
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import type { MatrixConfig } from '../../../src/base/matrix-config.ts';
import { type MatrixMode, matrixModes } from '../../../src/base/matrix-mode.ts';
import { buildKernels } from '../../../src/build/build-kernels.ts';
import { runOnCpu } from '../../../src/cpu-ref/executor.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { parseModule } from '../../../src/harness/executors/load-kernel.ts';
import type { WgslProgram } from '../../../src/translate/index.ts';
import { bufferKernel, bufferLaunch } from '../../lockstep/buffer-kernel.ts';
import { h200Matrices, lockstepExecutor } from '../../lockstep/lockstep-executor.ts';
import { openFake } from '../runtime/fake-runtime.ts';

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
/**
 * A launch with a product of matrices in memory, whose elements have any exponent below that of 2.
 */
const loading: Launch = {
  id: 'loading',
  group: '',
  ptx: `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 .ptr .global in, .param .u64 .ptr .global out)
{
  .reg .b32 %a<8>, %b<8>;
  .reg .f32 %c<8>;
  .reg .b64 %in, %out;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [%in];
  wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, [%in+512];
  mov.f32 %c0, 0f00000000;
  wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, {%c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0};
  wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%out], {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7};
  ret;
}
`,
  ptxFile: 'loading.ptx',
  entry: 'k',
  grid: [1, 1, 1],
  block: [32, 1, 1],
  sharedBytes: 0,
  params: [
    {
      name: 'in',
      kind: 'buffer',
      type: 'u32',
      bytes: 1024,
      data: new Uint8Array(
        Uint32Array.from({ length: 256 }, (_, i) => Math.imul(i + 1, 0x9e37_79b9) & 0xbfff_bfff).buffer,
      ),
    },
    { name: 'out', kind: 'buffer', type: 'f32', bytes: 1024 },
  ],
};

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

  it.each(matrixModes)('in mode %s have its sums in a runtime', async (matrix) => {
    const { rt } = await openFake({}, { matrix });
    const [from, to] = [rt.alloc(2048), rt.alloc(128)];
    const module = await rt.load(kernel);
    module.kernel('buffers').launch({ grid: 1, block: 32 }, [from, to]);
    expect([...new Set(await to.read(Uint32Array))]).toEqual([shaderSums[matrix]]);
    rt.close();
  });

  it('have the mode of a built module', () => {
    const options = { block: [{ value: [32, 1, 1] as const }], float: 'exact', plans: ['native'] } as const;
    const codes = (matrix?: MatrixMode) =>
      buildKernels(parseModule(kernel, 'buffers.ptx'), { ...options, matrix }).flatMap(({ variants }) =>
        variants.map(({ program }) => program.code),
      );
    expect(codes('hopper').length).toBeGreaterThan(0);
    expect(codes('hopper').every((code) => code.includes('Sums as on sm_90'))).toBe(true);
    expect(codes().some((code) => code.includes('Sums as on sm_90'))).toBe(false);
  });

  it('are subgroup matrices in mode hopper if the adapter has its sums', async () => {
    const measured = h200Matrices.map((config) => ({ ...config, sums: 'hopper' as const }));
    const expected = (await cpuExecutor().run(loading)).outputs.get(1);
    const run = async (matrices: readonly MatrixConfig[]) => {
      const notes: (string | undefined)[] = [];
      const onProgram = ({ matrixNote }: WgslProgram) => notes.push(matrixNote);
      const executor = lockstepExecutor(32, { matrix: 'hopper', matrixSums: 'hopper', matrices, onProgram });
      expect((await executor.run(loading)).outputs.get(1)).toEqual(expected);
      return notes;
    };
    expect(await run(measured)).toEqual([expect.stringMatching(/^Subgroup matrices for 2 products: /)]);
    expect(await run(h200Matrices)).toEqual([expect.stringMatching(/^No subgroup matrices: /)]);
  });

  it('report the mode whose bits an executor computes', () => {
    expect(cpuExecutor().describe().matrix).toBe('hopper');
    expect(cpuExecutor('ieee').describe().matrix).toBe('ieee');
  });
});
