// Turns a launch into commands: selects the shader for the placement of its pointers, and creates
// the bindings and parameters. Similar launches share bindings and parameters.

import { missing } from '../base/invariants.ts';
import type { Dim3 } from '../base/launch.ts';
import { getOrInsert } from '../base/maps.ts';
import type { ParamPlace } from '../translate/index.ts';
import type { Compiled } from './compiled.ts';
import type { CommandQueue } from './device/command-queue.ts';
import type { Engine } from './device/engine.ts';
import type { Faults } from './device/faults.ts';
import { bufferUsage } from './device/flags.ts';
import { GpuError } from './device/gpu-error.ts';
import type { Region } from './device/readback.ts';
import type { Dispatch } from './device/recording.ts';
import type { ProgramBinding } from './launch/bindings.ts';
import { blockMemoryBytes, checkGridBarrier, workgroupsOf } from './launch/dispatch.ts';
import type { LaunchObserver, LaunchRequest } from './launch-request.ts';
import type { DeviceMemory } from './memory/device-memory.ts';
import type { PointerOwner } from './memory/pointer.ts';
import type { Recorder } from './recorder.ts';
import { prints, type StatusBoard } from './status-board.ts';

/** A prepared launch. */
export interface RecordedDispatch extends Dispatch {
  readonly compiled: Compiled;
  /**
   * Whether the launch is only a dispatch, without copies around it and without a status buffer to
   * read.
   */
  readonly isPlain: boolean;
}

const none: ReadonlySet<number> = new Set();
const noOffsets = new Uint32Array(0);

export class Launcher {
  readonly owner: PointerOwner;
  readonly memory: DeviceMemory;
  readonly #queue: CommandQueue;
  readonly #faults: Faults;
  readonly #status: StatusBoard;
  readonly #groups: Map<string, GPUBindGroup>;
  /** The generation of the heap's buffer that the bind groups contain. */
  #generation = 0;
  #latest: Compiled | undefined;
  #locks: GPUBuffer | undefined;
  #scratch: GPUBuffer | undefined;
  /** How many buffers in bind groups have been replaced or freed. */
  #replaced = 0;
  readonly #instructions = new Map<Compiled, GPUBuffer>();
  /** The offset of the current launch's parameters. */
  readonly #offset = new Uint32Array(1);
  readonly #nowhere = new Map<number, GPUBuffer>();
  /** The recorder; if there is one, launches are recorded instead of run. */
  recorder: Recorder | undefined;
  /**
   * The functions to call for each launch. If there are any, sequences run each launch separately.
   */
  readonly observers = new Set<LaunchObserver>();

  constructor(
    owner: PointerOwner,
    memory: DeviceMemory,
    { queue, faults }: Engine,
    status: StatusBoard,
    groups: Map<string, GPUBindGroup>,
  ) {
    this.owner = owner;
    this.memory = memory;
    this.#queue = queue;
    this.#faults = faults;
    this.#status = status;
    this.#groups = groups;
  }

  launch(request: LaunchRequest): void {
    const { compiled, workgroups } = this.#choose(request);
    const observed = [...this.observers].map((observe) => observe(request));
    this.#launch(request, compiled, workgroups);
    for (const after of observed) after?.();
  }

  #launch(request: LaunchRequest, compiled: Compiled, workgroups: Dim3): void {
    const { program } = compiled;
    const queue = this.#queue;
    this.#latest = compiled;
    if (program.status) this.#status.launches(compiled);
    const usesHeap = program.heap !== undefined;
    if (usesHeap) {
      this.memory.copyMirrored('in');
      if (program.gridBarrier) this.#clearBarrier();
    }
    const { offset, bytes } = queue.room(program.paramsBinding?.bytes ?? 0);
    this.#writeParams(compiled, request, bytes);
    const group = this.#group(compiled, request);
    this.#offset[0] = offset;
    queue.dispatch(compiled.shader, group, program.paramsBinding ? this.#offset : noOffsets, workgroups);
    if (usesHeap) this.memory.copyMirrored('out');
  }

  /** Waits until a shader is compiled. Rejects with `GpuError` 'shader'. */
  prepared({ shader }: Compiled): Promise<void> {
    return this.#faults.orLost(shader.prepare());
  }

  /** Prepares a launch. The result is valid as long as `version` does not change. */
  dispatchOf(request: LaunchRequest): RecordedDispatch {
    const { compiled, workgroups } = this.#choose(request);
    const { program, shader } = compiled;
    const bytes = new Uint8Array(program.paramsBinding?.bytes ?? 0);
    this.#writeParams(compiled, request, bytes);
    const isPlain = !(
      prints(compiled) ||
      (program.heap && (program.gridBarrier !== undefined || this.memory.hasMirrored))
    );
    const group = this.#group(compiled, request);
    return {
      compiled,
      isPlain,
      shader,
      group,
      workgroups,
      uniforms: program.paramsBinding ? [bytes] : [],
    };
  }

  /** Registers prepared dispatches. Must be called before they run. */
  announce(made: readonly RecordedDispatch[]): void {
    if (this.#faults.lost) throw this.#faults.lost;
    for (const { compiled } of made) if (compiled.program.status) this.#status.launches(compiled);
    this.#latest = made.at(-1)?.compiled ?? this.#latest;
  }

  /** A counter of changes that invalidate bind groups and addresses. */
  get version(): number {
    return this.memory.version + this.#replaced;
  }

  /** A description of the last launch. */
  get latest(): string {
    return this.#latest ? `launches up to one of ${this.#latest.program.kernel}` : 'copies';
  }

  /** Frees the memory of a kernel that will not be launched again. */
  free(compiled: Compiled): void {
    const buffer = this.#instructions.get(compiled);
    if (!buffer) return;
    this.#instructions.delete(compiled);
    this.#queue.retire(buffer);
    // Prepared dispatches contain the buffer.
    this.#replaced += 1;
  }

  destroy(): void {
    for (const buffer of [this.#locks, this.#scratch, ...this.#instructions.values(), ...this.#nowhere.values()])
      buffer?.destroy();
  }

  #clearBarrier(): void {
    const heap = this.memory.heap.buffer();
    this.#queue.encode((encoder) => encoder.clearBuffer(heap, 0, 256));
  }

  #choose(request: LaunchRequest): { readonly compiled: Compiled; readonly workgroups: Dim3 } {
    if (this.#faults.lost) throw this.#faults.lost;
    const compiled = this.#shaderFor(request);
    const { program, source } = compiled;
    // The residency is unknown, because a launch must not wait for a probe.
    checkGridBarrier(program, source, request.grid, 'unknown');
    return { compiled, workgroups: workgroupsOf(program, program.kernel, request.grid) };
  }

  /**
   * Selects the shader that can run the launch. Pointers that cannot have bindings use the heap,
   * with a shader made for this.
   */
  #shaderFor({ pointers, shaderFor, refuse }: LaunchRequest): Compiled {
    let heapParams = none;
    for (;;) {
      const compiled = shaderFor(heapParams);
      const { params, heap } = compiled.program;
      params.forEach((place, param) => {
        const pointer = pointers[param];
        if (place.kind === 'binding' && pointer === undefined) refuse(param);
        // Move memory whose address is passed as a number to the heap.
        if (place.kind === 'value' && pointer) this.memory.addressOf(pointer.allocation);
      });
      const more = unbindable(params, pointers, heap !== undefined, this.memory);
      if (more.length === 0) return compiled;
      heapParams = new Set([...heapParams, ...more].sort((a, b) => a - b));
    }
  }

  /** Writes an argument to the parameters of a launch. */
  writeParam({ program }: Compiled, { pointers, write }: LaunchRequest, param: number, to: Uint8Array): void {
    const place = program.params[param];
    if (place?.kind !== 'value') return;
    const pointer = pointers[param];
    const view = new DataView(to.buffer, to.byteOffset + place.offset, place.bytes);
    if (!pointer) write(param, view);
    else view.setBigUint64(0, BigInt(this.memory.addressOf(pointer.allocation) + pointer.offset), true);
  }

  #writeParams(compiled: Compiled, request: LaunchRequest, to: Uint8Array): void {
    to.fill(0);
    for (let param = 0; param < compiled.program.params.length; param++) this.writeParam(compiled, request, param, to);
  }

  #group(compiled: Compiled, request: LaunchRequest): GPUBindGroup {
    const resources = compiled.bindings.map((at) => ({
      binding: at.binding,
      region: this.#regionOf(at, compiled, request),
    }));
    // All buffers exist now. Creating one of them may have moved the heap.
    if (this.#generation !== this.memory.heap.generation) {
      this.#generation = this.memory.heap.generation;
      this.#groups.clear();
    }
    let key = `${compiled.id}`;
    for (const at of compiled.bindings) {
      if (at.of === 'param') key += `,${request.pointers[at.param]?.allocation.id ?? 0}`;
      else if (at.of === 'blockMemory') key += `,${this.#replaced}`;
    }
    const known = this.#groups.get(key);
    if (known) return known;
    const { device } = this.#queue;
    const entries = resources.map(({ binding, region }) => ({ binding, resource: region }));
    const descriptor = { label: compiled.program.kernel, layout: compiled.shader.layout, entries };
    const made = this.#faults.guard(device, 'validation', () => device.createBindGroup(descriptor));
    this.#groups.set(key, made);
    for (const pointer of request.pointers) pointer?.allocation.groups.add(key);
    return made;
  }

  #regionOf(at: ProgramBinding, compiled: Compiled, { grid, pointers }: LaunchRequest): GPUBufferBinding {
    const { program } = compiled;
    switch (at.of) {
      case 'param': {
        const pointer = pointers[at.param];
        return pointer ? this.memory.regionOf(pointer.allocation) : { buffer: this.#nowhereOf(at.param) };
      }
      case 'params':
        return { buffer: this.#queue.uniforms, size: program.paramsBinding?.bytes ?? 0 };
      case 'heap':
        return { buffer: this.memory.heap.buffer() };
      case 'instructions':
        return { buffer: this.#instructionsOf(compiled) };
      case 'locks':
        this.#locks ??= this.#queue.device.createBuffer({
          size: program.locks?.bytes ?? 4,
          usage: bufferUsage.storage,
        });
        return { buffer: this.#locks };
      case 'blockMemory':
        return { buffer: this.#scratchOf(blockMemoryBytes(program, grid), program.kernel) };
      case 'status':
        return this.#status.regionOf(compiled);
    }
  }

  /** Returns the buffer with the instructions of an encoded kernel. Launches of the kernel share it. */
  #instructionsOf(compiled: Compiled): GPUBuffer {
    return getOrInsert(this.#instructions, compiled, () => {
      const { instructions, kernel } = compiled.program;
      const { data } = instructions ?? missing('the instructions of', kernel);
      const { device } = this.#queue;
      const buffer = device.createBuffer({
        label: 'instructions',
        size: data.length,
        usage: bufferUsage.storage,
        mappedAtCreation: true,
      });
      new Uint8Array(buffer.getMappedRange()).set(data);
      buffer.unmap();
      return buffer;
    });
  }

  /**
   * Returns a buffer for the memory of blocks. Launches share it, because they do not run at the
   * same time.
   */
  #scratchOf(bytes: number, kernel: string): GPUBuffer {
    const { device } = this.#queue;
    const most = Math.min(device.limits.maxBufferSize, device.limits.maxStorageBufferBindingSize);
    if (bytes > most) {
      const text = `${kernel} needs ${bytes} bytes of shared and local memory for its grid, but a buffer has at most ${most}`;
      throw new GpuError('out-of-memory', text);
    }
    if (this.#scratch && this.#scratch.size >= bytes) return this.#scratch;
    if (this.#scratch) this.#queue.retire(this.#scratch);
    this.#replaced += 1;
    const made = this.#faults.guard(
      device,
      'out-of-memory',
      () => device.createBuffer({ label: 'memory of blocks', size: bytes, usage: bufferUsage.storage }),
      `${bytes} bytes of shared and local memory for ${kernel}`,
      (error) => {
        if (error && this.#scratch === made) this.#scratch = undefined;
      },
    );
    this.#scratch = made;
    return made;
  }

  /**
   * Returns the buffer for a null pointer. Each parameter has its own, because written buffers must
   * not overlap.
   */
  #nowhereOf(param: number): GPUBuffer {
    return getOrInsert(this.#nowhere, param, () =>
      this.#queue.device.createBuffer({ label: 'null', size: 16, usage: bufferUsage.storage }),
    );
  }
}

/**
 * Returns the pointer parameters that cannot have a binding. A binding begins at the start of its
 * allocation. Within one launch, WebGPU forbids overlapping bindings if one of them is written. It
 * also forbids binding one buffer for both reading and writing.
 */
function unbindable(
  params: readonly ParamPlace[],
  pointers: LaunchRequest['pointers'],
  usesHeap: boolean,
  memory: DeviceMemory,
): readonly number[] {
  const found: number[] = [];
  const byBuffer = new Map<GPUBuffer, Bound[]>();
  params.forEach((place, param) => {
    const pointer = pointers[param];
    if (place.kind !== 'binding' || !pointer) return;
    const { allocation, offset } = pointer;
    // Once the allocation's address has been read, a number in memory may be the distance from that
    // address to other memory.
    const isElsewhere = allocation.address !== undefined && (usesHeap || place.moved);
    if (offset !== 0 || !allocation.isWhole || isElsewhere) {
      found.push(param);
      return;
    }
    const region = memory.regionOf(allocation);
    const bound = { param, region, isRead: place.access === 'read' };
    getOrInsert(byBuffer, region.buffer, () => []).push(bound);
  });
  for (const bound of byBuffer.values()) if (!canShare(bound)) found.push(...bound.map(({ param }) => param));
  return found;
}

interface Bound {
  readonly param: number;
  readonly region: Region;
  readonly isRead: boolean;
}

function canShare(bound: readonly Bound[]): boolean {
  if (bound.length === 1 || bound.every(({ isRead }) => isRead)) return true;
  if (bound.some(({ isRead }) => isRead)) return false;
  const inOrder = bound.map(({ region }) => region).sort((a, b) => a.offset - b.offset);
  return inOrder.every(({ offset }, at) => {
    const before = inOrder[at - 1];
    return before === undefined || before.offset + before.size <= offset;
  });
}
