// The probe of subgroup matrices, on the interpreter of WGSL and on a broken device.
import { describe, expect, it } from 'vitest';
import type { MatrixConfig } from '../../../src/base/matrix-config.ts';
import type { MatrixMode } from '../../../src/base/matrix-mode.ts';
import { describeDevice } from '../../../src/runtime/device/device.ts';
import { GpuError, type GpuJob, type GpuResult } from '../../../src/runtime/device/job.ts';
import { probeMatrices } from '../../../src/runtime/preflight/matrices.ts';
import { withSumsOfHopper } from '../../../src/runtime/preflight/matrix-sums.ts';
import { parsePreflight } from '../../../src/runtime/preflight/parse-preflight.ts';
import { h200Matrices } from '../../lockstep/lockstep-executor.ts';
import { runWgsl } from '../../wgsl-interpreter/index.ts';

const adapter = {
  features: [],
  wgslFeatures: [],
  limits: {},
  matrices: h200Matrices,
  subgroupMinSize: 32,
  subgroupMaxSize: 32,
};

async function interpret(job: GpuJob, matrixSums: MatrixMode = 'ieee'): Promise<GpuResult> {
  return runWgsl(job, { subgroupSize: 32, uniformSubgroups: true, matrixSums });
}

describe('the probe of subgroup matrices', () => {
  it('finds every product of a device that computes them', async () => {
    expect(await probeMatrices({ adapter, run: interpret }, 32)).toEqual({ matrices: h200Matrices, problems: [] });
  });

  it('finds the products whose float sums have the bits of sm_90', async () => {
    const run = (job: GpuJob) => interpret(job, 'hopper');
    const { matrices, problems } = await probeMatrices({ adapter, run }, 32);
    const isFloat = ({ component }: MatrixConfig) => component === 'f16';
    expect(matrices).toEqual(h200Matrices.map((config) => (isFloat(config) ? { ...config, sums: 'hopper' } : config)));
    expect(problems).toEqual([]);
  });

  it.each([
    ['the bits of a NaN', 0x7fff_ffff, 0x7fc0_0000],
    ['a zero', 0, 0x8000_0000],
  ])('notices a device that differs only in %s', async (_, right, wrong) => {
    const run = async (job: GpuJob) => {
      const result = await interpret(job, 'hopper');
      const words = new Uint32Array(result.buffers.get(0)?.slice().buffer ?? new ArrayBuffer(0));
      const at = words.lastIndexOf(right);
      expect(at).toBeGreaterThan(0);
      words[at] = wrong;
      return { ...result, buffers: new Map([[0, new Uint8Array(words.buffer)]]) };
    };
    const floats = [{ component: 'f16', result: 'f32', m: 16, n: 8, k: 16 }] as const;
    expect(await withSumsOfHopper({ adapter, run: async (job) => interpret(job, 'hopper') }, floats)).toEqual(floats);
    expect(await withSumsOfHopper({ adapter, run }, floats)).toEqual([]);
  });

  it('finds a product whose second factor the device reads by columns', async () => {
    const run = (job: GpuJob) =>
      interpret({ ...job, code: job.code.replace(/(b3 = .*)row_major(.*), 8u\)/, '$1col_major$2, 8u)') });
    const { matrices, problems } = await probeMatrices({ adapter, run }, 32);
    expect(matrices).toEqual(h200Matrices.filter((_, index) => index !== 3));
    expect(problems).toEqual(['wrong products of subgroup matrices: f16 16x16x16, f32 sums']);
  });

  it('uses no matrices if the device rejects the shader', async () => {
    const run = async () => Promise.reject(new GpuError('shader', 'no such builtin'));
    const { matrices, problems } = await probeMatrices({ adapter, run }, 32);
    expect({ matrices, problems }).toEqual({ matrices: [], problems: ['subgroup matrices: no such builtin'] });
  });

  it.each([
    ['subgroups of 16', adapter, 16],
    ['subgroups of up to 64', { ...adapter, subgroupMaxSize: 64 }, 32],
    ['no products', { ...adapter, matrices: [] }, 32],
  ])('does not run with %s', async (_, own, size) => {
    const run = async () => Promise.reject(new Error('not expected'));
    expect(await probeMatrices({ adapter: own, run }, size)).toEqual({ matrices: [], problems: [] });
  });
});

describe('the products that a device reports', () => {
  const info = {
    subgroupMatrixConfigs: [
      { componentType: 'f16', resultComponentType: 'f32', M: 16, N: 8, K: 16 },
      { componentType: 'i8', resultComponentType: 'i32', M: 16, N: 8, K: 32 },
      { componentType: 'e4m3', resultComponentType: 'f32', M: 16, N: 8, K: 32 },
    ],
  };
  const device = (...features: string[]) => ({ features: new Set(features), limits: {} }) as unknown as GPUDevice;
  const bytes = { component: 'i8', result: 'i32', m: 16, n: 8, k: 32 };

  it('need the feature, and f16 needs another', () => {
    const of = (...features: string[]) => describeDevice(device(...features), info as object, new Set()).matrices;
    expect(of()).toBeUndefined();
    expect(of('chromium-experimental-subgroup-matrix')).toEqual([bytes]);
    expect(of('chromium-experimental-subgroup-matrix', 'shader-f16')).toEqual([
      { component: 'f16', result: 'f32', m: 16, n: 8, k: 16 },
      bytes,
    ]);
  });

  it('are checked if a document contains them', () => {
    const float = {
      denormals: 'kept',
      add: 'exact',
      mul: 'exact',
      fma: 'fused',
      contracts: false,
      div: 'exact',
      sqrt: 'exact',
      extremes: 'exact',
      exp2: 'close',
      nans: 'any',
      packHalf: 'exact',
      nanPayload: true,
    };
    const subgroups = { subgroupSize: 32, explicitSizes: [], subgroupId: true, linear: true, problems: [] };
    const document = { ...subgroups, float, matrices: [bytes] };
    expect(parsePreflight(document)).toEqual(document);
    const measured = { ...document, matrices: [{ ...bytes, component: 'f16', result: 'f32', sums: 'hopper' }] };
    expect(parsePreflight(measured)).toEqual(measured);
    expect(parsePreflight({ ...document, matrices: [{ ...bytes, sums: 'exact' }] })).toBeUndefined();
    expect(parsePreflight({ ...document, matrices: [{ ...bytes, k: 0 }] })).toBeUndefined();
    expect(parsePreflight({ ...document, matrices: 'all' })).toBeUndefined();
  });
});
