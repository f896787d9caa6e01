// Runs the probes of the pre-flight on a device. It has only the parts of `GpuRunner` that the
// probes need, because it is in every built module. Its buffers are storage buffers.

import { getOrInsert } from '../../base/maps.ts';
import { bufferUsage, memoryUsage, readMode } from '../device/flags.ts';
import { GpuError, type GpuJob, type GpuShader, type JobRunner } from '../device/job.ts';

export function probeRunner(device: GPUDevice): JobRunner {
  const pipelines = new Map<string, Promise<GPUComputePipeline>>();
  const compile = ({ label, code, entryPoint }: GpuShader) =>
    getOrInsert(pipelines, code, () => {
      device.pushErrorScope('validation');
      const module = device.createShaderModule({ label, code });
      const made = device.createComputePipelineAsync({ label, layout: 'auto', compute: { module, entryPoint } });
      device.popErrorScope().catch(() => undefined);
      const pipeline = made.catch((error: unknown) => {
        throw new GpuError('shader', `${label}: ${error}`);
      });
      // A rejection is reported by the job that needs the pipeline.
      pipeline.catch(() => undefined);
      return pipeline;
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
      const pipeline = await compile(job);
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
      pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
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
