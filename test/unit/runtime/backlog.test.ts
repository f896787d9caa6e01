// The queue of commands that wait for shaders.
import { describe, expect, it } from 'vitest';
import { Backlog } from '../../../src/runtime/device/backlog.ts';
import { Faults } from '../../../src/runtime/device/faults.ts';
import { GpuError } from '../../../src/runtime/device/gpu-error.ts';
import { Shaders } from '../../../src/runtime/device/shaders.ts';
import { plainWaits } from '../../../src/runtime/device/waits.ts';

/** A device whose compilations the test completes. */
function fakeDevice() {
  const compilations: { readonly label: string; readonly end: (error?: Error) => void }[] = [];
  const pushErrorScope = (): void => undefined;
  const device: GPUDevice = Object.assign(Object.create(null), {
    lost: new Promise<never>(() => undefined),
    pushErrorScope,
    popErrorScope: async () => null,
    createBindGroupLayout: () => ({}),
    createPipelineLayout: () => ({}),
    createShaderModule: () => ({ getCompilationInfo: async () => ({ messages: [] }) }),
    createComputePipelineAsync: ({ label }: { readonly label: string }) =>
      new Promise((resolve, reject) => {
        compilations.push({ label, end: (error) => (error ? reject(error) : resolve({ label })) });
      }),
  });
  return { device, compilations };
}

function setUp() {
  const { device, compilations } = fakeDevice();
  const faults = new Faults(device, plainWaits);
  const shaders = new Shaders(device, faults);
  const ran: string[] = [];
  const backlog = new Backlog(faults, () => ran.push('drained'));
  const shader = (label: string) => shaders.get({ label, code: label, entryPoint: 'main', buffers: [] });
  const launch = (label: string): void => backlog.holdFor(shader(label), () => ran.push(label));
  const compiled = async (label: string, error?: Error): Promise<void> => {
    compilations.find((one) => one.label === label)?.end(error);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { faults, backlog, ran, compilations, launch, compiled };
}

describe('a command that waits for a shader', () => {
  it('runs in order, even if a later shader is compiled first', async () => {
    const { backlog, ran, compilations, launch, compiled } = setUp();
    launch('a');
    backlog.hold(() => ran.push('copy'));
    launch('b');
    launch('a');
    // All shaders compile at the same time, and each only once.
    expect(compilations.map(({ label }) => label)).toEqual(['a', 'b']);
    await compiled('b');
    expect([backlog.isWaiting, ran]).toEqual([true, []]);
    await compiled('a');
    expect([backlog.isWaiting, ran]).toEqual([false, ['a', 'copy', 'b', 'a', 'drained']]);
  });

  it('is skipped if the shader does not compile, and the next awaited promise rejects', async () => {
    const { faults, backlog, ran, launch, compiled } = setUp();
    launch('a');
    backlog.hold(() => ran.push('copy'));
    const next = faults.settle(Promise.resolve('done'));
    const outcome = expect(next).rejects.toThrow(
      new GpuError('shader', 'a: cannot create the pipeline of `main`: bad'),
    );
    await compiled('a', new Error('bad'));
    await outcome;
    expect(ran).toEqual(['copy', 'drained']);
    expect(await faults.settle(Promise.resolve('done'))).toBe('done');
  });

  it('an error in a step rejects the next awaited promise, and no earlier one', async () => {
    const { faults, backlog, launch, compiled } = setUp();
    launch('a');
    const before = faults.settle(Promise.resolve('before'));
    backlog.hold(() => {
      throw new RangeError('wrong');
    });
    const behind = faults.settle(Promise.resolve('behind'));
    const outcome = expect(behind).rejects.toThrow(new RangeError('wrong'));
    await compiled('a');
    expect(await before).toBe('before');
    await outcome;
  });

  it('never runs after it was dropped', async () => {
    const { backlog, ran, launch, compiled } = setUp();
    launch('a');
    backlog.drop();
    await compiled('a');
    expect([backlog.isWaiting, ran]).toEqual([false, []]);
  });
});
