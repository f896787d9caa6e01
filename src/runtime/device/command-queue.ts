// What has been asked of the device and not yet given to it: commands in one encoder, parameters of launches in one buffer that is written before
// they run. So a launch is three calls of a pass, and a thousand of them are one submission.

import { alignUp } from '../../base/align.ts';
import type { Dim3 } from '../../base/launch.ts';
import type { Faults } from './faults.ts';
import { bufferUsage } from './flags.ts';
import { GpuError } from './gpu-error.ts';

/// Parameters of the launches of one submission.
const ringBytes = 512 * 1024;
/// A GPU shall not wait until the page has launched all it has.
const maxLaunches = 256;

export class CommandQueue {
  readonly device: GPUDevice;
  readonly #faults: Faults;
  readonly uniforms: GPUBuffer;
  readonly #mirror = new Uint8Array(ringBytes);
  /// Where parameters may begin.
  readonly align: number;
  #used = 0;
  #launches = 0;
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  /// Of the pass.
  #pipeline: GPUComputePipeline | undefined;
  #group: GPUBindGroup | undefined;
  #isScheduled = false;
  #retired: GPUBuffer[] = [];

  constructor(device: GPUDevice, faults: Faults) {
    this.device = device;
    this.#faults = faults;
    this.align = device.limits.minUniformBufferOffsetAlignment;
    this.uniforms = device.createBuffer({
      label: 'parameters of launches',
      size: ringBytes,
      usage: bufferUsage.uniform | bufferUsage.copyTarget,
    });
  }

  /// For commands outside of passes. What was asked before runs before them.
  encoder(): GPUCommandEncoder {
    this.#endPass();
    return this.#opened();
  }

  /// Asks for a dispatch. `offsets`: where its uniforms are, in the order of their bindings.
  dispatch(pipeline: GPUComputePipeline, group: GPUBindGroup, offsets: Uint32Array, [x, y, z]: Dim3): void {
    this.#pass ??= this.#opened().beginComputePass();
    const pass = this.#pass;
    if (pipeline !== this.#pipeline) pass.setPipeline(pipeline);
    // Of a launch's calls this is the dearest, and an array of numbers would make it dearer by half.
    if (offsets.length > 0) pass.setBindGroup(0, group, offsets, 0, offsets.length);
    else if (group !== this.#group || pipeline !== this.#pipeline) pass.setBindGroup(0, group);
    this.#pipeline = pipeline;
    this.#group = group;
    pass.dispatchWorkgroups(x, y, z);
  }

  /// Begins a pass for dispatches that are measured together. It ends with the next `encoder`.
  timedPass(timestampWrites: GPUComputePassTimestampWrites): void {
    this.#pass = this.encoder().beginComputePass({ timestampWrites });
  }

  /// Room for the parameters of launches: to be filled at once. Where there is none left, what was asked is submitted. Throws `GpuError` 'validation'
  /// for more than there can be.
  room(bytes: number, launches = 1): { readonly offset: number; readonly bytes: Uint8Array } {
    if (bytes > ringBytes) throw new GpuError('validation', `${bytes} bytes of parameters are more than ${ringBytes}`);
    if (this.#used + bytes > ringBytes || this.#launches + launches > maxLaunches) this.flush();
    const offset = this.#used;
    this.#used = alignUp(offset + bytes, this.align);
    this.#launches += launches;
    return { offset, bytes: this.#mirror.subarray(offset, offset + bytes) };
  }

  /// Destroys a buffer once what was asked has been submitted.
  retire(buffer: GPUBuffer): void {
    this.#retired.push(buffer);
    this.#schedule();
  }

  /// Copies to the device at once; what was asked before is submitted before. What is no whole word is followed by zeros.
  write(buffer: GPUBuffer, offset: number, { buffer: from, byteOffset, byteLength }: Uint8Array): void {
    this.flush();
    const { queue } = this.device;
    const rest = byteLength % 4;
    const whole = byteLength - rest;
    this.#faults.guard(this.device, 'validation', () => {
      if (whole > 0) queue.writeBuffer(buffer, offset, from, byteOffset, whole);
      if (rest === 0) return;
      const tail = new Uint8Array(4);
      tail.set(new Uint8Array(from, byteOffset + whole, rest));
      queue.writeBuffer(buffer, offset + whole, tail);
    });
  }

  /// Gives the device what was asked.
  flush(): void {
    const encoder = this.#encoder;
    const { device } = this;
    if (encoder) {
      this.#endPass();
      this.#encoder = undefined;
      if (this.#used > 0) device.queue.writeBuffer(this.uniforms, 0, this.#mirror, 0, this.#used);
      this.#faults.guard(device, 'validation', () => device.queue.submit([encoder.finish()]));
    }
    [this.#used, this.#launches] = [0, 0];
    if (this.#retired.length === 0) return;
    for (const buffer of this.#retired) buffer.destroy();
    this.#retired = [];
    // Dawn gives memory back when something that was submitted later is done.
    device.queue.submit([]);
  }

  /// Ends the pass: nothing that was asked and not submitted will run.
  drop(): void {
    this.#encoder = undefined;
    this.#pass = undefined;
    for (const buffer of this.#retired) buffer.destroy();
    this.#retired = [];
    this.uniforms.destroy();
  }

  #endPass(): void {
    this.#pass?.end();
    this.#pass = undefined;
    this.#pipeline = undefined;
    this.#group = undefined;
  }

  #opened(): GPUCommandEncoder {
    if (this.#faults.lost) throw this.#faults.lost;
    this.#encoder ??= this.device.createCommandEncoder();
    this.#schedule();
    return this.#encoder;
  }

  /// What nobody waits for runs, too: when the task that asked for it is over.
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
