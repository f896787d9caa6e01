// Measures a sequence of dispatches.
import { popErrors, pushErrors } from './device-errors.ts';
import { bufferUsage, readMode } from './flags.ts';
import { GpuError } from './job.ts';
import type { PipelineCache } from './pipeline-cache.ts';
import { type GpuSequence, type GpuSequenceResult, type GpuStep, type SharedBuffer, windowsOf } from './sequence.ts';

const STAMP_BYTES = 16;
const NS_PER_MS = 1e6;

type Dispatch = (pass: GPUComputePassEncoder) => void;

/// Prepares, warms up and measures. Throws `GpuError`: 'shader', 'validation' or 'out-of-memory'.
export async function measureSequence(
  device: GPUDevice,
  pipelines: PipelineCache,
  sequence: GpuSequence,
): Promise<GpuSequenceResult> {
  pushErrors(device);
  const buffers: GPUBuffer[] = [];
  let result: GpuSequenceResult | undefined;
  let thrown: unknown;
  try {
    for (const spec of sequence.buffers) buffers.push(createBuffer(device, spec));
    result = await measure(device, pipelines, sequence, buffers);
  } catch (error) {
    thrown = error;
  }
  const failure = await popErrors(device, sequence.label);
  for (const buffer of buffers) buffer.destroy();
  // A scope knows more than the call that failed because of it.
  if (thrown instanceof GpuError) throw thrown;
  if (failure) throw failure;
  if (!result) throw thrown;
  return result;
}

async function measure(
  device: GPUDevice,
  pipelines: PipelineCache,
  { label, prepare, steps, timing, ...sequence }: GpuSequence,
  buffers: readonly GPUBuffer[],
) {
  const fills = await Promise.all(prepare.map((step) => dispatchOf(device, pipelines, label, step, buffers)));
  const repetition = await Promise.all(steps.map((step) => dispatchOf(device, pipelines, label, step, buffers)));
  await submit(device, label, [...fills, ...Array.from({ length: timing.warmup }, () => repetition).flat()]);
  const sample = Array.from({ length: timing.repeat }, () => repetition).flat();
  const clock = device.features.has('timestamp-query') ? 'gpu' : 'host';
  const stamps: (readonly [number, number])[] = [];
  while (stamps.length < timing.samples) {
    stamps.push(clock === 'gpu' ? await stamped(device, label, sample) : await watched(device, label, sample));
  }
  const windows = new Map<number, Uint8Array>();
  for (const [index, spec] of sequence.buffers.entries()) {
    const buffer = buffers[index];
    if (spec.read && buffer) windows.set(index, await read(device, buffer));
  }
  return { stamps, clock, windows } as const;
}

function createBuffer(device: GPUDevice, { bytes, uniform, data }: SharedBuffer): GPUBuffer {
  const usage = (uniform ? bufferUsage.uniform : bufferUsage.storage) | bufferUsage.copyTarget | bufferUsage.copySource;
  // WebGPU gives zeroed memory.
  const buffer = device.createBuffer({ size: Math.max(4, bytes), usage });
  if (data && data.byteLength > 0) {
    device.queue.writeBuffer(buffer, 0, data.buffer, data.byteOffset, data.byteLength);
  }
  return buffer;
}

async function dispatchOf(
  device: GPUDevice,
  pipelines: PipelineCache,
  label: string,
  step: GpuStep,
  buffers: readonly GPUBuffer[],
): Promise<Dispatch> {
  const specs = step.bindings.map(({ binding, kind }) => ({ binding, kind, bytes: 4, read: false }));
  const { pipeline, layout } = await pipelines.get({ ...step, label, buffers: specs });
  const entries = step.bindings.map(({ binding, buffer: index }) => {
    const buffer = buffers[index];
    if (!buffer) throw new GpuError('validation', `${label}: binding ${binding} names buffer ${index}, which is none`);
    return { binding, resource: { buffer } };
  });
  const group = device.createBindGroup({ layout, entries });
  return (pass) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...step.workgroups);
  };
}

async function submit(device: GPUDevice, label: string, dispatches: readonly Dispatch[]): Promise<void> {
  const encoder = device.createCommandEncoder({ label });
  const pass = encoder.beginComputePass({ label });
  for (const dispatch of dispatches) dispatch(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
}

async function watched(
  device: GPUDevice,
  label: string,
  dispatches: readonly Dispatch[],
): Promise<readonly [number, number]> {
  const begin = performance.now();
  await submit(device, label, dispatches);
  return [begin * NS_PER_MS, performance.now() * NS_PER_MS];
}

async function stamped(
  device: GPUDevice,
  label: string,
  dispatches: readonly Dispatch[],
): Promise<readonly [number, number]> {
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 });
  const resolved = device.createBuffer({ size: STAMP_BYTES, usage: bufferUsage.queryResolve | bufferUsage.copySource });
  const staging = device.createBuffer({ size: STAMP_BYTES, usage: bufferUsage.mapRead | bufferUsage.copyTarget });
  try {
    const encoder = device.createCommandEncoder({ label });
    const timestampWrites = { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
    const pass = encoder.beginComputePass({ label, timestampWrites });
    for (const dispatch of dispatches) dispatch(pass);
    pass.end();
    encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, staging, 0, STAMP_BYTES);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(readMode);
    const [begin = 0n, end = 0n] = new BigUint64Array(staging.getMappedRange().slice(0));
    return [Number(begin), Number(end)];
  } finally {
    querySet.destroy();
    resolved.destroy();
    staging.destroy();
  }
}

async function read(device: GPUDevice, buffer: GPUBuffer): Promise<Uint8Array> {
  const parts = windowsOf(buffer.size);
  const total = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  const staging = device.createBuffer({ size: total, usage: bufferUsage.mapRead | bufferUsage.copyTarget });
  const encoder = device.createCommandEncoder();
  let at = 0;
  for (const [offset, bytes] of parts) {
    encoder.copyBufferToBuffer(buffer, offset, staging, at, bytes);
    at += bytes;
  }
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(readMode);
  const copy = new Uint8Array(staging.getMappedRange().slice(0));
  staging.destroy();
  return copy;
}
