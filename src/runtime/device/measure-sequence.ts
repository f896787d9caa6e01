// Measures a sequence of dispatches.
import { joinBytes } from '../../base/bytes.ts';
import type { Engine } from './engine.ts';
import { memoryUsage } from './flags.ts';
import { GpuError } from './gpu-error.ts';
import type { OnPhase } from './job.ts';
import { type Dispatch, Recording, uniformContents } from './recording.ts';
import { type GpuSequence, type GpuSequenceResult, type GpuStep, type SharedBuffer, windowsOf } from './sequence.ts';

const nsPerMs = 1e6;

/**
 * Prepares a sequence, warms up, and measures. Throws `GpuError`: 'shader', 'validation' or
 * 'out-of-memory'.
 */
export async function measureSequence(
  engine: Engine,
  sequence: GpuSequence,
  onPhase: OnPhase,
): Promise<GpuSequenceResult> {
  const { clock } = engine;
  const buffers = engine.faults.guard(engine.device, 'out-of-memory', () =>
    sequence.buffers.map((spec) => (spec.uniform ? undefined : createBuffer(engine, spec))),
  );
  const slots = [clock.take(), clock.take()] as const;
  try {
    onPhase('compiling');
    const fills = await record(engine, sequence, sequence.prepare, buffers);
    const steps = await record(engine, sequence, sequence.steps, buffers);
    onPhase('running');
    const { warmup, repeat, samples } = sequence.timing;
    fills.replay(engine.queue);
    if (warmup > 0) steps.replay(engine.queue, warmup);
    await engine.faults.settle(engine.queue.finished());
    const stamps: (readonly [number, number])[] = [];
    while (stamps.length < samples)
      stamps.push(await (clock.isGpus ? stamped(engine, steps, repeat, slots) : watched(engine, steps, repeat)));
    return { stamps, clock: clock.isGpus ? 'gpu' : 'host', windows: await readWindows(engine, sequence, buffers) };
  } finally {
    for (const slot of slots) clock.give(slot);
    for (const buffer of buffers) buffer?.destroy();
  }
}

function createBuffer({ device, queue }: Engine, { bytes, data }: SharedBuffer): GPUBuffer {
  // WebGPU fills new buffers with zeros.
  const buffer = device.createBuffer({ size: Math.max(4, bytes), usage: memoryUsage });
  if (data) queue.write(buffer, 0, data);
  return buffer;
}

async function record(
  { device, faults, queue, shaders }: Engine,
  { label, buffers: specs }: GpuSequence,
  steps: readonly GpuStep[],
  buffers: readonly (GPUBuffer | undefined)[],
): Promise<Recording> {
  const dispatchOf = async ({ code, entryPoint, bindings, workgroups }: GpuStep): Promise<Dispatch> => {
    const shader = shaders.get({ label, code, entryPoint, buffers: bindings });
    await shader.prepare();
    const uniforms: Uint8Array[] = [];
    const inOrder = [...bindings].sort((a, b) => a.binding - b.binding);
    const entries = inOrder.map(({ binding, buffer: index }) => {
      const [spec, buffer] = [specs[index], buffers[index]];
      if (!spec) throw new GpuError('validation', `binding ${binding} names buffer ${index}, which does not exist`);
      if (buffer) return { binding, resource: { buffer } };
      const contents = uniformContents(spec);
      uniforms.push(contents);
      return { binding, resource: { buffer: queue.uniforms, size: contents.length } };
    });
    const group = faults.guard(device, 'validation', () => device.createBindGroup({ layout: shader.layout, entries }));
    return { shader, group, workgroups, uniforms };
  };
  return new Recording(await Promise.all(steps.map(dispatchOf)), queue.align);
}

async function watched({ faults, queue }: Engine, steps: Recording, repeat: number) {
  const begin = performance.now();
  steps.replay(queue, repeat);
  await faults.settle(queue.finished());
  return [begin * nsPerMs, performance.now() * nsPerMs] as const;
}

async function stamped(
  { clock, queue }: Engine,
  steps: Recording,
  repeat: number,
  [begin, end]: readonly [number, number],
) {
  steps.replay(queue, repeat, clock.around(begin, end));
  return await clock.read(begin, end);
}

async function readWindows(
  { faults, readback }: Engine,
  sequence: GpuSequence,
  buffers: readonly (GPUBuffer | undefined)[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const windows = new Map<number, Uint8Array>();
  for (const [index, { read }] of sequence.buffers.entries()) {
    const buffer = buffers[index];
    if (!read || !buffer) continue;
    const parts = windowsOf(buffer.size).map(([offset, size]) => ({ buffer, offset, size }));
    windows.set(index, await faults.settle(readback.read(parts, joinBytes)));
  }
  return windows;
}
