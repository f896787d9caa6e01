// `LoadedModule.check`: the problems of kernels on a device, before a launch.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCase } from '../../../src/harness/launches/case-file-node.ts';
import { PtxError, type Runtime } from '../../../src/runtime/index.ts';
import { addKernel, kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { onEachPlatform, openFake } from './fake-runtime.ts';

const newer = kernelOf('newer', ['u64 out'], 'tcgen05.wait::ld.sync.aligned;\n tcgen05.wait::st.sync.aligned;');

const text = moduleOf(
  addKernel,
  kernelOf('tile', ['u64 out'], '{ .shared .align 4 .b8 large[20000]; mov.u64 %s1, large; cvt.u32.u64 %r1, %s1; st.shared.u32 [large], %i; ld.shared.u32 %r2, [large+4]; st.global.u32 [%out], %r2; }'),
  kernelOf('wide', ['u64 out'], 'st.global.u32 [%out], %i;').replace('\n{', '\n.reqntid 512, 1, 1\n{'),
  kernelOf('small', ['u64 out'], 'st.global.u32 [%out], %i;').replace('\n{', '\n.maxntid 64, 1, 1\n{'),
  kernelOf(
    'votes',
    ['u64 out'],
    'setp.gt.u32 %p1, %i, 5; vote.sync.ballot.b32 %r1, %p1, 0xffffffff; add.s64 %s1, %out, %at; st.global.u32 [%s1], %r1;',
  ),
); // biome-ignore format: one kernel per line

onEachPlatform('the check of a module', () => {
  let rt: Runtime;
  beforeAll(async () => {
    const limits = { maxComputeInvocationsPerWorkgroup: 256, maxComputeWorkgroupStorageSize: 16_384 };
    ({ rt } = await openFake({ limits, features: ['subgroups'], subgroupSize: 32 }));
  });
  afterAll(() => {
    rt.close();
  });

  test('reports every unsupported instruction, and the limits of the device', async () => {
    const mod = await rt.load((text + newer).replace('sm_80', 'sm_90a'), { file: 'many.ptx' });
    const problems = await mod.check();
    expect(problems.map(({ kernel, block, diagnostic: { code } }) => [kernel, block, code])).toEqual([
      ['wide', [512, 1, 1], 'LW2014'],
      ['newer', [128, 1, 1], 'PTX0801'],
      ['newer', [128, 1, 1], 'PTX0801'],
    ]);
    expect(problems.at(-1)?.text).toMatch(/many\.ptx:\d+:\d+: error\[PTX0801\]: [\s\S]*tcgen05[\s\S]*\^/);
  });

  test('checks the requested shapes only, and a launch throws the same', async () => {
    const mod = await rt.load(text);
    expect(await mod.check([{ kernel: 'add', block: 256 }])).toEqual([]);
    expect(await mod.check([{ kernel: 'votes', block: 256 }])).toEqual([]);
    const problems = await mod.check([
      { kernel: 'votes', block: [257] },
      { kernel: 'wide', block: 256 },
      { kernel: 'small', block: [32, 3] },
    ]);
    expect(problems.map(({ diagnostic: { code } }) => code)).toEqual(['LW2014', 'LW2013', 'LW2013']);
    expect(problems.map(({ diagnostic: { message } }) => message)).toEqual([
      '`votes` has blocks of 257 threads, but the device runs at most 256 in a workgroup',
      '`wide` requires blocks of 512 threads (.reqntid), but the launch has 256',
      '`small` allows at most 64 threads in a block (.maxntid), but the launch has 32 x 3',
    ]);
    using out = rt.alloc(4096);
    expect(() => mod.kernel('small').launch({ grid: 1, block: 96 }, [out])).toThrow(PtxError);
    mod.kernel('small').launch({ grid: 1, block: 64 }, [out]);
    await rt.synchronize();
  });

  test('reports blocks that wait for each other, if the launch has several', async () => {
    const { entry, ptx } = readCase(join(import.meta.dirname, '../../kernels/grid_totals_two.json'));
    const mod = await rt.load(ptx);
    const shape = { kernel: entry, block: 64, cooperative: true };
    expect(await mod.check([{ ...shape, grid: 1 }])).toEqual([]);
    const problems = await mod.check([{ ...shape, grid: 4 }]);
    expect(problems.map(({ diagnostic }) => diagnostic.code)).toEqual(['LW2010']);
  });

  test('reports a kernel that needs more buffers than the device has', async () => {
    const { rt: other } = await openFake({ limits: { maxStorageBuffersPerShaderStage: 2 } });
    const locked = kernelOf(
      'locked',
      ['u64 x', 'u64 y'],
      'atom.global.add.u64 %s2, [%x], 1; st.global.u64 [%y], %s2; trap;',
    );
    const problems = await (await other.load(moduleOf(locked))).check();
    expect(problems.map(({ diagnostic }) => diagnostic.code)).toEqual(['LW2015']);
    other.close();
  });

  test('rejects unknown kernels, invalid shapes and unloaded modules', async () => {
    const mod = await rt.load(text);
    await expect(mod.check([{ kernel: 'absent', block: 1 }])).rejects.toThrow(RangeError);
    await expect(mod.check([{ kernel: 'add', block: 0 }])).rejects.toThrow(TypeError);
    mod.unload();
    await expect(mod.check()).rejects.toThrow(RangeError);
  });
});
