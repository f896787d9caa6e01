// Runs the probes of the pre-flight on a device. Every built module contains this runner, so it has
// only the parts of `GpuRunner` that the probes need. Its buffers are storage buffers.

import { getOrInsert } from '../../base/maps.ts';
import { bufferUsage, computeStage, memoryUsage, readMode } from '../device/flags.ts';
import { messageOf } from '../device/gpu-error.ts';
import { GpuError, type GpuJob, type GpuShader, type JobRunner } from '../device/job.ts';

interface Compiled {
  readonly layout: GPUBindGroupLayout;
  readonly pipeline: GPUComputePipeline;
}

export function probeRunner(device: GPUDevice): JobRunner {
  const made = new Map<string, Promise<Compiled>>();
  const compile = (shader: GpuShader): Promise<Compiled> =>
    getOrInsert(made, shader.code, () => {
      const compiling = compileOn(device, shader);
      // The job that needs the pipeline reports its error.
      compiling.catch(() => undefined);
      return compiling;
    });
  const { subgroupMinSize = 0, subgroupMaxSize = 0 }: Partial<GPUAdapterInfo> = device.adapterInfo ?? {};
  return {
    adapter: {
      features: [...device.features],
      wgslFeatures: [...(globalThis.navigator?.gpu?.wgslLanguageFeatures ?? [])],
      limits: { maxComputeInvocationsPerWorkgroup: device.limits.maxComputeInvocationsPerWorkgroup },
      subgroupMinSize,
      subgroupMaxSize,
    },
    async run(job: GpuJob) {
      for (const next of job.ahead ?? []) compile(next);
      const { layout, pipeline } = await compile(job);
      const buffers = job.buffers.map(({ binding, bytes, data, read }) => {
        const buffer = device.createBuffer({ size: bytes, usage: memoryUsage });
        if (data) device.queue.writeBuffer(buffer, 0, data.slice());
        const usage = bufferUsage.mapRead | bufferUsage.copyTarget;
        const back = read ? device.createBuffer({ size: bytes, usage }) : undefined;
        return { binding, bytes, buffer, back };
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      const entries = buffers.map(({ binding, buffer }) => ({ binding, resource: { buffer } }));
      pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
      pass.dispatchWorkgroups(...job.workgroups);
      pass.end();
      for (const { buffer, back, bytes } of buffers) if (back) encoder.copyBufferToBuffer(buffer, 0, back, 0, bytes);
      device.queue.submit([encoder.finish()]);
      const results = new Map<number, Uint8Array>();
      for (const { binding, buffer, back } of buffers) {
        if (back) {
          await back.mapAsync(readMode);
          results.set(binding, new Uint8Array(back.getMappedRange().slice(0)));
        }
        back?.destroy();
        buffer.destroy();
      }
      return { buffers: results, ms: 0 };
    },
  };
}

/** Compiles a shader. Rejects with `GpuError` 'shader' if the device rejects the shader. */
async function compileOn(device: GPUDevice, { label, code, entryPoint, buffers }: GpuShader): Promise<Compiled> {
  device.pushErrorScope('validation');
  const entries = buffers.map(({ binding, kind: type }) => ({ binding, visibility: computeStage, buffer: { type } }));
  const layout = device.createBindGroupLayout({ entries });
  const pipeline = device.createComputePipelineAsync({
    label,
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module: device.createShaderModule({ label, code }), entryPoint },
  });
  device.popErrorScope().catch(() => undefined);
  try {
    return { layout, pipeline: await pipeline };
  } catch (error) {
    throw new GpuError('shader', `${label}: ${messageOf(error)}`);
  }
}
