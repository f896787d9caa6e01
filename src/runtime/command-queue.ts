// What has been asked of the device and not yet given to it: commands in one encoder, parameters of launches in one buffer that is written before
// they run. So a launch is three calls of a pass, and a thousand of them are one submission.

import { alignUp } from '../base/align.ts';
import { bufferUsage } from './device/flags.ts';
import { GpuError } from './device/gpu-error.ts';
import type { Faults } from './faults.ts';

/// Parameters of the launches of one submission.
const ringBytes = 512 * 1024;
/// A GPU shall not wait until the page has launched all it has.
const maxLaunches = 256;

export class CommandQueue {
  readonly device: GPUDevice;
  readonly #faults: Faults;
  readonly uniforms: GPUBuffer;
  readonly #mirror = new Uint8Array(ringBytes);
  readonly #align: number;
  #used = 0;
  #launches = 0;
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  #isScheduled = false;
  #retired: GPUBuffer[] = [];

  constructor(device: GPUDevice, faults: Faults) {
    this.device = device;
    this.#faults = faults;
    this.#align = device.limits.minUniformBufferOffsetAlignment;
    this.uniforms = device.createBuffer({
      label: 'parameters of launches',
      size: ringBytes,
      usage: bufferUsage.uniform | bufferUsage.copyTarget,
    });
  }

  /// For commands outside of passes. What was asked before runs before them.
  encoder(): GPUCommandEncoder {
    this.#pass?.end();
    this.#pass = undefined;
    return this.#opened();
  }

  /// For launches.
  pass(): GPUComputePassEncoder {
    this.#pass ??= this.#opened().beginComputePass();
    return this.#pass;
  }

  /// Room for the parameters of one launch, of at most `bytes`: to be filled at once. Where there is none left, what was asked is submitted.
  room(bytes: number): { readonly offset: number; readonly bytes: Uint8Array } {
    if (this.#used + bytes > ringBytes || this.#launches >= maxLaunches) this.flush();
    const offset = this.#used;
    this.#used = alignUp(offset + bytes, this.#align);
    this.#launches += 1;
    return { offset, bytes: this.#mirror.subarray(offset, offset + bytes) };
  }

  /// Destroys a buffer once what was asked has been submitted.
  retire(buffer: GPUBuffer): void {
    if (this.#encoder) this.#retired.push(buffer);
    else buffer.destroy();
  }

  /// Copies to the device at once; what was asked before is submitted before.
  write(buffer: GPUBuffer, offset: number, bytes: Uint8Array): void {
    this.flush();
    this.device.queue.writeBuffer(buffer, offset, bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /// Gives the device what was asked.
  flush(): void {
    const encoder = this.#encoder;
    if (encoder === undefined) {
      this.#used = 0;
      return;
    }
    this.#pass?.end();
    this.#pass = undefined;
    this.#encoder = undefined;
    const { device } = this;
    if (this.#used > 0) device.queue.writeBuffer(this.uniforms, 0, this.#mirror, 0, this.#used);
    this.#faults.guard(device, 'validation', () => device.queue.submit([encoder.finish()]));
    [this.#used, this.#launches] = [0, 0];
    for (const buffer of this.#retired) buffer.destroy();
    this.#retired = [];
  }

  /// Ends the pass: nothing that was asked and not submitted will run.
  drop(): void {
    this.#encoder = undefined;
    this.#pass = undefined;
    for (const buffer of this.#retired) buffer.destroy();
    this.#retired = [];
    this.uniforms.destroy();
  }

  #opened(): GPUCommandEncoder {
    if (this.#faults.lost) throw this.#faults.lost;
    this.#encoder ??= this.device.createCommandEncoder();
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      // What nobody waits for runs, too: when the task that asked for it is over.
      queueMicrotask(() => {
        this.#isScheduled = false;
        this.flush();
      });
    }
    return this.#encoder;
  }
}

/// What is thrown once a runtime has been closed.
export const closedError = (): GpuError => new GpuError('lost', 'the runtime is closed');
