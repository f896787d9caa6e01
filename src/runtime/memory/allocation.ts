// An allocation of device memory. It has a buffer of its own until a program reads its address as a
// number. Then it moves into the heap, in which addresses are offsets, so that kernels can use the
// number as an address.

import { GpuError } from '../device/gpu-error.ts';
import type { Region } from '../device/readback.ts';

export type AllocationKind = 'own' | 'pinned' | 'module';

export class Allocation {
  /** The requested size. */
  readonly bytes: number;
  readonly label: string;
  /** The id, which is unique among the runtime's allocations. */
  readonly id: number;
  /**
   * Whether the allocation's buffer belongs to the caller or has other uses than kernels. Such a
   * buffer is never replaced. Kernels that use the heap work on a copy in the heap.
   */
  readonly isPinned: boolean;
  /** Whether the allocation holds a module's variables, which the module frees. */
  readonly isModule: boolean;
  region: Region;
  /** The address in the heap; undefined until it is read. */
  address: number | undefined;
  isFreed = false;
  /** Whether the device failed to allocate the memory. The allocation can then only be freed. */
  isMissing = false;
  /** The keys of the bind groups that contain the allocation's buffer. */
  readonly groups = new Set<string>();

  constructor(id: number, region: Region, bytes: number, label: string, kind: AllocationKind) {
    this.id = id;
    this.region = region;
    this.bytes = bytes;
    this.label = label;
    this.isPinned = kind === 'pinned';
    this.isModule = kind === 'module';
  }

  /**
   * Whether a binding makes the whole allocation accessible to shaders. Shaders can access only
   * whole elements of up to 16 bytes.
   */
  get isWhole(): boolean {
    return this.region.size % 16 === 0;
  }

  /**
   * Throws RangeError if the memory is freed, and `GpuError` 'out-of-memory' if the device could
   * not allocate it.
   */
  check(): void {
    if (this.isFreed) throw new RangeError(`${this} is freed`);
    if (this.isMissing) throw new GpuError('out-of-memory', `${this} was not allocated: the device is out of memory`);
  }

  toString(): string {
    return `${this.label === '' ? `allocation ${this.id}` : `\`${this.label}\``} of ${this.bytes} bytes`;
  }
}

/** The target of a pointer argument. */
export interface PointerArgument {
  readonly allocation: Allocation;
  readonly offset: number;
}
