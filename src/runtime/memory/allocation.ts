// A piece of device memory. It has a buffer of its own until its address is asked for as a number: then it moves into the heap, where addresses are
// offsets, and everything that follows the number finds it.

import { GpuError } from '../device/gpu-error.ts';
import type { Region } from '../device/readback.ts';

export type AllocationKind = 'own' | 'pinned' | 'module';

export class Allocation {
  /** As asked for. */
  readonly bytes: number;
  readonly label: string;
  /** By which it is known among the runtime's. */
  readonly id: number;
  /** A buffer that is the caller's, or that is used for more than kernels: it stays, and kernels that use the heap work on a copy there. */
  readonly isPinned: boolean;
  /** A module's variables, which the module frees. */
  readonly isModule: boolean;
  region: Region;
  /** In the heap, once somebody asked for it. */
  address: number | undefined;
  isFreed = false;
  /** The device had no room for it: nothing can be done with it but to free it. */
  isMissing = false;
  /** Keys of the bind groups that hold its buffer. */
  readonly groups = new Set<string>();

  constructor(id: number, region: Region, bytes: number, label: string, kind: AllocationKind) {
    this.id = id;
    this.region = region;
    this.bytes = bytes;
    this.label = label;
    this.isPinned = kind === 'pinned';
    this.isModule = kind === 'module';
  }

  /** Whether shaders find all of it in a binding: they see whole elements, of up to 16 bytes. */
  get isWhole(): boolean {
    return this.region.size % 16 === 0;
  }

  /** Throws RangeError once it is freed, and `GpuError` 'out-of-memory' where the device had no room for it. */
  check(): void {
    if (this.isFreed) throw new RangeError(`${this} has been freed`);
    if (this.isMissing) throw new GpuError('out-of-memory', `${this} is not there: the device had no room for it`);
  }

  toString(): string {
    return `${this.label === '' ? `allocation ${this.id}` : `\`${this.label}\``} of ${this.bytes} bytes`;
  }
}

/** Where a pointer argument points. */
export interface PointerArgument {
  readonly allocation: Allocation;
  readonly offset: number;
}
