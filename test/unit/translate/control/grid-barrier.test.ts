// The barrier of a grid of several blocks: the probe before the launch, the stores that other
// blocks see, and the end of waits that no block completes.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { GpuExecutor } from '../../../../src/harness/executors/gpu-executor.ts';
import { makeJob, readAnswer } from '../../../../src/harness/executors/kernel-job.ts';
import { loadKernel } from '../../../../src/harness/executors/load-kernel.ts';
import { readCase } from '../../../../src/harness/launches/case-file-node.ts';
import { GpuError, type GpuJob, type GpuResult, type GpuSession } from '../../../../src/runtime/device/job.ts';
import type { FloatPreflight } from '../../../../src/runtime/preflight/floats.ts';
import { areResident } from '../../../../src/runtime/preflight/residency.ts';
import { planFor, type TranslateOptions, translate, type WgslProgram } from '../../../../src/translate/index.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';
import { runWgsl } from '../../../wgsl-interpreter/index.ts';

const launch = readCase(join(import.meta.dirname, '../../../kernels/grid_totals_two.json'));

function programOf(given: Launch, options: Partial<TranslateOptions>): WgslProgram {
  const { entry, block, sharedBytes } = given;
  const module = loadKernel(given);
  const { program, diagnostics } = translate(module, {
    entry, block, sharedBytes, cooperative: true, plan: planFor(32), float: exactFloats, ...options,
  }); // biome-ignore format: a launch
  if (!program) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return program;
}

/** Runs a job in the interpreter, which runs workgroups one after the other. */
const run = async (job: GpuJob): Promise<GpuResult> => runWgsl(job, { uniformSubgroups: true, subgroupSize: 32 });

describe('in lockstep', () => {
  test.each([32, 0, 64])('an endless wait is reported: subgroups of %i', async (size) => {
    const program = programOf(launch, { plan: planFor(size), maxPolls: 64 });
    const result = runWgsl(makeJob(program, launch, 'all'), { uniformSubgroups: true, subgroupSize: size || 32 });
    expect(() => readAnswer(program, launch, result)).toThrow('lanes wait for each other forever');
  });

  test.each([
    { workgroups: [1, 1, 1], invocations: 64, bytes: 0, resident: true },
    { workgroups: [1, 1, 1], invocations: 64, bytes: 1000, resident: true },
    { workgroups: [2, 1, 1], invocations: 64, bytes: 0, resident: false },
    { workgroups: [1, 2, 2], invocations: 32, bytes: 128, resident: false },
  ] as const)('the probe: $workgroups workgroups of $invocations, $bytes bytes', async ({ resident, ...shape }) => {
    expect(await areResident({ run }, shape, 100)).toBe(resident);
  });
});

describe('memory through which blocks exchange values', () => {
  const declared = (program: WgslProgram) =>
    [...program.code.matchAll(/grid_totals_param_(\d): (array<[^;]*);/g)].map(([, param, type]) => `${param} ${type}`);

  test('has atomic elements if a block writes it before the barrier', () => {
    const atomic = 'array<atomic<u32>>';
    expect(declared(programOf(launch, {}))).toEqual(['0 array<u32>', `1 ${atomic}`, '2 array<u32>']);
  });

  test('is stored to by operations that return a word, which lanes read', () => {
    const { code } = programOf(launch, {});
    expect(code).toMatch(/observed\(atomicExchange\(&grid_totals_param_1\[/);
    expect(code).not.toMatch(/atomicStore\(&grid_totals|[^d]\(atomicLoad\(&grid_totals/);
    expect(code).toMatch(/polled\(observed\(atomicLoad\(&heap\[33u \+ zero\]/);
    expect(programOf(launch, { cooperative: false }).code).not.toMatch(/polled/);
  });
});

describe('an adapter', () => {
  /** No thread waits in this kernel. */
  const counted: Launch = {
    ...launch,
    id: 'counted',
    ptx: `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  mov.b32 %r1, %envreg2;
  mov.b32 %r2, %envreg1;
  mov.b64 %rd1, {%r1, %r2};
  ld.param.u64 %rd2, [out];
  atom.add.global.u32 %r3, [%rd1+4], 1;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], 7;
  ret;
}`,
    ptxFile: 'counted.ptx',
    entry: 'k',
    block: [1, 1, 1],
    params: [{ name: 'out', kind: 'buffer', type: 'u32', bytes: 12 }],
  };
  const float: FloatPreflight = {
    denormals: 'kept', add: 'exact', mul: 'exact', fma: 'fused', contracts: false, div: 'exact', sqrt: 'exact', nanPayload: true,
  }; // biome-ignore format: a record

  /** Returns an executor on the interpreter whose probe reports `arrived` and `failed`. */
  function executorOn(arrived: number, failed: number): { readonly executor: GpuExecutor; readonly labels: string[] } {
    const labels: string[] = [];
    const session: GpuSession = {
      adapter: {
        vendor: '', architecture: '', device: '', description: 'lockstep', software: true, features: ['subgroups'], wgslFeatures: [],
        limits: {}, subgroupMinSize: 32, subgroupMaxSize: 32, host: '', flags: [],
      }, // biome-ignore format: one line
      run: async (job) => {
        labels.push(job.label);
        if (job.label !== 'residency probe') return await run(job);
        const words = Uint32Array.of(arrived, failed, 3, 3);
        return { buffers: new Map([[0, new Uint8Array(words.buffer)]]), ms: 0 };
      },
      prepare: () => {},
      time: () => Promise.reject(new GpuError('unavailable', 'no clock')),
      compile: async () => ({ moduleMs: 0, pipelineMs: 0 }),
      close: async () => {},
    };
    const measured = { subgroupSize: 32, explicitSizes: [32], subgroupId: true, linear: true, problems: [], float };
    return {
      executor: new GpuExecutor({ name: 'dawn' }, {}, async () => session, session, { measured, translate }),
      labels,
    };
  }

  test('is probed once for equal launches', async () => {
    const { executor, labels } = executorOn(6, 0);
    for (let time = 0; time < 2; time++) {
      const { outputs } = await executor.run(counted);
      expect([...new Uint32Array(outputs.get(0)?.slice().buffer ?? new ArrayBuffer(0))]).toEqual([7, 7, 0]);
    }
    expect(labels).toEqual(['residency probe', 'counted', 'counted']);
  });

  test('needs no probe for one block', async () => {
    const { executor, labels } = executorOn(0, 1);
    await executor.run({ ...counted, grid: [1, 1, 1] });
    expect(labels).toEqual(['counted']);
  });

  test.each([
    [5, 0],
    [6, 1],
  ])('that cannot run all blocks at once does not run the kernel: %i, %i', async (arrived, failed) => {
    const { executor, labels } = executorOn(arrived, failed);
    await expect(executor.run(counted)).rejects.toThrow(
      'the 2 blocks of `k` wait for each other here, but this adapter cannot run so many workgroups at the same time',
    );
    expect(labels).toEqual(['residency probe']);
  });
});
