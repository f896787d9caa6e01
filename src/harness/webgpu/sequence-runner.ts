// Measures sequences of dispatches on an open WebGPU device, in a page or in Node. Imports nothing of either.
import type { GpuErrorKind } from './job.ts';
import { GpuError } from './job.ts';
import { PipelineCache } from './pipeline-cache.ts';
import { type GpuSequence, type GpuSequenceResult, type GpuStep, type SharedBuffer, windowsOf } from './sequence.ts';

// GPUBufferUsage and GPUMapMode, by value: those objects are globals of browsers that Dawn for Node does not define.
const MAP_READ = 0x0001;
const COPY_SRC = 0x0004;
const COPY_DST = 0x0008;
const UNIFORM = 0x0040;
const STORAGE = 0x0080;
const QUERY_RESOLVE = 0x0200;
const READ_MODE = 0x0001;

const STAMP_BYTES = 16;
const NS_PER_MS = 1e6;

/// Innermost last.
const SCOPES: readonly { filter: GPUErrorFilter; kind: GpuErrorKind }[] = [
  { filter: 'internal', kind: 'validation' },
  { filter: 'out-of-memory', kind: 'out-of-memory' },
  { filter: 'validation', kind: 'validation' },
];

type Dispatch = (pass: GPUComputePassEncoder) => void;

/// Owns the pipelines of measured kernels; buffers live as long as one sequence. One at a time.
export class SequenceRunner {
  readonly #device: GPUDevice;
  readonly #pipelines: PipelineCache;
  readonly #lost: Promise<never>;

  constructor(device: GPUDevice) {
    this.#device = device;
    this.#pipelines = new PipelineCache(device);
    this.#lost = device.lost.then((info) => {
      throw new GpuError('lost', `the GPU device was lost (${info.reason || 'unknown reason'}): ${info.message}`);
    });
    this.#lost.catch(() => undefined);
  }

  /// Prepares, warms up and measures. Throws `GpuError`: 'shader', 'validation', 'out-of-memory' or 'lost'.
  async time(sequence: GpuSequence): Promise<GpuSequenceResult> {
    return await Promise.race([this.#time(sequence), this.#lost]);
  }

  async #time(sequence: GpuSequence): Promise<GpuSequenceResult> {
    for (const { filter } of SCOPES) this.#device.pushErrorScope(filter);
    const buffers: GPUBuffer[] = [];
    let result: GpuSequenceResult | undefined;
    let thrown: unknown;
    try {
      for (const spec of sequence.buffers) buffers.push(this.#buffer(spec));
      result = await this.#measure(sequence, buffers);
    } catch (error) {
      thrown = error;
    }
    const failure = await this.#popScopes(sequence.label);
    for (const buffer of buffers) buffer.destroy();
    // A scope knows more than the call that failed because of it.
    if (thrown instanceof GpuError) throw thrown;
    if (failure) throw failure;
    if (!result) throw thrown;
    return result;
  }

  async #measure({ label, prepare, steps, timing, ...sequence }: GpuSequence, buffers: readonly GPUBuffer[]) {
    const fills = await Promise.all(prepare.map((step) => this.#dispatch(label, step, buffers)));
    const repetition = await Promise.all(steps.map((step) => this.#dispatch(label, step, buffers)));
    await this.#submit(label, [...fills, ...Array.from({ length: timing.warmup }, () => repetition).flat()]);
    const sample = Array.from({ length: timing.repeat }, () => repetition).flat();
    const clock = this.#device.features.has('timestamp-query') ? 'gpu' : 'host';
    const stamps: (readonly [number, number])[] = [];
    while (stamps.length < timing.samples) {
      stamps.push(clock === 'gpu' ? await this.#stamped(label, sample) : await this.#watched(label, sample));
    }
    const windows = new Map<number, Uint8Array>();
    for (const [index, spec] of sequence.buffers.entries()) {
      const buffer = buffers[index];
      if (spec.read && buffer) windows.set(index, await this.#read(buffer));
    }
    return { stamps, clock, windows } as const;
  }

  #buffer({ bytes, uniform, data }: SharedBuffer): GPUBuffer {
    const usage = (uniform ? UNIFORM : STORAGE) | COPY_DST | COPY_SRC;
    // WebGPU gives zeroed memory.
    const buffer = this.#device.createBuffer({ size: Math.max(4, bytes), usage });
    if (data && data.byteLength > 0) {
      this.#device.queue.writeBuffer(buffer, 0, data.buffer, data.byteOffset, data.byteLength);
    }
    return buffer;
  }

  async #dispatch(label: string, step: GpuStep, buffers: readonly GPUBuffer[]): Promise<Dispatch> {
    const specs = step.bindings.map(({ binding, kind }) => ({ binding, kind, bytes: 4, read: false }));
    const { pipeline, layout } = await this.#pipelines.get({ ...step, label, buffers: specs });
    const entries = step.bindings.map(({ binding, buffer: index }) => {
      const buffer = buffers[index];
      if (!buffer)
        throw new GpuError('validation', `${label}: binding ${binding} names buffer ${index}, which is none`);
      return { binding, resource: { buffer } };
    });
    const group = this.#device.createBindGroup({ layout, entries });
    return (pass) => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(...step.workgroups);
    };
  }

  async #submit(label: string, dispatches: readonly Dispatch[]): Promise<void> {
    const encoder = this.#device.createCommandEncoder({ label });
    const pass = encoder.beginComputePass({ label });
    for (const dispatch of dispatches) dispatch(pass);
    pass.end();
    this.#device.queue.submit([encoder.finish()]);
    await this.#device.queue.onSubmittedWorkDone();
  }

  async #watched(label: string, dispatches: readonly Dispatch[]): Promise<readonly [number, number]> {
    const begin = performance.now();
    await this.#submit(label, dispatches);
    return [begin * NS_PER_MS, performance.now() * NS_PER_MS];
  }

  async #stamped(label: string, dispatches: readonly Dispatch[]): Promise<readonly [number, number]> {
    const device = this.#device;
    const querySet = device.createQuerySet({ type: 'timestamp', count: 2 });
    const resolved = device.createBuffer({ size: STAMP_BYTES, usage: QUERY_RESOLVE | COPY_SRC });
    const staging = device.createBuffer({ size: STAMP_BYTES, usage: MAP_READ | COPY_DST });
    try {
      const encoder = device.createCommandEncoder({ label });
      const timestampWrites = { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
      const pass = encoder.beginComputePass({ label, timestampWrites });
      for (const dispatch of dispatches) dispatch(pass);
      pass.end();
      encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, staging, 0, STAMP_BYTES);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(READ_MODE);
      const [begin = 0n, end = 0n] = new BigUint64Array(staging.getMappedRange().slice(0));
      return [Number(begin), Number(end)];
    } finally {
      querySet.destroy();
      resolved.destroy();
      staging.destroy();
    }
  }

  async #read(buffer: GPUBuffer): Promise<Uint8Array> {
    const parts = windowsOf(buffer.size);
    const total = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
    const staging = this.#device.createBuffer({ size: total, usage: MAP_READ | COPY_DST });
    const encoder = this.#device.createCommandEncoder();
    let at = 0;
    for (const [offset, bytes] of parts) {
      encoder.copyBufferToBuffer(buffer, offset, staging, at, bytes);
      at += bytes;
    }
    this.#device.queue.submit([encoder.finish()]);
    await staging.mapAsync(READ_MODE);
    const copy = new Uint8Array(staging.getMappedRange().slice(0));
    staging.destroy();
    return copy;
  }

  async #popScopes(label: string): Promise<GpuError | undefined> {
    const scopes = SCOPES.toReversed().map(async ({ kind }) => ({ kind, error: await this.#device.popErrorScope() }));
    for (const { kind, error } of await Promise.all(scopes)) {
      if (error) return new GpuError(kind, `${label}: ${error.message}`);
    }
    return undefined;
  }
}
