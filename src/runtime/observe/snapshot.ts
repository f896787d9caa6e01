// Reads the memory that a launch may use: the memory of its arguments, and the variables of its
// module. The copies are in order with the commands of the launch, and the launch does not wait for
// them.

import type { Dim3 } from '../../base/launch.ts';
import { bufferUsage } from '../device/flags.ts';
import type { Readback, Region } from '../device/readback.ts';
import { bytesOf } from '../launch/arguments.ts';
import type { LaunchFacts, LaunchRequest } from '../launch-request.ts';
import type { Allocation, PointerArgument } from '../memory/allocation.ts';
import type { DeviceMemory } from '../memory/device-memory.ts';
import { DevicePointer } from '../memory/pointer.ts';

/**
 * The maximum size of the memory of one launch, which is the limit of case files. The reference
 * needs seven times as much memory.
 */
export const maxSnapshotBytes = 256 * 2 ** 20;

/**
 * An argument at the time of the launch.
 * - `pointer`: the place to which the pointer refers
 * - `bytes`: a number, or a struct, with the offsets of the words that are addresses
 */
export type ArgumentSnapshot =
  | ({ readonly kind: 'pointer' } & PointerArgument)
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly addresses: readonly AddressInside[] };

export interface AddressInside extends PointerArgument {
  /** The offset of the address in the argument, in bytes. */
  readonly at: number;
}

/** A launch with copies of its arguments, and of its memory before the launch. */
export interface Snapshot {
  readonly facts: LaunchFacts;
  readonly grid: Dim3;
  readonly args: readonly ArgumentSnapshot[];
  /** The size of all copies in bytes. */
  readonly bytes: number;
  readonly memory: Promise<Contents>;
}

/** Maps allocations to copies of their bytes. */
export type Contents = ReadonlyMap<Allocation, Uint8Array>;

/** The error for a launch that cannot be recorded. The message is the reason. */
export class Unrecordable extends Error {}

export class SnapshotTaker {
  readonly #memory: DeviceMemory;
  readonly #readback: Readback;

  constructor(memory: DeviceMemory, readback: Readback) {
    this.#memory = memory;
    this.#readback = readback;
  }

  /**
   * Copies the memory of a launch. Throws `Unrecordable` if the memory cannot be copied or has more
   * than `maxBytes` bytes.
   */
  take(request: LaunchRequest, maxBytes: number): Snapshot {
    const { facts, grid } = request;
    const args = facts.args.map((argument, param) => this.#argument(request, argument, param));
    const used = new Set<Allocation>();
    for (const argument of args) {
      if (argument.kind === 'pointer') used.add(argument.allocation);
      else for (const { allocation } of argument.addresses) used.add(allocation);
    }
    if (facts.variables) used.add(facts.variables);
    const bytes = [...used].reduce((sum, allocation) => sum + allocation.bytes, 0);
    if (bytes > maxBytes) throw new Unrecordable(`its memory has ${bytes} bytes, and the limit is ${maxBytes}`);
    return { facts, grid, args, bytes, memory: this.read([...used]) };
  }

  /**
   * Copies allocations. Later commands do not change the copies. Throws `Unrecordable` for a buffer
   * of the page that commands cannot copy.
   */
  read(allocations: readonly Allocation[]): Promise<Contents> {
    const regions = allocations.map((allocation): Region => {
      const region = this.#memory.regionOf(allocation);
      if ((region.buffer.usage & bufferUsage.copySource) === 0)
        throw new Unrecordable(`the buffer of ${allocation} lacks GPUBufferUsage.COPY_SRC`);
      return region;
    });
    if (regions.length === 0) return Promise.resolve(new Map());
    const read = this.#readback.read(regions, (mapped) => {
      const contents = new Map<Allocation, Uint8Array>();
      allocations.forEach((allocation, index) => {
        const bytes = mapped[index];
        if (bytes) contents.set(allocation, bytes.slice(0, allocation.bytes));
      });
      return contents;
    });
    // If the device is lost, the promise may reject before a caller awaits it.
    read.catch(() => undefined);
    return read;
  }

  #argument(request: LaunchRequest, argument: LaunchFacts['args'][number], param: number): ArgumentSnapshot {
    const pointer = request.pointers[param];
    if (pointer) return { kind: 'pointer', allocation: pointer.allocation, offset: pointer.offset };
    const bytes = new Uint8Array(request.facts.parameters[param]?.bytes ?? 0);
    const isData = typeof argument === 'object' && argument !== null && !(argument instanceof DevicePointer);
    if (isData) bytes.set(bytesOf(argument).subarray(0, bytes.length));
    else if (argument !== null) request.write(param, new DataView(bytes.buffer));
    return { kind: 'bytes', bytes, addresses: isData ? this.#addressesIn(bytes) : [] };
  }

  /** Returns the aligned words of a struct that are addresses of allocations. */
  #addressesIn(bytes: Uint8Array): readonly AddressInside[] {
    const view = new DataView(bytes.buffer);
    const found: AddressInside[] = [];
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      const target = this.#memory.find(Number(view.getBigUint64(at, true)));
      if (target) found.push({ at, ...target });
    }
    return found;
  }
}
