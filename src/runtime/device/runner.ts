// Runs jobs and measures sequences on an open WebGPU device. This file works in a page and in Node,
// and imports nothing from either.

import { alignUp } from '../../base/align.ts';
import { BufferPool } from './buffer-pool.ts';
import type { Engine } from './engine.ts';
import { memoryUsage } from './flags.ts';
import { GpuError, messageOf } from './gpu-error.ts';
import type { CompileTimes, GpuBuffer, GpuJob, GpuResult, GpuShader, OnPhase } from './job.ts';
import { measureSequence } from './measure-sequence.ts';
import { Recording, uniformContents } from './recording.ts';
import type { GpuSequence, GpuSequenceResult } from './sequence.ts';
import type { Shader } from './shaders.ts';

export interface RunnerEvents {
  /** Called after a job's work is submitted, shortly before its result is available. */
  readonly onSubmit?: () => void;
}

const ignore: OnPhase = () => undefined;

interface Filled {
  readonly spec: GpuBuffer;
  readonly buffer: GPUBuffer;
}

/** Runs jobs one at a time, each with memory of its own. Its engine must not have other users. */
export class GpuRunner {
  readonly #engine: Engine;
  readonly #events: RunnerEvents;
  readonly #pool: BufferPool;

  constructor(engine: Engine, events: RunnerEvents = {}) {
    this.#engine = engine;
    this.#events = events;
    this.#pool = new BufferPool(engine.device);
  }

  /** Starts to compile a shader. A compile error is reported when a job needs the shader. */
  prepare(shader: GpuShader): void {
    this.#engine.shaders
      .get(shader)
      .prepare()
      .catch(() => undefined);
  }

  /**
   * Compiles the shader of a job, uploads the buffers, dispatches, and reads back. The result's
   * arrays are copies. Throws `GpuError`: 'shader', 'validation', 'out-of-memory' or 'lost'.
   */
  async run(job: GpuJob, onPhase: OnPhase = ignore): Promise<GpuResult> {
    checkJob(job);
    return await this.#alone(job.label, this.#run(job, onPhase));
  }

  /** Compiles a shader, and measures the time. Throws `GpuError` 'shader' or 'lost'. */
  async compile(shader: GpuShader): Promise<CompileTimes> {
    return await this.#alone(shader.label, this.#engine.shaders.get(shader).timed());
  }

  /**
   * Prepares a sequence, warms up, and measures. The buffers exist as long as the sequence runs.
   * Throws `GpuError`: 'shader', 'validation', 'out-of-memory' or 'lost'.
   */
  async time(sequence: GpuSequence, onPhase: OnPhase = ignore): Promise<GpuSequenceResult> {
    return await this.#alone(sequence.label, measureSequence(this.#engine, sequence, onPhase));
  }

  /** Frees the memory that is kept for later jobs. */
  destroy(): void {
    this.#pool.destroy();
  }

  /** Awaits the work of a job and all its errors, so that the next job does not report them. */
  async #alone<T>(label: string, work: Promise<T>): Promise<T> {
    const { faults } = this.#engine;
    try {
      return await faults.orLost(work);
    } catch (error) {
      if (faults.lost) throw faults.lost;
      const also = await faults.settle(Promise.resolve(undefined)).catch((cause: unknown) => cause);
      if (error instanceof GpuError && error.kind === 'shader') throw error;
      // The scope's error is more precise than the error of the call that failed.
      const cause = error instanceof GpuError ? error : also;
      if (cause instanceof GpuError) throw new GpuError(cause.kind, `${label}: ${cause.message}`);
      throw new GpuError('lost', `${label}: ${messageOf(error)}`);
    }
  }

  async #run(job: GpuJob, onPhase: OnPhase): Promise<GpuResult> {
    const { device, faults, shaders } = this.#engine;
    const shader = shaders.get(job);
    if (!shader.pipeline) onPhase('compiling');
    const compiling = shader.prepare();
    for (const shader of job.ahead ?? []) this.prepare(shader);
    await compiling;
    onPhase('running');
    const { buffers, reading } = faults.guard(device, 'out-of-memory', () => this.#ask(job, shader));
    try {
      const result = await faults.settle(reading);
      for (const { buffer } of buffers) this.#pool.give(buffer);
      return result;
    } catch (error) {
      for (const { buffer } of buffers) buffer.destroy();
      throw error;
    }
  }

  #ask(job: GpuJob, shader: Shader): { readonly buffers: readonly Filled[]; readonly reading: Promise<GpuResult> } {
    const { device, faults, queue } = this.#engine;
    const buffers = this.#buffersOf(job);
    this.#fill(buffers);
    const uniforms = job.buffers.filter(({ kind }) => kind === 'uniform').sort((a, b) => a.binding - b.binding);
    const entries = [
      ...buffers.map(({ spec, buffer }) => ({ binding: spec.binding, resource: { buffer } })),
      ...uniforms.map(({ binding, bytes }) => ({
        binding,
        resource: { buffer: queue.uniforms, size: Math.max(4, bytes) },
      })),
    ];
    return faults.guard(device, 'validation', () => {
      const group = device.createBindGroup({ layout: shader.layout, entries });
      const { workgroups } = job;
      const once = { shader, group, workgroups, uniforms: uniforms.map(uniformContents) };
      new Recording([once], queue.align).replay(queue);
      const start = performance.now();
      // Report the submission before the device is awaited.
      this.#events.onSubmit?.();
      const reading = this.#read(buffers).then((results) => ({ buffers: results, ms: performance.now() - start }));
      return { buffers, reading };
    });
  }

  #buffersOf({ buffers }: GpuJob): readonly Filled[] {
    return buffers
      .filter(({ kind }) => kind !== 'uniform')
      .map((spec) => ({ spec, buffer: this.#pool.take(Math.max(4, spec.bytes), memoryUsage) }));
  }

  /**
   * Uploads `data`, and clears the rest of each buffer, because a pooled buffer contains an earlier
   * job's bytes.
   */
  #fill(buffers: readonly Filled[]): void {
    const { queue } = this.#engine;
    // Write first: a write submits all earlier commands, and clearing adds a command.
    for (const { spec, buffer } of buffers) if (spec.data) queue.write(buffer, 0, spec.data);
    for (const { spec, buffer } of buffers) {
      const filled = alignUp(spec.data?.byteLength ?? 0, 4);
      if (filled < buffer.size) queue.encode((encoder) => encoder.clearBuffer(buffer, filled, buffer.size - filled));
    }
  }

  async #read(buffers: readonly Filled[]): Promise<ReadonlyMap<number, Uint8Array>> {
    const { queue, readback } = this.#engine;
    const reads = buffers.filter(({ spec }) => spec.read);
    if (reads.length === 0) {
      await queue.finished();
      return new Map();
    }
    const regions = reads.map(({ buffer }) => ({ buffer, offset: 0, size: buffer.size }));
    return await readback.read(regions, (mapped) => {
      const contents = reads.map(({ spec }, at) => [spec.binding, mapped[at]?.slice(0, spec.bytes)] as const);
      return new Map(contents.map(([binding, bytes]) => [binding, bytes ?? new Uint8Array()]));
    });
  }
}

function checkJob(job: GpuJob): void {
  for (const { binding, bytes, data } of job.buffers) {
    if (bytes % 4 !== 0 || (data?.byteLength ?? 0) > bytes) {
      const got = `${bytes} bytes, ${data?.byteLength ?? 0} of data`;
      throw new GpuError(
        'validation',
        `${job.label}: binding ${binding} has ${got}: expected a multiple of 4 bytes, and data that fits`,
      );
    }
  }
}
