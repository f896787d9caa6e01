// The caches of executors: one executor runs a fragment with different registers as parameters.
// Each launch must get its own results.
import { expect, test } from 'vitest';
import type { BufferParam, Launch } from '../../../../src/base/launch.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import type { KernelExecutor } from '../../../../src/harness/executors/executor.ts';
import { GpuExecutor } from '../../../../src/harness/executors/gpu-executor.ts';
import { programTarget, translateAhead, translateLaunch } from '../../../../src/harness/executors/launch-program.ts';
import { GpuError, type GpuSession } from '../../../../src/runtime/device/job.ts';
import type { FloatPreflight } from '../../../../src/runtime/preflight/floats.ts';
import { translate } from '../../../../src/translate/index.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { runWgsl } from '../../../wgsl-interpreter/index.ts';

const text = 'add.u32 d, a, 1;\nadd.u32 e, a, 100;\nadd.u32 f, b, 7;\n';
const lanes = Array.from({ length: 32 }, (_, lane) => lane);

const buffer = (name: string, start: number): BufferParam => {
  const data = new Uint8Array(Uint32Array.from(lanes, (lane) => start + lane).buffer);
  return { name, kind: 'buffer', type: 'u32', bytes: data.length, data };
};

function launchWith(names: readonly string[]): Launch {
  return {
    id: names.join('_'),
    group: 'test',
    ptx: text,
    ptxFile: 'fragment',
    entry: 'fragment',
    grid: [1, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    params: names.map((name, index) => buffer(name, 1000 * index)),
  };
}

/** The lockstep interpreter in place of an adapter. */
const session: GpuSession = {
  adapter: {
    vendor: '', architecture: '', device: '', description: 'lockstep', software: true, features: ['subgroups'], wgslFeatures: [],
    limits: {}, subgroupMinSize: 32, subgroupMaxSize: 32, host: '', flags: [],
  }, // biome-ignore format: what an adapter says of itself
  run: async (job) => runWgsl(job, { uniformSubgroups: true, subgroupSize: 32 }),
  prepare: () => {},
  time: () => Promise.reject(new GpuError('unavailable', 'no clock')),
  compile: async () => ({ moduleMs: 0, pipelineMs: 0 }),
  close: async () => {},
};
const float: FloatPreflight = {
  denormals: 'kept', add: 'exact', mul: 'exact', fma: 'fused', contracts: false, div: 'exact', sqrt: 'exact', nanPayload: true,
}; // biome-ignore format: a record

function gpuExecutor(): KernelExecutor {
  const measured = { subgroupSize: 32, explicitSizes: [32], subgroupId: true, linear: true, problems: [], float };
  return new GpuExecutor({ name: 'dawn' }, {}, async () => session, session, { measured, translate });
}

test.each<[string, () => KernelExecutor]>([
  ['cpu', cpuExecutor],
  ['gpu', gpuExecutor],
  ['lockstep', () => lockstepExecutor(32)],
])('%s: a fragment run for different registers in sequence', async (_, open) => {
  const executor = open();
  const first = async (...names: string[]): Promise<number> => {
    const { outputs } = await executor.run(launchWith(names));
    return new Uint32Array(outputs.get(names.length - 1)?.slice().buffer ?? new ArrayBuffer(0))[0] ?? -1;
  };
  // Inputs hold 0, 1, … and 1000, 1001, …, by their position in the launch.
  expect(await first('in_a', 'in_b', 'out_d')).toBe(1);
  expect(await first('in_a', 'in_b', 'out_e')).toBe(100);
  expect(await first('in_a', 'in_b', 'out_f')).toBe(1007);
  expect(await first('in_b', 'in_a', 'out_f')).toBe(7);
  expect(await first('in_a', 'in_b', 'out_d')).toBe(1);
});

test('an early translation is used for its adapter only', () => {
  const measured = { subgroupSize: 32, explicitSizes: [32], subgroupId: true, linear: true, problems: [], float };
  const adapter = (limits: Record<string, number> = {}) => ({
    ...{ vendor: '', architecture: '', device: '', description: '', host: '' },
    limits,
  });
  const target = (limits: Record<string, number>) => programTarget(measured, adapter(limits), {});
  const [launch, same] = [launchWith(['out_f']), launchWith(['out_f'])];
  const fresh = translateLaunch(same, target({}), translate);
  translateAhead(launch, translate, measured, adapter(), {});
  const made = translateLaunch(launch, target({}), translate);
  expect(made).toEqual(fresh);
  // Each prepared translation is used only once.
  expect(translateLaunch(launch, target({}), translate)).not.toBe(made);
  translateAhead(launch, translate, measured, adapter(), { float: 'fast' });
  expect(translateLaunch(launch, target({}), translate)).toEqual(fresh);
  translateAhead(launch, translate, measured, adapter({ maxComputeInvocationsPerWorkgroup: 16 }), {});
  expect(translateLaunch(launch, target({}), translate)).toEqual(fresh);
  const other = { ...adapter(), vendor: 'apple', host: 'Chrome/156.0' };
  translateAhead(launch, translate, measured, other, {});
  expect(translateLaunch(launch, target({}), translate)).toEqual(fresh);
  // A translation that failed ahead of time reports its error when the launch needs it.
  translateAhead({ ...launch, ptx: 'nonsense' }, translate, measured, adapter(), {});
  translateAhead(launch, translate, measured, adapter(), { plan: 'narrow' });
  expect(translateLaunch(launch, target({}), translate)).toEqual(fresh);
});
