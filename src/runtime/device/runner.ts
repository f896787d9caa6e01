// Runs jobs and measures sequences on an open WebGPU device, in a page or in Node. Imports nothing of either.

import { BufferPool } from './buffer-pool.ts';
import { lossOf, popErrors, pushErrors } from './device-errors.ts';
import { bufferUsage, readMode } from './flags.ts';
import type { GpuBuffer, GpuJob, GpuResult, GpuShader } from './job.ts';
import { GpuError } from './job.ts';
import { measureSequence } from './measure-sequence.ts';
import { PipelineCache } from './pipeline-cache.ts';
import type { GpuSequence, GpuSequenceResult } from './sequence.ts';

export interface RunnerEvents {
  /// A job's work has gone to the device: its result will be there soon.
  readonly onSubmit?: () => void;
}

/// Owns the pipelines and buffers of one device. One job at a time.
export class GpuRunner {
  readonly #device: GPUDevice;
  readonly #events: RunnerEvents;
  readonly #pool: BufferPool;
  readonly #pipelines: PipelineCache;
  readonly #lost: Promise<never>;

  constructor(device: GPUDevice, events: RunnerEvents = {}) {
    this.#device = device;
    this.#events = events;
    this.#pool = new BufferPool(device);
    this.#pipelines = new PipelineCache(device);
    this.#lost = lossOf(device);
  }

  /// Starts to compile. What is wrong with it is told when a job needs it.
  prepare(shader: GpuShader): void {
    this.#pipelines.get(shader).catch(() => undefined);
  }

  /// Compiles, uploads, dispatches and reads back. The result's arrays are copies.
  /// Throws `GpuError`: 'shader', 'validation', 'out-of-memory' or 'lost'.
  async run(job: GpuJob): Promise<GpuResult> {
    checkJob(job);
    return await Promise.race([this.#run(job), this.#lost]);
  }

  /// Prepares, warms up and measures; buffers live as long as the sequence. Throws `GpuError`: 'shader', 'validation', 'out-of-memory' or
  /// 'lost'.
  async time(sequence: GpuSequence): Promise<GpuSequenceResult> {
    return await Promise.race([measureSequence(this.#device, this.#pipelines, sequence), this.#lost]);
  }

  async #run(job: GpuJob): Promise<GpuResult> {
    const compiling = this.#pipelines.get(job);
    if (job.ahead) this.prepare(job.ahead);
    const { pipeline, layout } = await compiling;
    pushErrors(this.#device);
    const buffers = job.buffers.map((spec) => ({ spec, buffer: this.#pool.take(sizeOf(spec), usageOf(spec)) }));
    const reads = buffers.filter(({ spec }) => spec.read);
    const stagingSize = reads.reduce((sum, { buffer }) => sum + buffer.size, 0);
    const staging =
      stagingSize > 0 ? this.#pool.take(stagingSize, bufferUsage.mapRead | bufferUsage.copyTarget) : undefined;

    const encoder = this.#device.createCommandEncoder({ label: job.label });
    for (const { spec, buffer } of buffers) this.#fill(encoder, buffer, spec.data);
    const pass = encoder.beginComputePass({ label: job.label });
    pass.setPipeline(pipeline);
    const entries = buffers.map(({ spec, buffer }) => ({ binding: spec.binding, resource: { buffer } }));
    pass.setBindGroup(0, this.#device.createBindGroup({ layout, entries }));
    pass.dispatchWorkgroups(...job.workgroups);
    pass.end();
    let offset = 0;
    for (const { buffer } of staging ? reads : []) {
      if (staging) encoder.copyBufferToBuffer(buffer, 0, staging, offset, buffer.size);
      offset += buffer.size;
    }
    const commands = encoder.finish();
    const start = performance.now();
    this.#device.queue.submit([commands]);
    this.#events.onSubmit?.();
    const mapping = staging ? staging.mapAsync(readMode) : this.#device.queue.onSubmittedWorkDone();
    const failure = await this.#settle(mapping, job.label);
    if (failure) {
      for (const { buffer } of buffers) buffer.destroy();
      staging?.destroy();
      throw failure;
    }
    const ms = performance.now() - start;
    const results = new Map<number, Uint8Array>();
    if (staging) {
      const mapped = staging.getMappedRange();
      let at = 0;
      for (const { spec, buffer } of reads) {
        results.set(spec.binding, new Uint8Array(mapped.slice(at, at + spec.bytes)));
        at += buffer.size;
      }
      staging.unmap();
      this.#pool.give(staging);
    }
    for (const { buffer } of buffers) this.#pool.give(buffer);
    return { buffers: results, ms };
  }

  /// Uploads `data` and clears the rest: a buffer from the pool holds an earlier job's bytes.
  #fill(encoder: GPUCommandEncoder, buffer: GPUBuffer, data: Uint8Array | undefined): void {
    const given = data?.byteLength ?? 0;
    const whole = given & ~3;
    if (data && whole > 0) this.#device.queue.writeBuffer(buffer, 0, data.buffer, data.byteOffset, whole);
    let filled = whole;
    if (data && given > whole) {
      // writeBuffer takes multiples of 4 bytes.
      const tail = new Uint8Array(4);
      tail.set(data.subarray(whole));
      this.#device.queue.writeBuffer(buffer, whole, tail);
      filled += 4;
    }
    if (filled < buffer.size) encoder.clearBuffer(buffer, filled, buffer.size - filled);
  }

  /// Waits for the work and for every error scope. The scopes know more than the failed mapping does.
  async #settle(work: Promise<unknown>, label: string): Promise<GpuError | undefined> {
    const scopes = popErrors(this.#device, label);
    const [worked] = await Promise.allSettled([work]);
    const failure = await scopes;
    if (failure) return failure;
    return worked.status === 'rejected'
      ? new GpuError('lost', `${label}: reading the results failed: ${worked.reason}`)
      : undefined;
  }
}

/// Storage and uniform bindings cannot be empty.
function sizeOf(spec: GpuBuffer): number {
  return Math.max(4, spec.bytes);
}

function usageOf(spec: GpuBuffer): GPUBufferUsageFlags {
  return (
    (spec.kind === 'uniform' ? bufferUsage.uniform : bufferUsage.storage) |
    bufferUsage.copyTarget |
    bufferUsage.copySource
  );
}

function checkJob(job: GpuJob): void {
  for (const { binding, bytes, data } of job.buffers) {
    if (bytes % 4 !== 0 || (data?.byteLength ?? 0) > bytes) {
      const got = `${bytes} bytes, ${data?.byteLength ?? 0} of data`;
      throw new GpuError(
        'validation',
        `${job.label}: binding ${binding} has ${got}; sizes are multiples of 4, data fits`,
      );
    }
  }
}
