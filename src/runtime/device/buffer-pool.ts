// Keeps GPU buffers between jobs: validation runs thousands of jobs whose buffers have the same few
// sizes.
import { getOrInsert } from '../../base/maps.ts';

/** The maximum number of idle bytes. If a returned buffer exceeds it, the buffer is destroyed. */
const MAX_IDLE_BYTES = 256 << 20;

export class BufferPool {
  readonly #device: GPUDevice;
  readonly #idle = new Map<string, GPUBuffer[]>();
  #idleBytes = 0;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /**
   * Returns a buffer of exactly `size` bytes, because shaders can read the size through
   * arrayLength. The buffer may contain data of earlier jobs.
   */
  take(size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const kept = this.#idle.get(keyOf(size, usage))?.pop();
    if (!kept) return this.#device.createBuffer({ size, usage });
    this.#idleBytes -= size;
    return kept;
  }

  /** Returns an unmapped buffer to the pool. Pending work must not write to it. */
  give(buffer: GPUBuffer): void {
    if (this.#idleBytes + buffer.size > MAX_IDLE_BYTES) {
      buffer.destroy();
      return;
    }
    const key = keyOf(buffer.size, buffer.usage);
    getOrInsert(this.#idle, key, () => []).push(buffer);
    this.#idleBytes += buffer.size;
  }

  destroy(): void {
    for (const stack of this.#idle.values()) for (const buffer of stack) buffer.destroy();
    this.#idle.clear();
    this.#idleBytes = 0;
  }
}

function keyOf(size: number, usage: GPUBufferUsageFlags): string {
  return `${usage}:${size}`;
}
