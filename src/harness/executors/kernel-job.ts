// Converts a launch to a GPU job: lays out its parameters as the program expects them, and finds
// its outputs in the result.

import { alignUp } from '../../base/align.ts';
import { missing } from '../../base/invariants.ts';
import { type Launch, type LaunchOutputs, type LaunchParam, sourceOf } from '../../base/launch.ts';
import { bytesWithAddresses } from '../../base/launch-pointers.ts';
import type { Printed } from '../../base/printed.ts';
import { encodeScalar } from '../../base/scalars.ts';
import type { GpuBuffer, GpuJob, GpuResult } from '../../runtime/device/job.ts';
import { bindingsOf, type ProgramBinding } from '../../runtime/launch/bindings.ts';
import { blockMemoryBytes, checkGridBarrier, type Resident, workgroupsOf } from '../../runtime/launch/dispatch.ts';
import { readMessages } from '../../runtime/launch/messages.ts';
import { statusBytes } from '../../runtime/launch/status-buffer.ts';
import type { WgslProgram } from '../../translate/index.ts';
import { contentsOffset, imagesAsBuffers } from './image-buffers.ts';

/**
 * Rounds a size up to a multiple of the widest element, `vec4<u32>`. The result is at least one
 * element.
 */
const elements = (bytes: number) => Math.max(alignUp(bytes, 16), 16);

/** The byte offset of each buffer in the heap, by parameter number, and the size of the heap. */
interface HeapLayout {
  readonly offsets: ReadonlyMap<number, number>;
  readonly bytes: number;
}

function layOutHeap(program: WgslProgram, launch: Launch): HeapLayout {
  const offsets = new Map<number, number>();
  let end = alignUp(program.heapBytes, 256);
  launch.params.forEach((param, index) => {
    if (param.kind !== 'buffer' || (!param.unpassed && program.params[index]?.kind !== 'value')) return;
    offsets.set(index, end);
    end = alignUp(end + param.bytes, 256);
  });
  return { offsets, bytes: end };
}

/**
 * Creates the GPU job of a launch, for a program of the same kernel and block size. Throws
 * RangeError for parameters that do not fit the kernel. Throws `KernelError` if blocks wait for
 * each other but may not run at the same time, and `GpuError` 'validation' for more blocks than a
 * dispatch allows.
 */
export function makeJob(program: WgslProgram, given: Launch, resident: Resident = 'unknown'): GpuJob {
  const launch = imagesAsBuffers(given);
  const passed = launch.params.filter((param) => param.kind !== 'buffer' || !param.unpassed).length;
  if (program.params.length !== passed) {
    throw new RangeError(`${program.kernel} has ${program.params.length} parameters, but the launch has ${passed}`);
  }
  checkGridBarrier(program, sourceOf(launch), launch.grid, resident);
  const heap = layOutHeap(program, launch);
  const buffers = bindingsOf(program).map((binding) => bufferOf(binding, program, launch, heap));
  return {
    label: launch.id,
    code: program.code,
    entryPoint: program.entryPoint,
    buffers,
    workgroups: workgroupsOf(program, launch.id, launch.grid),
  };
}

/** Returns the buffer of a binding, with its contents before the launch. */
function bufferOf(at: ProgramBinding, program: WgslProgram, launch: Launch, heap: HeapLayout): GpuBuffer {
  const { binding, kind } = at;
  switch (at.of) {
    case 'param': {
      const param = launch.params[at.param];
      if (param?.kind !== 'buffer')
        throw new RangeError(`parameter \`${param?.name}\` of ${program.kernel} is a pointer: expected a buffer`);
      const data = param.data ? { data: padded(param.data) } : {};
      return { binding, kind, bytes: elements(param.bytes), ...data, read: kind === 'storage' };
    }
    case 'params': {
      const data = paramBytes(program, launch, heap.offsets);
      return { binding, kind, bytes: data.length, data, read: false };
    }
    case 'heap':
      return { binding, kind, bytes: heap.bytes, data: heapBytes(program, launch, heap), read: true };
    case 'instructions': {
      const data = program.instructions?.data ?? missing('the instructions of', program.kernel);
      return { binding, kind, bytes: data.length, data, read: false };
    }
    case 'locks':
      return { binding, kind, bytes: program.locks?.bytes ?? 0, read: false };
    case 'blockMemory':
      return { binding, kind, bytes: blockMemoryBytes(program, launch.grid), read: false };
    case 'status':
      return { binding, kind, bytes: statusBytes(program), read: true };
  }
}

function heapBytes(program: WgslProgram, launch: Launch, heap: HeapLayout): Uint8Array {
  const data = new Uint8Array(heap.bytes);
  if (program.heap) data.set(program.heap.image);
  for (const [index, offset] of heap.offsets) {
    const param = launch.params[index];
    if (param?.kind === 'buffer' && param.data) data.set(param.data, offset);
  }
  return data;
}

function padded(data: Uint8Array): Uint8Array {
  if (data.length % 4 === 0) return data;
  const whole = new Uint8Array(alignUp(data.length, 4));
  whole.set(data);
  return whole;
}

function paramBytes(program: WgslProgram, launch: Launch, offsets: ReadonlyMap<number, number>): Uint8Array {
  const block = new Uint8Array(program.paramsBinding?.bytes ?? 0);
  program.params.forEach((place, index) => {
    const param = launch.params[index];
    if (place.kind !== 'value' || param === undefined) return;
    const value = valueBytes(param, index, (buffer) => {
      const offset = offsets.get(buffer);
      if (offset === undefined) throw new RangeError(`parameter ${buffer} of ${program.kernel} is not in the heap`);
      return BigInt(offset);
    });
    block.set(value.subarray(0, place.bytes), place.offset);
  });
  return block;
}

function valueBytes(param: LaunchParam, index: number, addressOf: (index: number) => bigint): Uint8Array {
  if (param.kind === 'bytes') return bytesWithAddresses(param, addressOf);
  return param.kind === 'scalar' ? encodeScalar(param.type, param.value) : encodeScalar('u64', addressOf(index));
}

/** Returns the outputs and the printed text of a launch. Throws the errors of `readMessages`. */
export function readAnswer(
  program: WgslProgram,
  launch: Launch,
  result: GpuResult,
): { readonly outputs: LaunchOutputs; readonly printed: Printed } {
  const bytesOf = (place: { readonly binding: number } | undefined) => place && result.buffers.get(place.binding);
  const printed = readMessages(program, sourceOf(launch), {
    status: bytesOf(program.status),
    heap: bytesOf(program.heap),
  });
  return { outputs: buffersOf(program, launch, result), printed };
}

/**
 * Returns the contents of every buffer parameter from the result of a job. Throws `KernelError` if
 * the kernel trapped or deadlocked.
 */
export const readOutputs = (program: WgslProgram, launch: Launch, result: GpuResult): LaunchOutputs =>
  readAnswer(program, launch, result).outputs;

function buffersOf(program: WgslProgram, given: Launch, result: GpuResult): LaunchOutputs {
  const launch = imagesAsBuffers(given);
  const heap = layOutHeap(program, launch);
  const outputs = new Map<number, Uint8Array>();
  launch.params.forEach((param, index) => {
    if (param.kind !== 'buffer') return;
    const place = program.params[index];
    const offset = heap.offsets.get(index);
    const bound = place?.kind === 'binding' ? result.buffers.get(place.binding) : undefined;
    const inHeap =
      offset !== undefined && program.heap ? result.buffers.get(program.heap.binding)?.subarray(offset) : undefined;
    const contents = (bound ?? inHeap)?.slice(0, param.bytes) ?? untouched(param.bytes, param.data);
    const header = contentsOffset(given.params[index]);
    outputs.set(index, header === 0 ? contents : contents.slice(header));
  });
  return outputs;
}

/** Returns the contents of a buffer to which the kernel cannot write. */
function untouched(bytes: number, data: Uint8Array | undefined): Uint8Array {
  const contents = new Uint8Array(bytes);
  if (data) contents.set(data);
  return contents;
}
