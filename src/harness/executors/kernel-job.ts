// Between a launch and a GPU job: lays the launch's parameters out as the program wants them, and finds its outputs again.

import { alignUp } from '../../base/align.ts';
import type { Launch, LaunchOutputs, LaunchParam } from '../../base/launch.ts';
import type { Printed } from '../../base/printed.ts';
import { encodeScalar } from '../../base/scalars.ts';
import type { Diagnostic } from '../../ptx/ast.ts';
import { type GpuBuffer, GpuError, type GpuJob, type GpuResult } from '../../runtime/device/job.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { readMessages, statusBytes } from '../../runtime/launch/messages.ts';
import type { WgslProgram } from '../../translate/index.ts';
import { contentsOffset, imagesAsBuffers } from './image-buffers.ts';

/// Whole elements of the widest kind, `vec4<u32>`, and at least one.
const elements = (bytes: number) => Math.max(alignUp(bytes, 16), 16);

/// Byte offset in the heap of each buffer that lies there, by parameter, and the heap's size.
function layOutHeap(program: WgslProgram, launch: Launch): { offsets: ReadonlyMap<number, number>; bytes: number } {
  const offsets = new Map<number, number>();
  let end = alignUp(program.heap?.image.length ?? 256, 256);
  launch.params.forEach((param, index) => {
    if (param.kind !== 'buffer' || program.params[index]?.kind !== 'value') return;
    offsets.set(index, end);
    end = alignUp(end + param.bytes, 256);
  });
  return { offsets, bytes: end };
}

/// The job that runs `launch` with `program`, which was made from the launch's kernel for its block. Throws RangeError for parameters that
/// do not fit the kernel's, `KernelError` for blocks that would wait for each other, and `GpuError` 'validation' for more blocks than can be dispatched.
export function makeJob(program: WgslProgram, given: Launch): GpuJob {
  const launch = imagesAsBuffers(given);
  if (program.params.length !== launch.params.length) {
    throw new RangeError(
      `${program.kernel} has ${program.params.length} parameters, the launch gives ${launch.params.length}`,
    );
  }
  checkGridBarrier(program, launch);
  const heap = layOutHeap(program, launch);
  const buffers: GpuBuffer[] = [];
  program.params.forEach((place, index) => {
    const param = launch.params[index];
    if (place.kind !== 'binding' || param === undefined) return;
    if (param.kind !== 'buffer')
      throw new RangeError(`parameter \`${param.name}\` of ${program.kernel} is a pointer: give a buffer`);
    const kind = place.access === 'read' ? 'read-only-storage' : 'storage';
    const data = param.data ? { data: padded(param.data) } : {};
    buffers.push({
      binding: place.binding,
      kind,
      bytes: elements(param.bytes),
      ...data,
      read: place.access === 'read_write',
    });
  });
  if (program.paramsBinding) {
    const { binding, bytes } = program.paramsBinding;
    buffers.push({ binding, kind: 'uniform', bytes, data: paramBytes(program, launch, heap.offsets), read: false });
  }
  if (program.heap) {
    const data = new Uint8Array(heap.bytes);
    data.set(program.heap.image);
    for (const [index, offset] of heap.offsets) {
      const param = launch.params[index];
      if (param?.kind === 'buffer' && param.data) data.set(param.data, offset);
    }
    buffers.push({ binding: program.heap.binding, kind: 'storage', bytes: heap.bytes, data, read: true });
  }
  if (program.locks) {
    const { binding, bytes } = program.locks;
    buffers.push({ binding, kind: 'storage', bytes, read: false });
  }
  if (program.local) {
    const { binding, blockBytes } = program.local;
    const [x, y, z] = launch.grid;
    buffers.push({ binding, kind: 'storage', bytes: blockBytes * x * y * z, read: false });
  }
  if (program.status) {
    buffers.push({ binding: program.status.binding, kind: 'storage', bytes: statusBytes(program), read: true });
  }
  return {
    label: launch.id,
    code: program.code,
    entryPoint: program.entryPoint,
    buffers,
    workgroups: workgroupsOf(program, launch),
  };
}

function checkGridBarrier({ gridBarrier, kernel }: WgslProgram, { grid: [x, y, z], ptx, ptxFile }: Launch): void {
  const blocks = x * y * z;
  if (gridBarrier === undefined || blocks === 1) return;
  const diagnostic: Diagnostic = {
    code: 'LW2010',
    severity: 'error',
    message: `the ${blocks} blocks of \`${kernel}\` wait for each other here, which is not supported`,
    span: gridBarrier,
    labels: [],
    hint: 'WebGPU does not promise that workgroups run at the same time: launch one block, or several kernels',
  };
  throw new KernelError('unsupported', { text: ptx, file: ptxFile }, [diagnostic]);
}

/// Workgroups of each dimension that every adapter takes.
const maxWorkgroups = 65_535;

function workgroupsOf({ foldedGrid }: WgslProgram, { id, grid }: Launch): readonly [number, number, number] {
  if (!foldedGrid) return grid;
  const total = grid[0] * grid[1] * grid[2];
  const rows = Math.ceil(total / maxWorkgroups);
  if (rows > maxWorkgroups) {
    const most = maxWorkgroups ** 2;
    throw new GpuError('validation', `${id}: the grid has ${total} blocks; WebGPU takes at most ${most} in a row`);
  }
  return [Math.ceil(total / rows), rows, 1];
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
    block.set(valueBytes(param, offsets.get(index) ?? 0).subarray(0, place.bytes), place.offset);
  });
  return block;
}

function valueBytes(param: LaunchParam, address: number): Uint8Array {
  if (param.kind === 'bytes') return param.data;
  return param.kind === 'scalar' ? encodeScalar(param.type, param.value) : encodeScalar('u64', BigInt(address));
}

/// What a launch left, and what it printed. Throws as `readMessages` does.
export function readAnswer(
  program: WgslProgram,
  launch: Launch,
  result: GpuResult,
): { readonly outputs: LaunchOutputs; readonly printed: Printed } {
  const bytesOf = (place: { readonly binding: number } | undefined) => place && result.buffers.get(place.binding);
  const source = { text: launch.ptx, file: launch.ptxFile };
  const printed = readMessages(program, source, { status: bytesOf(program.status), heap: bytesOf(program.heap) });
  return { outputs: buffersOf(program, launch, result), printed };
}

/// Every buffer parameter after the launch. Throws as `readMessages` does.
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

/// A buffer that the kernel cannot write to.
function untouched(bytes: number, data: Uint8Array | undefined): Uint8Array {
  const contents = new Uint8Array(bytes);
  if (data) contents.set(data);
  return contents;
}
