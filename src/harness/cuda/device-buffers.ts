// A launch's buffers in device memory, each between guard bytes that reveal writes out of bounds.

import type { BufferParam, Launch } from '../../base/launch.ts';
import { GpuError } from '../../runtime/device/gpu-error.ts';
import type { CudaDriver } from './driver.ts';

/**
 * The size of each of the two guards, in bytes. It preserves the alignment that cuMemAlloc
 * guarantees.
 */
const GUARD_BYTES = 256;

interface Allocation {
  readonly param: BufferParam;
  readonly base: bigint;
}

/**
 * Allocates and fills every buffer of a launch. The caller must always call `free`, also after an
 * error.
 */
export class DeviceBuffers {
  readonly #driver: CudaDriver;
  readonly #guardByte: number;
  readonly #allocations = new Map<number, Allocation>();

  constructor(driver: CudaDriver, guardByte: number) {
    this.#driver = driver;
    this.#guardByte = guardByte;
  }

  upload({ params }: Launch): void {
    for (const [index, param] of params.entries()) {
      if (param.kind === 'buffer' && param.image === undefined) this.#allocate(index, param);
    }
  }

  /** Returns the device address of the buffer with parameter number `index`. */
  addressOf(index: number): bigint {
    const allocation = this.#allocations.get(index);
    if (!allocation) throw new RangeError(`parameter ${index} is not a buffer`);
    return allocation.base + BigInt(GUARD_BYTES);
  }

  /**
   * Returns the contents of every buffer. Throws `GpuError` 'validation' if the kernel wrote to a
   * guard.
   */
  download(label: string): Map<number, Uint8Array> {
    const outputs = new Map<number, Uint8Array>();
    for (const [index, { param, base }] of this.#allocations) {
      const memory = new Uint8Array(param.bytes + 2 * GUARD_BYTES);
      this.#driver.call('cuMemcpyDtoH_v2', memory, base, memory.length);
      const end = GUARD_BYTES + param.bytes;
      const overwritten = this.#firstOverwritten(memory, end);
      if (overwritten >= 0) {
        const offset = overwritten - GUARD_BYTES;
        throw new GpuError(
          'validation',
          `${label}: the kernel wrote out of bounds: byte ${offset} of \`${param.name}\`, which has ${param.bytes} bytes`,
        );
      }
      outputs.set(index, memory.slice(GUARD_BYTES, end));
    }
    return outputs;
  }

  /** Frees all buffers. Ignores failures, because they repeat an earlier failure. */
  free(): void {
    for (const { base } of this.#allocations.values()) this.#driver.query('cuMemFree_v2', base);
    this.#allocations.clear();
  }

  #allocate(index: number, param: BufferParam): void {
    const total = param.bytes + 2 * GUARD_BYTES;
    const address = new BigUint64Array(1);
    this.#driver.call('cuMemAlloc_v2', address, total);
    const base = address[0] ?? 0n;
    this.#allocations.set(index, { param, base });
    this.#driver.call('cuMemsetD8_v2', base, this.#guardByte, total);
    const start = base + BigInt(GUARD_BYTES);
    const filled = Math.min(param.data?.length ?? 0, param.bytes);
    if (filled < param.bytes) this.#driver.call('cuMemsetD8_v2', start, 0, param.bytes);
    if (param.data && filled > 0) this.#driver.call('cuMemcpyHtoD_v2', start, param.data, filled);
  }

  #firstOverwritten(memory: Uint8Array, end: number): number {
    const before = memory.subarray(0, GUARD_BYTES).findIndex((byte) => byte !== this.#guardByte);
    if (before >= 0) return before;
    const after = memory.subarray(end).findIndex((byte) => byte !== this.#guardByte);
    return after < 0 ? after : end + after;
  }
}
