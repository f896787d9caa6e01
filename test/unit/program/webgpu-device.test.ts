// A WebGPU device as the device of a program.
import { expect, test } from 'vitest';
import { parseModule } from '../../../src/harness/executors/load-kernel.ts';
import { cudaErrors } from '../../../src/program/device/program-device.ts';
import { WebgpuDevice } from '../../../src/program/device/webgpu-device.ts';
import { kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { openFake } from '../runtime/fake-runtime.ts';

test('a launch that lacks memory fails with a warning', async () => {
  const { rt } = await openFake();
  const warnings: string[] = [];
  const device = new WebgpuDevice(rt, (text) => warnings.push(text));
  const body = `.local .b32 words[8192]; mov.u64 %s1, words; add.s64 %s1, %s1, %at; st.local.u32 [%s1], %i;
    ld.local.u32 %r1, [%s1]; st.global.u32 [%out], %r1;`;
  const file = 'stack.ptx';
  await device.load([parseModule(moduleOf(kernelOf('stack', ['u64 out'], body)), file)]);
  const out = new Uint8Array(new BigUint64Array([BigInt(device.alloc(4))]).buffer);
  const launch = { module: 0, kernel: 'stack', grid: [65_535, 1, 1], block: [64, 1, 1], sharedBytes: 0 } as const;
  const work = (): void => device.launch({ ...launch, cooperative: false, parameters: [out] });
  const failure = expect.objectContaining({ code: cudaErrors.memoryAllocation });
  expect(work).toThrow(failure);
  expect(work).toThrow(failure);
  expect(warnings).toEqual([
    expect.stringMatching(/^a launch failed: stack needs \d+ bytes of shared and local memory for its grid, but/),
  ]);
  await device.close();
});
