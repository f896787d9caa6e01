// Keeps GPU buffers between jobs: validation streams thousands of jobs whose buffers have the same few sizes.
import { getOrInsert } from '../../base/maps.ts';

/** Bytes kept idle at most; beyond that a returned buffer is destroyed. */
const MAX_IDLE_BYTES = 256 << 20;

export class BufferPool {
  readonly #device: GPUDevice;
  readonly #idle = new Map<string, GPUBuffer[]>();
  #idleBytes = 0;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** A buffer of exactly `size` bytes (shaders see the size through arrayLength). Its contents are stale. */
  take(size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const kept = this.#idle.get(keyOf(size, usage))?.pop();
    if (!kept) return this.#device.createBuffer({ size, usage });
    this.#idleBytes -= size;
    return kept;
  }

  /** Takes back an unmapped buffer that no pending work will write. */
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
